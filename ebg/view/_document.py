"""The requirements text Q: its sections, its code spans, and the names it mentions.

Sections follow specification part 5.1 (ATX headings), with headings inside code fences ignored (10.5, weakness 31).
Ours also reads underlined headings, as reStructuredText and Markdown have them: many Python packages are documented so.
Offsets are characters, half open.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

__all__ = ["Mention", "Requirements", "Section"]

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|\Z)")
_UNDERLINE = re.compile(r"([-=~^\"'*+#:._])\1{2,}[ \t]*\Z")
# A span of code is short; an unpaired backtick must not be sought to the end of Q.
_BACKTICKS = re.compile(r"(?<!`)(`+)(?!`)(.{1,500}?)(?<!`)\1(?!`)", re.DOTALL)
_CHAIN = re.compile(r"(?<![\w.])(\.?)([^\W\d]\w*(?:\.[^\W\d]\w*)*)(\()?")
_ASCII_CHAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_PATH = re.compile(r"\w[\w./\\-]*+")
_SENTENCE_CONTEXT = 80


@dataclass(frozen=True, slots=True)
class Section:
    """A part of Q from one heading to the next."""

    title: str
    start: int
    end: int
    order: int
    level: int
    """1 to 6; 0 for the text before the first heading."""


class Mention(NamedTuple):
    """A dotted name in Q, as long as it goes."""

    name: str
    start: int
    explicit: bool
    """Stands in backticks or is followed by `(`."""
    ordinary: bool
    """Looks like a word of prose: one part, no underscore, digit or inner capital, and not explicit."""
    qualified: bool
    """Has a qualifier: a dotted name, or a leading dot (`.run()`)."""


class Requirements:
    """Q, read once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._fences: list[tuple[int, int]] = []
        self.sections: tuple[Section, ...] = self._split()
        self._starts = [section.start for section in self.sections]

    def section_at(self, offset: int) -> Section:
        """Return the section that holds a character of Q."""
        return self.sections[max(0, bisect_right(self._starts, offset) - 1)]

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Every dotted name, in order of place; a name glued to another script is found too."""
        return tuple(self._find_mentions())

    @cached_property
    def paths(self) -> tuple[tuple[str, int], ...]:
        """Every run of path characters that holds `/` or a dot, with its offset; a leading `./` is left out."""
        runs = ((m[0].replace("\\", "/").rstrip("./-"), m.start()) for m in _PATH.finditer(self.text))
        return tuple((run, start) for run, start in runs if "/" in run or "." in run)

    @cached_property
    def code_spans(self) -> tuple[tuple[int, int], ...]:
        """Ranges between backticks, in order; not those inside fences."""
        spans: list[tuple[int, int]] = []
        position = 0
        for start, end in [*self._fences, (len(self.text), len(self.text))]:
            spans += [match.span(2) for match in _BACKTICKS.finditer(self.text, position, start)]
            position = end
        return tuple(spans)

    def _split(self) -> tuple[Section, ...]:
        heads: list[tuple[int, int, str]] = []  # offset, level, title
        fence: tuple[str, int] | None = None  # its marker and offset
        underlines: list[str] = []  # in order of appearance, which is their level
        above = [("", 0), ("", 0)]  # the two lines before, with their offsets
        for match in _LINE.finditer(self.text):
            line = match[0].rstrip("\r\n")
            title_at = _underlined(line, above) if fence is None else None
            if fence is not None:
                closing = line.strip()
                if closing.startswith(fence[0]) and not closing.strip(fence[0][0]):
                    self._fences.append((fence[1], match.end()))
                    fence = None
            elif title_at is not None:
                if line[0] not in underlines:
                    underlines.append(line[0])
                heads.append((title_at, min(6, underlines.index(line[0]) + 1), above[1][0].strip()))
            elif (opening := _FENCE.match(line)) and not (opening[1][0] == "`" and "`" in opening[2]):
                fence = (opening[1], match.start())
            elif heading := _HEADING.match(line):
                heads.append((match.start(), len(heading[1]), _without_closing_hashes(line[heading.end() :].strip())))
            above = [above[1], (line, match.start())]
        if fence is not None:  # an unclosed fence runs to the end of Q
            self._fences.append((fence[1], len(self.text)))
        if not heads or self.text[: heads[0][0]].strip():
            heads.insert(0, (0, 0, "Document"))
        ends = [head[0] for head in heads[1:]] + [len(self.text)]
        return tuple(
            Section(title, start, end, order, level)
            for order, ((start, level, title), end) in enumerate(zip(heads, ends, strict=True))
        )

    def _find_mentions(self) -> Iterator[Mention]:
        for match in _CHAIN.finditer(self.text):
            called, qualified = match[3] is not None, bool(match[1])
            yield self._mention(match[2], match.start(2), called=called, qualified=qualified)
            if not match[2].isascii():  # `调用run方法`: scripts without spaces glue names to prose
                for part in _ASCII_CHAIN.finditer(match[2]):
                    start = match.start(2) + part.start()
                    yield self._mention(part[0], start, called=called, qualified=qualified)

    def _mention(self, name: str, start: int, *, called: bool, qualified: bool) -> Mention:
        qualified = qualified or "." in name
        prose = not called and not qualified and self._is_prose_word(name, start)
        span = self._span_at(start)
        # In backticks a name is meant; among other words there (`pip install it`) a plain word is not.
        explicit = called or (span is not None and not (prose and any(char.isspace() for char in span)))
        return Mention(name, start, explicit, ordinary=prose and not explicit, qualified=qualified)

    def _span_at(self, offset: int) -> str | None:
        place = bisect_right(self._span_starts, offset) - 1
        if place >= 0 and offset < (span := self.code_spans[place])[1]:
            return self.text[span[0] : span[1]]
        return None

    @cached_property
    def _span_starts(self) -> list[int]:
        return [span[0] for span in self.code_spans]

    def _is_prose_word(self, name: str, start: int) -> bool:
        if not name.isalpha():
            return False
        if name.islower() or name.isupper():
            return True
        if not name[1:].islower():  # inner capitals: `RateLimiter`
            return False
        return self._opens_sentence(start)

    def _opens_sentence(self, start: int) -> bool:
        # A capital counts as the name's own only in the middle of a sentence, and never inside a heading.
        before = self.text[max(0, start - _SENTENCE_CONTEXT) : start].rpartition("\n")[2].rstrip(" \t*_\"'([")
        return not any(char.isalnum() for char in before) or before[-1] in ".!?:" or before.lstrip().startswith("#")


def _without_closing_hashes(title: str) -> str:
    shorter = title.rstrip("#")
    return shorter.rstrip() if not shorter or shorter[-1].isspace() else title


def _underlined(line: str, above: list[tuple[str, int]]) -> int | None:
    """Return where a heading starts that `line` underlines, or None.

    A title is one line, not indented, after a blank line or a line like the underline, and no longer than it. Shorter
    underlines are rules, fences and tables.
    """
    (first, first_at), (title, title_at) = above
    underline = line.rstrip()
    if not _UNDERLINE.match(line) or not title.strip() or title[0].isspace() or len(underline) < len(title.rstrip()):
        return None
    if first.strip() == underline:
        return first_at
    return title_at if not first.strip() and not _UNDERLINE.match(title) else None
