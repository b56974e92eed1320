"""Globs over repository paths.

`*` and `?` stay inside one folder, `**` crosses folders, `[...]` is a set of characters. A pattern without `/` is tried
on the name of the file at any depth; one that ends with `/` means everything below that folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

__all__ = ["matcher"]


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a predicate that is true for paths that match any of `patterns`."""
    sources = [_regex(pattern) for pattern in patterns]
    if not sources:
        return lambda _: False
    match = re.compile("|".join(sources)).fullmatch
    return lambda path: match(path) is not None


def _regex(pattern: str) -> str:
    pattern = pattern.removeprefix("./")
    if pattern.endswith("/"):
        pattern += "**"
    anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    parts: list[str] = [] if anchored else [r"(?:.*/)?"]
    position = 0
    while position < len(pattern):
        if pattern.startswith("**/", position):
            parts.append(r"(?:.*/)?")
            position += 3
        elif pattern.startswith("**", position):
            parts.append(r".*")
            position += 2
        elif (found := _CLASS.match(pattern, position)) is not None:
            negated, inside = found.groups()
            parts.append(f"[{'^/' if negated else ''}{_set(inside)}]")
            position = found.end()
        else:
            parts.append({"*": r"[^/]*", "?": r"[^/]"}.get(pattern[position], re.escape(pattern[position])))
            position += 1
    return f"(?s:{''.join(parts)})"


_CLASS = re.compile(r"\[(!?)(\]?[^\]/]*)\]")


def _set(inside: str) -> str:
    """Return a set of characters with everything escaped but the dash between two of them."""
    return re.sub(r"([\\\[\]^&~|])", r"\\\1", inside)
