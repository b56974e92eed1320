"""Collects the events of a session, and sees to it that no record is lost.

A reader announces each record, then adds events and gaps, or says why it needs none. A record about which it says
nothing becomes an `unknown` event: nothing is dropped silently, whatever a reader forgets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ebg.trajectory.events import (
    Actor,
    Event,
    EventKind,
    Gap,
    RecordRef,
    Session,
    ToolCall,
    ToolResult,
    ToolStatus,
)
from ebg.trajectory.readers._source import Source
from ebg.trajectory.readers._tools import make_call, was_cut

__all__ = ["Draft", "SessionBuilder"]

MAX_TEXT = 1_000_000
"""Characters of one event that are kept; the whole text is found through the event's reference."""
TEXT_BUDGET = 200_000_000
"""Characters of all tool outputs of a session that are kept whole; beyond it only their first `_CUT_TEXT`.

So the memory for a session is bounded by the number of its events, whatever their size.
"""
_CUT_TEXT = 2_000
_MAX_UNKNOWN = 20_000
_OPENS_TURN = ("prompt", "queued_prompt")
_NO_META: Mapping[str, Any] = {}


@dataclass(slots=True, eq=False)
class Draft:
    """An event before it has its id and turn."""

    ref: RecordRef
    actor: Actor
    kind: EventKind
    text: str
    time: str | None = None
    call_id: str | None = None
    call: ToolCall | None = None
    result: ToolResult | None = None
    parent: Draft | None = None
    branch_id: str | None = None
    agent_id: str | None = None
    meta: dict[str, Any] | None = None
    key: str | None = None
    """The record's own id, for readers that follow a tree of records."""
    dropped: bool = False
    id: str = ""


@dataclass(slots=True)
class _OpenGap:
    kind: str
    detail: str
    ref: RecordRef | None
    draft: Draft | None


