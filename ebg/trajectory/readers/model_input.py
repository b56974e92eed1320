"""The benchmark's own form: `trace/model_input.json` (part 1.4 of data-metrics)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, cast, get_args

from ebg.errors import TranscriptError
from ebg.trajectory._exchange import INVOCATION_LINE, read_invocation, split_exchange
from ebg.trajectory.events import Actor, EventKind, EventType, RecordRef, Session, TraceEvent
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._json import BrokenJson, parse_json
from ebg.trajectory.readers._registry import Reader
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER", "ModelInput", "load_model_input", "parse_model_input"]

_EVENT_TYPES = get_args(EventType)
_KEYS = {"event_type", "turn_number", "content", "evidence_id", "tool_name"}
_MAX_BYTES = 256 * 1024 * 1024
_MAX_PROBLEMS = 20
_ACTORS: dict[EventType, Actor] = {"system": "injected", "user_prompt": "human", "assistant_response": "model"}


class ModelInput(NamedTuple):
    """The events of one benchmark example."""

    input_id: str
    events: tuple[TraceEvent, ...]


def load_model_input(path: str | Path) -> ModelInput:
    """Read a `model_input.json` file.

    Raises:
        TranscriptError: when the file breaks a rule of the form; the message lists every problem found.
    """
    path = Path(path)
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise TranscriptError(f"{path}: larger than {_MAX_BYTES:,} bytes")
        data = parse_json(path.read_bytes()).value
    except OSError as exc:
        raise TranscriptError(f"{path}: {exc.strerror or exc}") from exc
    except BrokenJson as exc:
        raise TranscriptError(f"{path}: not JSON: {exc}") from exc
    return parse_model_input(data, where=str(path))


def parse_model_input(data: object, *, where: str = "model_input.json") -> ModelInput:
    """Read the JSON value of a `model_input.json`; errors as for `load_model_input`."""
    if not isinstance(data, dict) or set(data) != {"input_id", "events"}:
        raise TranscriptError(f"{where}: must be an object with exactly the keys input_id and events")
    rows = data["events"]
    if not isinstance(data["input_id"], str) or not isinstance(rows, list) or not rows:
        raise TranscriptError(f"{where}: input_id must be text and events a list that is not empty")
    problems: list[str] = []
    events: list[TraceEvent] = []
    seen: set[str] = set()
    turn = 0
    for number, row in enumerate(rows):
        problem = _problem(row, turn, seen)
        if problem:
            problems.append(f"event {number}: {problem}")
            continue
        turn = row["turn_number"]
        if "evidence_id" in row:
            seen.add(row["evidence_id"])
        events.append(
            TraceEvent(
                event_type=cast(EventType, row["event_type"]),
                turn_number=turn,
                content=row["content"],
                evidence_id=row.get("evidence_id"),
                tool_name=row.get("tool_name"),
            )
        )
    if problems:
        more = f"; and {len(problems) - _MAX_PROBLEMS} more" if len(problems) > _MAX_PROBLEMS else ""
        raise TranscriptError(f"{where}: " + "; ".join(problems[:_MAX_PROBLEMS]) + more)
    return ModelInput(data["input_id"], tuple(events))


def _problem(row: object, last_turn: int, seen: set[str]) -> str | None:  # noqa: PLR0911  # one rule a line
    if not isinstance(row, Mapping):
        return "is no object"
    unknown = sorted(set(row) - _KEYS)
    if unknown:
        return f"unknown keys {unknown}"
    if row.get("event_type") not in _EVENT_TYPES:
        return f"event_type {row.get('event_type')!r} is none of {', '.join(_EVENT_TYPES)}"
    turn = row.get("turn_number")
    if not isinstance(turn, int) or isinstance(turn, bool) or turn < last_turn:
        return f"turn_number {turn!r} must be a whole number that never decreases (was {last_turn})"
    if not isinstance(row.get("content"), str):
        return "content must be text"
    for key in ("evidence_id", "tool_name"):
        if key in row and not (isinstance(row[key], str) and row[key]):
            return f"{key} must be text that is not empty"
    if row.get("evidence_id") in seen:
        return f"evidence_id {row['evidence_id']!r} occurs twice"
    if ("tool_name" in row) != (row["event_type"] == "tool_exchange"):
        return "tool_name belongs to tool_exchange, and only to it"
    return None


def _knows(shape: Shape, item: object) -> bool:
    return (
        shape in ("lines", "document")
        and isinstance(item, dict)
        and isinstance(item.get("events"), list)
        and "input_id" in item
    )


def _read(source: Source) -> Iterator[Session]:
    """Yield the one session; its events give back the very same trace."""
    name, events = parse_model_input(source.document().value, where=str(source.path))
    builder = SessionBuilder(format="model-input", agent="unknown", id=name)
    builder.took(source)
    for index, event in enumerate(events):
        builder.record(RecordRef(source.name, pointer=f"/events/{index}"), label=event.event_type)
        _add(builder, event, f"x-{index}")
    yield builder.build()


def _add(builder: SessionBuilder, event: TraceEvent, call_id: str) -> None:
    meta = {"evidence_id": event.evidence_id, "turn_number": event.turn_number}
    if event.event_type == "tool_exchange":
        invocation, output = split_exchange(event.content)
        arguments = read_invocation(invocation.removeprefix(INVOCATION_LINE))
        builder.tool_call(event.tool_name or "tool", dict(arguments), raw=invocation, call_id=call_id, meta=meta)
        if output:
            builder.tool_result(output, "unknown", call_id=call_id, meta={"turn_number": event.turn_number})
        return
    actor = _ACTORS[event.event_type]
    kind: EventKind = "prompt" if actor == "human" else "message"
    builder.event(actor, kind, event.content, meta={**meta, "verbatim": event.event_type})


READER = Reader("model-input", _knows, _read)
