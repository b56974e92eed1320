"""Layers: where settings come from."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strata.errors import LayerError
from strata.keys import normalize, split
from strata.values import parse_text

_LEVEL = "__"
_READERS = {".toml": tomllib.loads, ".json": json.loads}


@dataclass(frozen=True, slots=True)
class Layer:
    """A named tree of settings; all names are normalised."""

    name: str
    data: dict[str, Any]


def from_file(path: Path, *, optional: bool = False) -> Layer:
    """Read a TOML or JSON file.

    Raises:
        LayerError: If there is no such file, unless it is optional, or it can not be understood.
    """
    reader = _READERS.get(path.suffix)
    if reader is None:
        raise LayerError([f"{path.name}: not one of {', '.join(sorted(_READERS))}"])
    try:
        data = reader(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if optional:
            return Layer(path.name, {})
        raise LayerError([f"{path.name}: no such file"]) from None
    except ValueError as exc:
        raise LayerError([f"{path.name}: {exc}"]) from exc
    if not isinstance(data, dict):
        raise LayerError([f"{path.name}: the top level is not a table"])
    return Layer(path.name, _tidy(data))


def from_env(prefix: str, environ: Mapping[str, str]) -> Layer:
    """Collect the variables `PREFIX__A__B` as settings `a.b`."""
    data: dict[str, Any] = {}
    start = prefix.upper() + _LEVEL
    for variable in sorted(environ):
        if not variable.upper().startswith(start) or environ[variable] == "":
            continue
        names = variable[len(start) :].split(_LEVEL)
        _put(data, tuple(normalize(name) for name in names), parse_text(environ[variable]))
    return Layer(f"environment {prefix.upper()}", data)


def from_pairs(pairs: Iterable[str]) -> Layer:
    """Read `path=value` arguments, as from a command line; of two for the same path the later one counts.

    Raises:
        LayerError: If arguments have no equals sign; all of them are named.
    """
    data: dict[str, Any] = {}
    problems = []
    for pair in pairs:
        path, equals, text = pair.partition("=")
        if not equals or not path.strip():
            problems.append(f"not of the form path=value: {pair!r}")
        else:
            _put(data, split(path), parse_text(text))
    if problems:
        raise LayerError(problems)
    return Layer("command line", data)


def _tidy(value: Any) -> Any:
    if isinstance(value, dict):
        return {normalize(name): _tidy(item) for name, item in value.items()}
    return [_tidy(item) for item in value] if isinstance(value, list) else value


def _put(data: dict[str, Any], parts: tuple[str, ...], value: Any) -> None:
    for part in parts[:-1]:
        child = data.get(part)
        if not isinstance(child, dict):
            child = data[part] = {}
        data = child
    data[parts[-1]] = value