class SessionBuilder:
    """One session in the making; public attributes are set by the reader."""

    def __init__(self, *, format: str, agent: str, id: str = "") -> None:  # noqa: A002  # the names of Session
        self.format = format
        self.agent = agent
        self.id = id
        self.agent_version: str | None = None
        self.cwd: str | None = None
        self.branch: str | None = None
        self.parent_session: str | None = None
        self.files: dict[str, str] = {}
        self.drafts: list[Draft] = []
        self._models: dict[str, None] = {}
        self._gaps: list[_OpenGap] = []
        self._records = 0
        self._unknown: dict[str, int] = {}
        self._counted: dict[str, int] = {}
        self._settings: dict[str, str] = {}
        self._output_size = self._outputs_cut = 0
        self._ref: RecordRef | None = None
        self._label = ""
        self._raw: object = ""
        self._handled = True
        self._times: tuple[str, str] | None = None
        self.time: str | None = None
        """Time of the record at hand: the default of its events."""
        self.key: str | None = None
        """Own id of the record at hand."""
        self.agent_id: str | None = None
        """The subagent whose records are being read."""

    # --- records ---------------------------------------------------------------------------------------------------

    def record(self, ref: RecordRef, *, label: str, raw: object = "", time: object = None, key: object = None) -> None:
        """Begin a record.

        Args:
            ref: its place.
            label: its type, under which it is counted when nothing is made of it.
            raw: its bytes, text or JSON value, kept when nothing is made of it.
            time: as written in the record; anything but text is no time.
            key: the record's own id, if it has one.
        """
        self.end_record()
        self._records += 1
        self._ref, self._label, self._raw, self._handled = ref, label, raw, False
        self.key = key if isinstance(key, str) else None
        self.time = time if isinstance(time, str) else None
        self.seen_time(self.time)

    def end_record(self) -> None:
        """Finish the record at hand; called by `record` and `build`."""
        if not self._handled:
            self.unknown()

    def seen_time(self, time: str | None) -> None:
        """Widen the session's span of time."""
        if time:
            first, last = self._times or (time, time)
            self._times = (min(first, time), max(last, time))

    @property
    def speaker(self) -> Actor:
        """Who speaks as an agent in the record at hand: the model, or a subagent."""
        return "model" if self.agent_id is None else "subagent"

    @property
    def handled(self) -> bool:
        """Whether anything was made of the record at hand."""
        return self._handled

    def took(self, source: Source) -> None:
        """Note the files that were read, and what had to be mended to read them."""
        self.files.update(source.digests)
        for note in source.notes:
            self._gaps.append(_OpenGap(note, f"{source.name} was mended to read it", RecordRef(source.name), None))

    def skip(self, why: str) -> None:
        """Say that the record needs no event of its own, and why."""
        self._handled = True
        self._counted[why] = self._counted.get(why, 0) + 1

    def unknown(self) -> None:
        """Keep the record as an `unknown` event and count its type."""
        self._unknown[self._label] = self._unknown.get(self._label, 0) + 1
        self.event("harness", "unknown", _text(self._raw)[:_MAX_UNKNOWN], meta={"type": self._label})

    def model(self, name: object) -> None:
        """Remember a model's name."""
        if isinstance(name, str) and name:
            self._models[name] = None

    # --- events ----------------------------------------------------------------------------------------------------

    def event(
        self,
        actor: Actor,
        kind: EventKind,
        text: str,
        *,
        pointer: str = "",
        time: str | None = None,
        call_id: str | None = None,
        call: ToolCall | None = None,
        result: ToolResult | None = None,
        meta: dict[str, Any] | None = None,
    ) -> Draft:
        """Add an event of the record at hand; `pointer` is a JSON pointer below the record."""
        self._handled = True
        ref = self._ref or RecordRef("")
        if pointer:
            ref = RecordRef(ref.file, ref.line, ref.pointer + pointer, ref.byte_start, ref.byte_end)
        draft = Draft(ref, actor, kind, text, time or self.time, call_id, call, result)
        draft.agent_id, draft.key = self.agent_id, self.key
        if meta:
            draft.meta = {key: value for key, value in meta.items() if value is not None}
        if len(text) > MAX_TEXT:
            draft.text = text[:MAX_TEXT]
            self.gap("cut_by_reader", f"{len(text) - MAX_TEXT:,} characters are only in the transcript", draft)
        if actor == "tool":
            self._output_size += len(draft.text)
            if self._output_size > TEXT_BUDGET and len(draft.text) > _CUT_TEXT:
                draft.text = draft.text[:_CUT_TEXT]
                self._outputs_cut += 1
        self.drafts.append(draft)
        return draft

    def tool_call(self, name: str, arguments: object, *, raw: str | None = None, **rest: Any) -> Draft:
        """Add a tool call; arguments that are no object are kept as `raw`."""
        call, line = make_call(name, arguments, raw)
        draft = self.event(self.speaker, "tool_call", line, call=call, **rest)
        if call.raw is not None and not call.arguments and call.raw.lstrip().startswith("{"):
            self.gap("broken_arguments", f"the arguments of {name} are no JSON object", draft)
        return draft

    def tool_result(
        self,
        text: str,
        status: ToolStatus,
        *,
        exit_code: int | None = None,
        truncated: bool = False,
        stored: str | None = None,
        **rest: Any,
    ) -> Draft:
        """Add a tool's result; an output that was cut, or `stored` elsewhere, becomes a gap."""
        truncated = truncated or stored is not None or was_cut(text)
        result = ToolResult(status, exit_code, truncated, stored)
        draft = self.event("tool", "tool_result", text, result=result, **rest)
        if truncated:
            where = f"; the whole of it was stored at {stored}" if stored else ""
            self.gap("truncated_output", f"the output was cut before it was recorded{where}", draft)
        return draft

    def reasoning(self, text: str, **rest: Any) -> Draft:
        """Add reasoning; an empty text means that it was hidden."""
        return self.event(self.speaker, "reasoning", text, **rest)

    def setting(self, name: str, value: str, meta: dict[str, Any] | None = None) -> None:
        """Add the state of a setting (permissions, sandbox, model) when it is new or has changed."""
        if self._settings.get(name) == value:
            self.skip(f"setting that did not change: {name}")
            return
        self._settings[name] = value
        self.event("harness", "setting", value, meta={"setting": name, **(meta or {})})

    def gap(self, kind: str, detail: str, draft: Draft | None = None) -> None:
        """Say that something is missing, of the record at hand or of an event."""
        self._handled = True
        self._gaps.append(_OpenGap(kind, detail, draft.ref if draft else self._ref, draft))

    def lost_record(self, ref: RecordRef, kind: str, detail: str) -> None:
        """Count a record that cannot be read."""
        self.end_record()
        self._records += 1
        self._ref = ref
        self.gap(kind, detail)

    def drop(self, draft: Draft, why: str) -> None:
        """Take back an event that turned out to repeat another."""
        if not draft.dropped:
            draft.dropped = True
            self._counted[why] = self._counted.get(why, 0) + 1

    # --- the end ---------------------------------------------------------------------------------------------------

    def build(self) -> Session:
        """Return the session; the builder is used up."""
        self.end_record()
        drafts = [draft for draft in self.drafts if not draft.dropped]
        for seq, draft in enumerate(drafts, start=1):
            draft.id = f"E{seq}"
        self._find_missing(drafts)
        started, ended = self._times or (None, None)
        return Session(
            id=self.id,
            agent=self.agent,
            format=self.format,
            events=tuple(_events(drafts)),
            gaps=tuple(
                Gap(gap.kind, gap.detail, gap.ref, gap.draft.id if gap.draft and not gap.draft.dropped else None)
                for gap in self._gaps
            ),
            agent_version=self.agent_version,
            models=tuple(self._models),
            cwd=self.cwd,
            branch=self.branch,
            started=started,
            ended=ended,
            parent_session=self.parent_session,
            records=self._records,
            unknown_records=dict(sorted(self._unknown.items())),
            counted_records=dict(sorted(self._counted.items())),
            files=dict(sorted(self.files.items())),
        )

    def _find_missing(self, drafts: list[Draft]) -> None:
        """Add the gaps that every format can have: calls without results, results without calls, hidden reasoning."""
        self._ref = None
        if self._outputs_cut:
            detail = f"of {self._outputs_cut:,} outputs only the first {_CUT_TEXT:,} characters are kept"
            self.gap("cut_by_reader", f"{detail}: a very large session")
        calls = {draft.call_id: draft for draft in drafts if draft.kind == "tool_call" and draft.call_id}
        results = {draft.call_id for draft in drafts if draft.kind == "tool_result" and draft.call_id}
        for call_id, draft in calls.items():
            if call_id not in results:
                name = draft.call.name if draft.call else "tool"
                self.gap("unpaired_call", f"no result of {name} was recorded", draft)
        for draft in drafts:
            if draft.kind == "tool_result" and draft.call_id and draft.call_id not in calls:
                self.gap("unpaired_result", "the call of this result was not recorded", draft)
        hidden = [draft for draft in drafts if draft.kind == "reasoning" and not draft.text]
        if hidden:
            total = sum(draft.kind == "reasoning" for draft in drafts)
            self.gap("hidden_reasoning", f"{len(hidden)} of {total} reasoning blocks have no readable text", hidden[0])


def _text(raw: object) -> str:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, bytes):
        return raw.decode("utf-8", errors="replace")
    return json.dumps(raw, ensure_ascii=False)


def _events(drafts: list[Draft]) -> list[Event]:
    events: list[Event] = []
    turn = 0
    for seq, draft in enumerate(drafts, start=1):
        if draft.actor == "human" and draft.kind in _OPENS_TURN and draft.agent_id is None:
            turn += 1
        events.append(
            Event(
                id=draft.id,
                seq=seq,
                ref=draft.ref,
                actor=draft.actor,
                kind=draft.kind,
                text=draft.text,
                turn=turn,
                time=draft.time,
                call_id=draft.call_id,
                call=draft.call,
                result=draft.result,
                parent_id=draft.parent.id or None if draft.parent else None,
                branch_id=draft.branch_id,
                agent_id=draft.agent_id,
                meta=draft.meta or _NO_META,
            )
        )
    return events
