"""Source as monitors see it: a line `## path@first-last`, then one `number | text` a line.

Every line of a file's text carries its number, so no text of a file can pass for a header.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["MAX_LINE_CHARS", "numbered_block", "numbered_lines"]

MAX_LINE_CHARS = 20_000
"""A longer line (minified code, embedded data) is cut, with a note of how much is missing."""


def numbered_lines(start: int, lines: Sequence[str]) -> list[str]:
    """Return `lines` with their numbers, counted from `start`, without line ends."""
    return [f"{number} | {_cut(line)}" for number, line in enumerate(lines, start=start)]


def numbered_block(name: str, start: int, lines: Sequence[str]) -> str:
    """Return the block `## name@start-end` with its numbered lines."""
    return "\n".join([f"## {one_line(name)}@{start}-{start + len(lines) - 1}", *numbered_lines(start, lines)])


def one_line(name: str) -> str:
    """Return a path or symbol that cannot break a table row or a header."""
    return "".join(character if character.isprintable() else "?" for character in name).replace("|", "¦")


def _cut(line: str) -> str:
    text = line.rstrip("\r\n")
    if len(text) <= MAX_LINE_CHARS:
        return text
    return f"{text[:MAX_LINE_CHARS]} [+{len(text) - MAX_LINE_CHARS} characters]"
