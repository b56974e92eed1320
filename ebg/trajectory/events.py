"""The neutral event model: what every transcript reader produces (specification transcripts.md, part 1).

A `Session` is one agent session in file order. Each `Event` leads back to its record by `ref`. Nothing that was lost is
silent: it is a `Gap`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "Actor",
    "Event",
    "EventKind",
    "EventType",
    "Gap",
    "RecordRef",
    "Session",
    "ToolCall",
    "ToolFamily",
    "ToolResult",
    "ToolStatus",
    "TraceEvent",
]

Actor = Literal["human", "injected", "model", "tool", "harness", "subagent"]
EventKind = Literal[
    "prompt",
    "queued_prompt",
    "answer",
    "approval",
    "rejection",
    "interrupt",
    "plan",
    "message",
    "reasoning",
    "tool_call",
    "tool_result",
    "file_change",
    "todo",
    "question",
    "compaction",
    "summary",
    "error",
    "hook",
    "checkpoint",
    "setting",
    "usage",
    "unknown",
]
"""`prompt`, `queued_prompt`, `answer`, `approval`, `rejection` and `interrupt` of a `human` are what a person did; the
first two begin a turn. `setting` is the state of permissions, sandbox or model at that moment."""
ToolFamily = Literal["read", "search", "edit", "write", "shell", "web", "mcp", "agent", "plan", "ask", "other"]
ToolStatus = Literal["ok", "error", "rejected", "cancelled", "timeout", "unknown"]
EventType = Literal["system", "user_prompt", "assistant_response", "tool_exchange"]


@dataclass(frozen=True, slots=True)
class RecordRef:
    """Where a record stands in the transcript, so that a person can be led to it."""

    file: str
    """Path relative to the transcript's folder; inside an archive `archive.eval!member.json`."""
    line: int | None = None
    """1-based line of a JSONL or text file, None inside a single JSON document."""
    pointer: str = ""
    """JSON pointer inside the line or document; empty means the whole of it."""
    byte_start: int = 0
    byte_end: int = 0
    """Half-open byte range of the line or document in the file; 0, 0 when not known."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the agent asked a tool to do."""

    name: str
    family: ToolFamily
    arguments: Mapping[str, Any]
    """Parsed arguments; empty when they could not be parsed (see `raw`)."""
    raw: str | None = None
    """The arguments as written, when they are text or could not be parsed."""
    paths: tuple[str, ...] = ()
    """Files that the call names, as written."""
    command: str | None = None
    """The shell command line, for shell tools."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came back."""

    status: ToolStatus
    exit_code: int | None = None
    """None when the record does not tell."""
    truncated: bool = False
    pointer: str | None = None
    """Where the full output was stored, when it was moved out of the record."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, in the order of the file."""

    id: str
    """Short id shown to people and monitors: `E1`, `E2`, ... in `seq` order."""
    seq: int
    ref: RecordRef
    actor: Actor
    kind: EventKind
    text: str
    """The words as recorded, control characters included. Of a tool_call only a line to recognise it: see `call`."""
    turn: int
    """Number of human prompts up to and including this event; 0 before the first."""
    time: str | None = None
    """ISO 8601 as written in the record."""
    call_id: str | None = None
    """Pairs a tool_call with its tool_result."""
    call: ToolCall | None = None
    result: ToolResult | None = None
    parent_id: str | None = None
    """Id of the tool_call that started the subagent, for the events of a subagent."""
    branch_id: str | None = None
    """None on the live branch; otherwise names a withdrawn branch (edited prompt, rewind, rollback)."""
    agent_id: str | None = None
    """None for the main agent; otherwise the subagent."""
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that is missing from the record: cut output, hidden reasoning, a lost file, a broken line."""

    kind: str
    """`truncated_output`, `hidden_reasoning`, `missing_subagent`, `broken_line`, `unpaired_call`..."""
    detail: str
    ref: RecordRef | None = None
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One agent session."""

    id: str
    agent: str
    """`claude-code`, `codex`, `gemini-cli`, `swe-agent`, ...: found by content, never by a label."""
    format: str
    """Name of the reader that read it."""
    events: tuple[Event, ...]
    gaps: tuple[Gap, ...] = ()
    agent_version: str | None = None
    models: tuple[str, ...] = ()
    cwd: str | None = None
    branch: str | None = None
    started: str | None = None
    ended: str | None = None
    parent_session: str | None = None
    records: int = 0
    """Records read from the file, of every kind."""
    unknown_records: Mapping[str, int] = field(default_factory=dict)
    """Record types that the reader does not know, with their counts; they are kept as `unknown` events."""
    counted_records: Mapping[str, int] = field(default_factory=dict)
    """Records that made no event of their own, by why: the repeat of another record, progress, bookkeeping."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files that were read, by path as in `RecordRef.file`, with the SHA-256 of what was read."""


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One event in the form of the benchmark's `trace/model_input.json` (specification data-metrics.md, part 1.4)."""

    event_type: EventType
    turn_number: int
    content: str
    evidence_id: str | None = None
    """The id that a monitor may cite; None for prompts and system text."""
    tool_name: str | None = None
    """Set on, and only on, `tool_exchange`."""
    sources: tuple[str, ...] = ()
    """Ids of the session events it was made from; empty when read from `model_input.json`."""
    reply: bool = False
    """A user message that answers the agent: to its question, or with a refusal. No part of `model_input.json`."""
