"""Writing and reading files of graphs: all or nothing, only when something changed, and never more than a limit."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from collections.abc import Iterable
from pathlib import Path

from ebg.errors import GraphError

__all__ = ["MAX_BYTES", "json_lines", "json_text", "parse_json", "read_json", "read_text", "write_text"]

MAX_BYTES = 1 << 30
"""A larger file is refused before it is read."""
_RENAME_TRIES = 6
_RENAME_WAIT_S = 0.2


def json_text(value: object) -> str:
    """Return a value as published JSON: indented by 2, non-ASCII kept, with a trailing newline."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def json_lines(rows: Iterable[object]) -> str:
    """Return one compact JSON value a line."""
    return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n" for row in rows)


def write_text(file: Path, text: str) -> bool:
    """Write a file through a temporary one beside it, flushed to disk and renamed; return whether its bytes changed.

    A reader sees the old file or the new one, never a part. A rename that is refused for the moment (another program
    holds the file) is tried again a few times.
    """
    # A lone surrogate, which only an odd source encoding can bring, becomes its JSON escape.
    data = text.encode("utf-8", "backslashreplace")
    with contextlib.suppress(OSError):
        if file.read_bytes() == data:
            return False
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        _replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return True


def read_text(file: Path) -> str:
    """Return the text of a UTF-8 file.

    Raises:
        GraphError: when it does not exist, is too large, or is not UTF-8.
    """
    try:
        if file.stat().st_size > MAX_BYTES:
            raise GraphError(f"{file} is larger than {MAX_BYTES} bytes")
        return file.read_bytes().decode("utf-8")
    except OSError as exc:
        raise GraphError(f"cannot read {file}: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise GraphError(f"{file} is not UTF-8: {exc.reason} at byte {exc.start}") from exc


def read_json(file: Path) -> object:
    """Return the value of a JSON file; repeated keys and NaN are refused.

    Raises:
        GraphError: when it cannot be read or is no JSON.
    """
    return parse_json(read_text(file), str(file))


def parse_json(text: str, where: str) -> object:
    """Return the value of a JSON text.

    Raises:
        GraphError: when it is no JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError as exc:
        raise GraphError(f"{where} is nested too deeply") from exc
    except ValueError as exc:
        raise GraphError(f"{where} is no JSON: {exc}") from exc


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is given twice in one object")
    return value


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")


def _replace(temporary: Path, file: Path) -> None:
    for attempt in range(1, _RENAME_TRIES + 1):
        try:
            temporary.replace(file)
        except PermissionError:
            if attempt == _RENAME_TRIES:
                raise
            time.sleep(_RENAME_WAIT_S)
        else:
            return
