"""A second chance for broken files: brackets that never close.

One open bracket makes a parser take everything after it for its inside, and all later definitions are lost. No bracket
of Python holds a `def` or `class`, so whatever is open there can be dropped. Every byte keeps its offset.
"""

from __future__ import annotations

import re

__all__ = ["balanced"]

_TOKEN = re.compile(
    rb"#[^\n]*+"
    rb'|"""(?:[^"\\]|\\.|"(?!""))*+"""'
    rb"|'''(?:[^'\\]|\\.|'(?!''))*+'''"
    rb'|"(?:[^"\\\n]|\\.)*+"'
    rb"|'(?:[^'\\\n]|\\.)*+'"
    rb"|[()\[\]{}]"
    rb"|(?<=\n)[ \t]*(?:async[ \t]+def|def|class)\b"
    rb"|(?<=\n)(?:import|from|if|for|while|with|try)\b|(?<=\n)@",
    re.DOTALL,
)
_CLOSED_BY = {b"(": b")", b"[": b"]", b"{": b"}"}


def balanced(source: bytes) -> bytes:
    """Return `source` with a space for each bracket that is not closed before the next definition, or never opened."""
    repaired = bytearray(source)
    opened: list[tuple[int, bytes]] = []
    for match in _TOKEN.finditer(source):
        token = match[0]
        if token in _CLOSED_BY:
            opened.append((match.start(), token))
        elif token in (b")", b"]", b"}"):
            if opened and _CLOSED_BY[opened[-1][1]] == token:
                opened.pop()
            else:
                repaired[match.start()] = 32
        elif token[:1] not in b"#\"'":
            _drop(opened, repaired)
    _drop(opened, repaired)
    return bytes(repaired)


def _drop(opened: list[tuple[int, bytes]], repaired: bytearray) -> None:
    for position, _ in opened:
        repaired[position] = 32
    opened.clear()
