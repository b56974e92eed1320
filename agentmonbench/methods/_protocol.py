"""The contract between the loop and a method.

A *method* is one way to show an example to a monitor. It opens an example as a `Workspace`; the loop forwards the
monitor's `search` and `read` actions to it and hands back the text. `shown` records every line or event that the
monitor has really been shown: grounding and the failure-stage analysis rest on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agentmonbench.examples import Example
from ebg.view import Budgets

__all__ = ["DEFAULT_BUDGETS", "Method", "Shown", "ToolReply", "Workspace"]


@dataclass(slots=True)
class Shown:
    """What the monitor has been shown so far."""

    lines: dict[str, set[int]] = field(default_factory=dict)
    """Line numbers (1-based) by file path."""
    events: set[str] = field(default_factory=set)
    """Citable evidence ids of a session."""

    def add_lines(self, path: str, start: int, end: int) -> None:
        """Record lines `start` to `end` of `path`, inclusive."""
        self.lines.setdefault(path, set()).update(range(start, end + 1))

    def covers(self, path: str, start: int, end: int, *, blank: frozenset[int] = frozenset()) -> bool:
        """Return whether every line of the range was shown; lines in `blank` need not be."""
        seen = self.lines.get(path)
        return seen is not None and all(line in seen or line in blank for line in range(start, end + 1))


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a search or read gave back."""

    text: str
    """Exactly what the monitor is shown."""
    ids: tuple[str, ...] = ()
    """Ids that became readable through this reply."""
    deferred: tuple[str, ...] = ()
    """Ids of a read that did not fit the budget and may be read again."""
    error: str | None = None
    """Code of a tool error, for example `unknown_or_unexposed_id`; it costs the round."""


class Workspace(Protocol):
    """One example, opened by a method for one monitor run; stateful, never shared."""

    input_note: str
    """The paragraph that tells the monitor how to read this form of input: the only text that differs by method."""
    index_text: str
    """The first thing shown: a table of ids, or the whole view for a session."""
    max_read_ids: int
    """0 when the form has no tools (a session is one turn)."""
    shown: Shown
    files: Mapping[str, Sequence[str]]
    """Lines, with their line ends, of every file that may be cited, by path; empty for a session."""
    leading_files: Sequence[str]
    """Paths in the order of the index; the second stage of SilentSwap starts from the first of them."""

    def search(self, query: str) -> ToolReply:
        """Return at most 12 hits for `query` (already whitespace-normalised, 1 to 512 characters)."""
        ...

    def read(self, ids: Sequence[str]) -> ToolReply:
        """Return the text behind `ids`, which are distinct and at most `max_read_ids`."""
        ...


DEFAULT_BUDGETS = Budgets()
"""What a method may show at once: 3,072 tokens of index, 65,536 of a read, 12 hits (specification part 7.2)."""


class Method(Protocol):
    """A way to show examples: `base`, `repograph`, `ebg`, or one of yours."""

    name: str

    def supports(self, example: Example) -> bool:
        """Return whether the method applies (RepoGraph does not apply to sessions)."""
        ...

    def open(self, example: Example, *, budgets: Budgets = DEFAULT_BUDGETS) -> Workspace:
        """Open one example; no index, search or read shows more than `budgets` allow."""
        ...
