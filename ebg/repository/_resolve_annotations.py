"""Annotations as small trees.

Only what tells the class of an object is kept. Quotes are transparent (forward references), `X | Y`, `Optional` and
`Union` are alternatives. The reader is a loop with its own stack: annotations come from untrusted text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Annotation", "read_annotation"]

_TOKEN = re.compile(r"\s*(?:([^\W\d][\w.]*)|(\.\.\.)|([][,|])|(['\"])|(\S))")
_MOST_NODES = 60
_DEEPEST = 10


class Annotation(NamedTuple):
    """A name with arguments, `dict[str, Pool]`; alternatives have the name `|`, lists in brackets the name `[]`."""

    name: str
    arguments: tuple[Annotation, ...]


_NOTHING = Annotation("", ())


@lru_cache(maxsize=4096)
def read_annotation(text: str) -> Annotation:
    """Return the tree of an annotation; unreadable parts become nodes without a name."""
    # Each frame: (name of the generic, finished arguments, alternatives of the current argument).
    frames: list[tuple[str, list[Annotation], list[Annotation]]] = [("", [], [])]
    for count, match in enumerate(_TOKEN.finditer(text)):
        name, _, mark, quote, other = match.groups()
        if count > _MOST_NODES or len(frames) > _DEEPEST:
            return _NOTHING
        if quote:
            continue
        if name:
            frames[-1][2].append(Annotation(name, ()))
        elif mark == "[":
            alternatives = frames[-1][2]
            opened = alternatives.pop().name if alternatives else "[]"
            frames.append((opened, [], []))
        elif mark == "," or (mark == "]" and len(frames) > 1):
            frames[-1][1].append(_alternatives(frames[-1][2]))
            frames[-1][2].clear()
            if mark == "]":
                generic, arguments, _ = frames.pop()
                frames[-1][2].append(Annotation(generic, tuple(arguments)))
        elif mark != "|" or other:
            frames[-1][2].append(_NOTHING)
    if len(frames) > 1:
        return _NOTHING
    return _alternatives(frames[0][2])


def _alternatives(found: list[Annotation]) -> Annotation:
    if len(found) == 1:
        return found[0]
    return Annotation("|", tuple(found)) if found else _NOTHING
