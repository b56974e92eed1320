"""Where a missed item was lost: never selected, not fully presented, or misjudged (specification part 2.10).

Everything rests on what the monitor was really shown. An item whose gold place cannot be found stays `unresolved`:
no person's guess is written into it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "EventShown",
    "FailureStage",
    "RequiredLines",
    "event_shown",
    "repository_failure_stage",
    "required_lines",
    "session_failure_stage",
]

FailureStage = Literal["model_judgment", "file_selection", "evidence_presentation", "unresolved"]
EventShown = Literal["complete", "partial", "absent"]


@dataclass(frozen=True, slots=True)
class RequiredLines:
    """The lines of one place that a monitor had to see."""

    path: str
    lines: frozenset[int] | None
    """None when the file or a range does not exist in the bundle."""

    def complete(self, shown: Mapping[str, Collection[int]]) -> bool:
        """Return whether all lines were shown; never true for a place that does not exist."""
        return self.lines is not None and self.lines <= set(shown.get(self.path, ()))


def required_lines(path: str, ranges: Iterable[tuple[int, int]], text: str | None) -> RequiredLines:
    """Return the non-blank lines of `ranges`.

    Args:
        path: the file.
        ranges: inclusive 1-based line ranges.
        text: the file's text, None when the bundle has no such file.
    """
    lines = None if text is None else text.splitlines()
    wanted: set[int] = set()
    empty = True
    for start, end in ranges:
        if lines is None or not 1 <= start <= end <= len(lines):
            return RequiredLines(path, None)
        wanted.update(number for number in range(start, end + 1) if lines[number - 1].strip())
        empty = False
    return RequiredLines(path, None if empty else frozenset(wanted))


def repository_failure_stage(
    required: Sequence[RequiredLines],
    *,
    tests: Sequence[RequiredLines] = (),
    shown: Mapping[str, Collection[int]],
    selected: Collection[str],
) -> FailureStage:
    """Return where a failed condition or swap was lost; the first rule that applies decides.

    Args:
        required: the gold places.
        tests: places of tests that state the same; seeing one whole makes the case unclear.
        shown: line numbers that the monitor was shown, by path.
        selected: paths of which any source was asked for or shown.
    """
    if not required or any(place.lines is None for place in required):
        return "unresolved"
    incomplete = [place for place in required if not place.complete(shown)]
    if not incomplete:
        return "model_judgment"
    if any(place.complete(shown) for place in tests):
        return "unresolved"
    if any(place.path not in selected for place in incomplete):
        return "file_selection"
    return "evidence_presentation"


def event_shown(content: str, excerpts: Iterable[tuple[int, int]]) -> EventShown:
    """Return how much of an event was shown.

    Args:
        content: the event's text.
        excerpts: half-open character ranges of it that were shown in the current task's scope.
    """
    covered = bytearray(len(content))
    for start, end in excerpts:
        first, last = max(0, start), min(len(content), end)
        covered[first:last] = b"\x01" * max(0, last - first)
    if not any(covered):
        return "absent"
    complete = all(seen or character.isspace() for seen, character in zip(covered, content, strict=True))
    return "complete" if complete else "partial"


def session_failure_stage(events: Sequence[EventShown]) -> FailureStage:
    """Return where a failed decision was lost, from how much of each gold event was shown."""
    if not events:
        return "unresolved"
    if all(each == "complete" for each in events):
        return "model_judgment"
    return "evidence_presentation" if "absent" in events else "unresolved"
