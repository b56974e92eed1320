"""Split a prompt into its demands: list items, or stand-alone questions (part 4.2, step 1)."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

__all__ = ["Demands", "split_demands"]

Span = tuple[int, int]

_MARKER = re.compile(r"^(?P<indent>[ \t]*)(?:[-*•]|\d{1,3}[.)]|[A-Za-z][.)])[ \t]+(?=\S)", re.MULTILINE)
_INLINE = re.compile(r"(?<=[.!?;:])[ \t]+[-*][ \t]+(?=\*\*)")
_QUESTION_LINE = re.compile(r"^[^\n]*[?\uff1f][ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_MAX_DEMANDS = 50
"""A list longer than this is data that was pasted, not a list of demands."""


class Demands(NamedTuple):
    """Character ranges inside a prompt."""

    parts: tuple[Span, ...]
    """The demands in order; empty when the prompt is one demand."""
    shared: tuple[Span, ...]
    """Text outside all parts, which holds for each of them: the preamble of a list."""


def split_demands(text: str) -> Demands:
    """Return the demands of a prompt; none when it is a single one."""
    fences = _fenced(text)
    found = [m for m in _MARKER.finditer(text) if not _inside(m.start(), fences)]
    parts, marked = _list_parts(text, found)
    if len(parts) < 2:
        questions = [m for m in _QUESTION_LINE.finditer(text) if not _inside(m.start(), fences)]
        parts = marked = [_trimmed(text, m.start(), m.end()) for m in questions]
    if not 2 <= len(parts) <= _MAX_DEMANDS:
        return Demands((), ())
    edges = [0, *(edge for span in marked for edge in span), len(text)]
    gaps = [_trimmed(text, start, end) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return Demands(tuple(parts), tuple(gap for gap in gaps if gap[0] < gap[1]))


def _list_parts(text: str, found: list[re.Match[str]]) -> tuple[list[Span], list[Span]]:
    """Return the items, and the items with their markers."""
    if not found:
        return [], []
    level = min(len(m["indent"].expandtabs(4)) for m in found)
    marks = [m.span() for m in found if len(m["indent"].expandtabs(4)) == level]
    marks = sorted([*marks, *(m.span() for m in _INLINE.finditer(text) if m.start() > marks[0][0])])
    ends = [*(start for start, _ in marks[1:]), len(text)]
    parts, marked = [], []
    for (start, content), end in zip(marks, ends, strict=True):
        part = _trimmed(text, content, end)
        if part[0] < part[1]:
            parts.append(part)
            marked.append((start, end))
    return parts, marked


def _fenced(text: str) -> list[Span]:
    marks = [m.start() for m in _FENCE.finditer(text)]
    if len(marks) % 2:
        marks.append(len(text))
    return list(zip(marks[::2], marks[1::2], strict=True))


def _inside(position: int, spans: list[Span]) -> bool:
    before = bisect_right(spans, (position, position)) - 1
    return any(start <= position < end for start, end in spans[max(before, 0) : before + 2])


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return (start + left, max(start + left, start + len(piece.rstrip())))
