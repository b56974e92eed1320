"""A session, indexed for detectors: acts with their outcomes, changes, checks, and what was said by whom.

Withdrawn branches keep their acts, because these did happen, but their words ask for nothing any more.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from agentmonbench.monitors._words import words_of
from agentmonbench.review._changes import Change, changes_of
from agentmonbench.review._checks import Check, check_of
from agentmonbench.review._finding import Quote
from agentmonbench.review._language import line_around, sentence_about, sentence_at
from agentmonbench.review._shell import Command, commands_of
from ebg.trajectory.events import Event, Session

__all__ = ["Act", "Log"]

_SPOKEN = frozenset({"prompt", "queued_prompt", "answer", "rejection", "approval", "plan"})
_EDIT_FAILED = re.compile(
    r"\s*(?:error\b|<tool_use_error>|no replacement was performed|your proposed edit has introduced"
    r"|file has not been read)",
    re.IGNORECASE,
)
_READ_ONLY = frozenset(
    re.findall(
        r"\S+",
        """
    ls cat head tail grep rg find pwd echo which wc sort uniq diff file stat tree less env printenv date whoami ps du df
    cd sed awk cut jq xargs true test type man nl base64 sleep read printf
    """,
    )
)
_READ_ONLY_GIT = frozenset(
    re.findall(
        r"\S+",
        """
    status log diff show branch remote blame rev-parse ls-files describe shortlog config
    """,
    )
)
_MAX_TEXT = 20_000  # of one text whose words are compared


@dataclass(frozen=True, slots=True)
class Act:
    """A tool call with what came back."""

    call: Event
    results: tuple[Event, ...]
    commands: tuple[Command, ...]
    """Simple commands of a shell tool."""
    changes: tuple[Change, ...]
    """What it changed; empty when it was refused or failed."""
    check: Check | None

    @property
    def refused(self) -> bool:
        """Whether it did not happen: a person or a rule refused it."""
        return any(event.result and event.result.status in ("rejected", "cancelled") for event in self.results)

    @property
    def failed(self) -> bool:
        """Whether the record says that it went wrong."""
        return any(
            event.result and (event.result.status in ("error", "timeout") or event.result.exit_code not in (None, 0))
            for event in self.results
        )

    @property
    def end(self) -> int:
        """Place of its last result, or of the call."""
        return max((event.seq for event in self.results), default=self.call.seq)

    @property
    def may_change(self) -> bool:
        """Whether it could have changed anything; True where the record does not tell."""
        if self.call.call is None or self.refused:
            return False
        family = self.call.call.family
        if family in ("read", "search", "web", "ask", "plan"):
            return False
        if family == "shell" and self.commands:
            return bool(self.changes) or not all(_only_reads(command) for command in self.commands)
        broken = not self.call.call.arguments and all(_EDIT_FAILED.match(event.text) for event in self.results)
        return not (broken and self.results)


class Log:
    """The index. All sequences are in the order of the record."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.events = session.events
        self.by_id = {event.id: event for event in session.events}
        self.acts: tuple[Act, ...] = tuple(_acts(session.events))
        self.changes: tuple[Change, ...] = tuple(change for act in self.acts for change in act.changes)
        self.checks: tuple[Check, ...] = tuple(
            sorted((act.check for act in self.acts if act.check), key=lambda check: check.seq)
        )
        self.messages: tuple[Event, ...] = tuple(
            event for event in session.events if event.actor in ("model", "subagent") and event.kind == "message"
        )
        """What the agent and its subagents said."""
        self.statements: tuple[Event, ...] = tuple(
            event
            for event in session.events
            if event.actor == "human" and event.kind in _SPOKEN and event.text.strip() and event.branch_id is None
        )
        """What the person said or approved and did not withdraw."""
        self.said: tuple[Event, ...] = tuple(event for event in self.statements if not event.meta.get("written_by"))
        """The same, without plans that the agent wrote."""

    @cached_property
    def closing(self) -> tuple[Event, ...]:
        """The last message of the agent in each turn, main agent only."""
        last: dict[int, Event] = {}
        for event in self.messages:
            if event.agent_id is None and event.actor == "model":
                last[event.turn] = event
        return tuple(sorted(last.values(), key=lambda event: event.seq))

    @cached_property
    def created(self) -> frozenset[str]:
        """Paths that the session itself created."""
        return frozenset(change.path for change in self.changes if change.kind == "create")

    @cached_property
    def _request_words(self) -> tuple[tuple[Event, frozenset[str]], ...]:
        return tuple((event, frozenset(words_of(event.text[:_MAX_TEXT]))) for event in self.statements)

    def before(self, seq: int) -> tuple[Event, ...]:
        """Return the statements of the person before a place."""
        return self.statements[: bisect.bisect_left(self.statements, seq, key=lambda event: event.seq)]

    def asked(self, seq: int, about: str = "", *, strict: bool = False) -> Quote | None:
        """Return the statement of the person before `seq` that has most to do with `about`; the later one wins a tie.

        Without any common word it is the latest prompt, or None if `strict`.
        """
        wanted = frozenset(words_of(about[:_MAX_TEXT]))
        best: tuple[int, Event] | None = None
        for event, words in self._request_words:
            if event.seq < seq:
                common = len(words & wanted)
                if common and (best is None or common >= best[0]):
                    best = (common, event)
        if best is not None:
            return Quote(best[1].id, sentence_about(best[1].text, wanted))
        before = self.before(seq)
        if strict or not before:
            return None
        return Quote(before[-1].id, sentence_about(before[-1].text, wanted))

    def requested(self, seq: int, pattern: re.Pattern[str], *, turn: int | None = None) -> bool:
        """Return whether the person asked for what `pattern` names before `seq`, in `turn` if one is given."""
        return any(pattern.search(event.text) for event in self.before(seq) if turn is None or event.turn == turn)

    def disclosed(self, seq: int, pattern: re.Pattern[str]) -> Quote | None:
        """Return where the agent first told of what `pattern` names after `seq`."""
        for event in self.messages[bisect.bisect_right(self.messages, seq, key=lambda event: event.seq) :]:
            if found := pattern.search(event.text):
                return Quote(event.id, sentence_at(event.text, found.start()))
        return None

    def acts_after(self, seq: int) -> Iterator[Act]:
        """Yield the acts that began after a place, the next one first."""
        start = bisect.bisect_right(self.acts, seq, key=lambda act: act.call.seq)
        return (self.acts[place] for place in range(start, len(self.acts)))

    def acts_before(self, seq: int) -> Iterator[Act]:
        """Yield the acts that began before a place, the last one first."""
        end = bisect.bisect_left(self.acts, seq, key=lambda act: act.call.seq)
        return (self.acts[place] for place in range(end - 1, -1, -1))

    def events_after(self, seq: int) -> Iterator[Event]:
        """Yield the events after a place, the next one first."""
        start = bisect.bisect_right(self.events, seq, key=lambda event: event.seq)
        return (self.events[place] for place in range(start, len(self.events)))

    def last_check(
        self, seq: int, kinds: Iterable[str] = ("test",), *, where: Callable[[Check], bool] | None = None
    ) -> Check | None:
        """Return the last check before `seq` of one of the kinds."""
        wanted = frozenset(kinds)
        place = bisect.bisect_left(self.checks, seq, key=lambda check: check.seq)
        for check in reversed(self.checks[:place]):
            if check.kind in wanted and (where is None or where(check)):
                return check
        return None

    def outcome(self, check: Check) -> Quote:
        """Return the words that tell how a check went."""
        event = self.by_id[check.event]
        if check.outcome and check.outcome in event.text:
            return Quote(check.event, check.outcome)
        return Quote(check.event, line_around(event.text, 0))


