"""References: settings that mention other settings as ``${path}``."""

import re
from typing import Any

from strata.errors import SettingError
from strata.keys import join, split
from strata.values import to_text

_REFERENCE = re.compile(r"\$(?P<escape>\$)?\{(?P<path>[^{}:]+)(?::-(?P<default>[^{}]*))?\}")


def resolve(data: dict[str, Any]) -> dict[str, Any]:
    """Return the tree with every reference replaced by what it refers to.

    Raises:
        SettingError: If references lead nowhere or in a circle; all of them are named.
    """
    problems: list[str] = []
    resolved = _walk(data, (), data, problems, ())
    if problems:
        raise SettingError(dict.fromkeys(problems))
    return resolved


def find(data: dict[str, Any], parts: tuple[str, ...]) -> tuple[bool, Any]:
    """Return whether a path exists, and its value."""
    value: Any = data
    for part in parts:
        if not isinstance(value, dict) or part not in value:
            return False, None
        value = value[part]
    return True, value


def _walk(value: Any, parts: tuple[str, ...], root: dict[str, Any], problems: list[str], trail: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return {key: _walk(item, (*parts, key), root, problems, trail) for key, item in value.items()}
    if isinstance(value, list):
        return [_walk(item, parts, root, problems, trail) for item in value]
    if not isinstance(value, str):
        return value
    whole = _REFERENCE.fullmatch(value)
    if whole and not whole["escape"]:
        return _target(whole, parts, root, problems, trail)
    return _REFERENCE.sub(
        lambda match: match[0][1:] if match["escape"] else to_text(_target(match, parts, root, problems, trail)), value
    )


def _target(
    match: re.Match[str], parts: tuple[str, ...], root: dict[str, Any], problems: list[str], trail: tuple[str, ...]
) -> Any:
    target = split(match["path"])
    name = join(target)
    trail = (*trail, join(parts))
    if name in trail:
        problems.append(f"circle of references: {' -> '.join((*trail[trail.index(name) :], name))}")
        return None
    known, value = find(root, target)
    if known:
        return _walk(value, target, root, problems, trail)
    if match["default"] is not None:
        return match["default"]
    problems.append(f"{join(parts)}: refers to {name}, which is not set")
    return None
