"""Physical lines of a text, as Python counts them: ended by LF, CR LF or a lone CR, and by nothing else."""

from __future__ import annotations

import io
import re

__all__ = ["line_starts", "normal_newlines", "split_lines"]

_LONE_CARRIAGE_RETURN = re.compile(rb"\r(?!\n)")
_NEWLINE = re.compile(rb"\n")


def split_lines(text: str) -> tuple[str, ...]:
    """Return the lines of `text` with their line ends; joined they are `text` again."""
    return tuple(io.StringIO(text, newline="").readlines())


def normal_newlines(source: bytes) -> bytes:
    """Return `source` with each lone CR replaced by LF, so that every byte keeps its offset and every line has one LF.

    The grammar does not take a lone carriage return as the end of a line, Python does.
    """
    return _LONE_CARRIAGE_RETURN.sub(b"\n", source) if b"\r" in source else source


def line_starts(source: bytes) -> list[int]:
    """Return the byte offset of each line of a text with normal newlines; the first is 0.

    The 1-based line of a byte offset is `bisect_right(starts, offset)`.
    """
    return [0, *(match.end() for match in _NEWLINE.finditer(source))]