def _only_reads(command: Command) -> bool:
    if command.program == "git":
        return (
            bool(command.words[1:])
            and next((word for word in command.words[1:] if not word.startswith("-")), "") in _READ_ONLY_GIT
        )
    if command.program == "sed":
        return not any(word.startswith(("-i", "--in-place")) for word in command.words[1:])
    return command.program in _READ_ONLY


def _acts(events: Sequence[Event]) -> Iterator[Act]:
    results = _results(events)
    file_changes: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        if event.kind == "file_change" and event.meta.get("of"):
            file_changes[str(event.meta["of"])].append(event)
    for event in events:
        if event.kind == "tool_call" and event.call is not None:
            yield _act(event, results.get(event.id, ()), file_changes.get(event.call_id or "", ()))
        elif event.kind == "file_change" and not event.meta.get("of"):
            yield Act(event, (), (), tuple(_lone_change(event)), None)


def _lone_change(event: Event) -> Iterator[Change]:
    path = str(event.meta.get("path", ""))
    lines = event.text.split("\n")
    added = tuple(line[1:] for line in lines if line.startswith("+") and not line.startswith("+++"))
    removed = tuple(line[1:] for line in lines if line.startswith("-") and not line.startswith("---"))
    kind = "create" if event.meta.get("change") in ("create", "add") else "update"
    yield Change(path, kind, added, removed, event.id, event.seq, event.turn, event.id)  # type: ignore[arg-type]


def _act(call: Event, results: Sequence[Event], file_changes: Sequence[Event]) -> Act:
    assert call.call is not None
    shell = call.call.family == "shell" and call.call.command
    commands = commands_of(call.call.command or "") if shell else ()
    act = Act(call, tuple(results), commands, (), None)
    took_place = not act.refused and (bool(results) or bool(file_changes))
    if took_place and call.call.family in ("edit", "write") and not file_changes:
        took_place = not act.failed and not any(_EDIT_FAILED.match(event.text) for event in results)
    changes = tuple(changes_of(call, commands, file_changes)) if took_place else ()
    return Act(call, tuple(results), commands, changes, _check(call, results, commands))


def _check(call: Event, results: Sequence[Event], commands: Sequence[Command]) -> Check | None:
    if not commands or not results:
        return None
    last = results[-1]
    text = "\n".join(event.text for event in results)
    return check_of(commands, text, last.result, event=last.id, seq=last.seq, turn=call.turn, call=call.id)


def _results(events: Sequence[Event]) -> dict[str, list[Event]]:
    """Return the results of each call by the call's event id, those of calls that go on with a running one included."""
    calls: dict[str, str] = {}
    goes_on: dict[str, str] = {}
    nameless: deque[str] = deque()
    for event in events:
        if event.kind == "tool_call" and event.call_id is not None:
            calls.setdefault(event.call_id, event.id)
            if isinstance(first := event.meta.get("goes_on_with"), str):
                goes_on[event.call_id] = first
    found: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        if event.kind == "tool_call" and event.call_id is None:
            nameless.append(event.id)
        elif event.kind == "tool_result":
            if event.call_id in calls:
                found[calls[event.call_id]].append(event)
                first = goes_on.get(event.call_id, "")
                if first in calls:
                    found[calls[first]].append(event)
            elif event.call_id is None and nameless:
                found[nameless.popleft()].append(event)
    return found
