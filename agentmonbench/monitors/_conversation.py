"""What a monitor without a model understands of a conversation: the same texts that a model gets, and nothing else.

It reads the index tables, search results and numbered source of all methods, and the two JSON forms of a session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmonbench import prompts
from agentmonbench.examples import SUBSETS, SubsetName
from agentmonbench.monitors._protocol import Message

__all__ = ["Conversation", "Row", "SourceLine", "read_conversation"]

_RUN_INPUT = re.compile(r"# Run input\n\n(\{.*\})")
_ROW = re.compile(r"([A-Z]\d{3,}(?:\.[A-Z]\d{3,})?) \| (.+)")
_NAMED_ID = re.compile(r"([A-Z]\d{3,}(?:\.[A-Z]\d{3,})?) (\S+@[\d,-]*\d)")
_MORE = re.compile(r"Not shown of (.+?): (.+)")
_NUMBERED = re.compile(r"(\d+) \| ?(.*)")
_HEADER = re.compile(r"## (.+?)(?:::(\S+))?@(\d[\d,-]*)(?: .*)?")
# `> A@lines calls B@lines`: the block shows B; `< A@lines feeds(x) B@lines`: it shows A.
_RELATION = re.compile(r"([<>]) (\S+)@[\d,-]+ \w+(?:\([^)]*\))? (\S+)@[\d,-]+.*")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of an index or a search result."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A numbered line that was shown."""

    text: str
    scope: str | None
    """Dotted name that stood above it, if any."""


@dataclass(slots=True)
class Conversation:
    """The state of a run as its messages tell it."""

    subset: SubsetName
    example: str
    single_turn: bool
    document: str = ""
    rows: list[Row] = field(default_factory=list)
    """Everything that was listed, in order, each id once."""
    source: dict[str, dict[int, SourceLine]] = field(default_factory=dict)
    """Shown lines by path and number."""
    record: dict[str, Any] = field(default_factory=dict)
    """The session, parsed."""
    read: set[str] = field(default_factory=set)
    reread: set[str] = field(default_factory=set)
    """Ids that were asked for more than once."""
    searched: list[str] = field(default_factory=list)
    must_finish: bool = True
    max_read_ids: int = 0
    deferred: list[str] = field(default_factory=list)

    @property
    def unread(self) -> list[Row]:
        """Listed rows that were not asked for yet."""
        return [row for row in self.rows if row.id not in self.read]


def read_conversation(messages: Sequence[Message]) -> Conversation:
    """Return what `messages` tell.

    Raises:
        ValueError: when the first user message has no run input of the loop.
    """
    opening = messages[1].content
    found = _RUN_INPUT.search(opening)
    run = json.loads(found.group(1)) if found else {}
    if run.get("subset") not in SUBSETS:
        raise ValueError("the messages do not start with the run input of the loop")
    single_turn = messages[0].content == prompts.text("protocol-single")
    state = Conversation(run["subset"], str(run.get("example")), single_turn)
    blocks = list(_fenced(opening, run["marker"]))
    if state.subset == "feedbacktrace":
        state.record = json.loads(blocks[0]) if blocks else {}
    elif blocks:
        state.document = blocks[0]
        for block in blocks[1:]:
            _take(state, block)
    for message in messages[2:]:
        if message.role == "assistant":
            _note_action(state, message.content)
        else:
            for block in _fenced(message.content, run["marker"]):
                _take(state, block)
    if not single_turn:
        # While an answer is being corrected, the state stands in the message before the correction.
        last = next((each for each in reversed(messages) if "\n[run state]\n" in each.content), messages[-1])
        _read_state(state, last.content)
    return state


def _fenced(text: str, marker: str) -> Iterator[str]:
    for part in text.split(f"<<<DATA {marker}\n")[1:]:
        yield part.partition(f"\n{marker} DATA>>>")[0]


def _note_action(state: Conversation, text: str) -> None:
    try:
        action = json.loads(text)
    except ValueError:
        return  # an answer that is being corrected
    if not isinstance(action, dict):
        return
    if action.get("action") == "read":
        state.reread.update(state.read.intersection(action["ids"]))
        state.read.update(action["ids"])
    elif action.get("action") == "search":
        state.searched.append(action["text"])


def _read_state(state: Conversation, text: str) -> None:
    block = text.rpartition("[run state]")[2]
    state.must_finish = "must finish now: no" not in block
    if ids := re.search(r"at most (\d+) ids", block):
        state.max_read_ids = int(ids.group(1))
    if names := re.search(r"deferred ids: (.+)", block):
        state.deferred = [] if names.group(1) == "none" else names.group(1).split(", ")


def _take(state: Conversation, block: str) -> None:
    """Take rows and numbered lines out of one fenced text."""
    known = {row.id for row in state.rows}
    root = path = ""
    scope: str | None = None
    for line in block.split("\n"):
        if numbered := _NUMBERED.fullmatch(line):
            lines = state.source.setdefault(path, {})
            number = int(numbered.group(1))
            before = lines.get(number)
            # The innermost name is the best one: RepoGraph shows a line under its class and under its method.
            if before is None or len(scope or "") > len(before.scope or ""):
                lines[number] = SourceLine(numbered.group(2), scope)
        elif header := _HEADER.fullmatch(line):
            root = path = header.group(1)
            scope = header.group(2)
        elif relation := _RELATION.fullmatch(line):
            shown = relation.group(3 if relation.group(1) == ">" else 2)
            before_name, separator, name = shown.rpartition("::")
            path, scope = (before_name, name) if separator else (root, shown)
        else:
            for row in _rows_of(line):
                if row.id not in known:
                    known.add(row.id)
                    state.rows.append(row)


def _rows_of(line: str) -> list[Row]:
    """Return the ids that a line lists: a table row, or the rest of a file that a view names."""
    if row := _ROW.fullmatch(line):
        return [Row(row.group(1), row.group(2))]
    if more := _MORE.fullmatch(line):
        return [Row(name, f"{more.group(1)} | {place}") for name, place in _NAMED_ID.findall(more.group(2))]
    return []
