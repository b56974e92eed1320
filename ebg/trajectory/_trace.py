"""From a session of any agent to events in the benchmark's form (data-metrics parts 1.4 and 5.3).

Everything a person said becomes a `user_prompt`: prompts, queued messages, answers to questions, the reasons inside
rejected calls, edited plans. The model's text is split into paragraphs and fenced blocks, calls and results are
paired by id into one `tool_exchange` at the place of the call. Reasoning, summaries and injected text are no events.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping

from ebg.trajectory._exchange import compose_exchange
from ebg.trajectory.events import Event, EventType, Session, TraceEvent

__all__ = ["paragraphs", "trace_events"]

_SPOKEN = {"prompt", "queued_prompt", "answer", "rejection", "approval", "plan"}
_REPLIES = {"answer", "rejection", "approval", "plan"}
_WRITTEN = {"message", "plan", "todo"}
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")


def trace_events(session: Session, *, system: bool = False) -> tuple[TraceEvent, ...]:
    """Return the session as events in the benchmark's form.

    Args:
        session: a session of any format. One read from `model_input.json` gives back its events unchanged.
        system: also give what the program injected (instructions, environment) as `system` events.

    Returns:
        Events in order, each with the ids of the session events it was made from. Ids are
        `e_<turn>_<event_type>_<n>`, n from 0 inside turn and type.
    """
    results = _results(session.events)
    paired = {event.id for found in results.values() for event in found}
    numbers: dict[tuple[int, EventType], int] = {}
    traced: list[TraceEvent] = []
    for event in session.events:
        for kind, content, tool, sources in _units(event, results, paired, system=system):
            own = event.meta.get("evidence_id")
            turn = event.meta.get("turn_number", event.turn)
            evidence_id = own if isinstance(own, str) else None
            if (
                evidence_id is None
                and "turn_number" not in event.meta
                and kind in ("assistant_response", "tool_exchange")
            ):
                number = numbers.get((turn, kind), 0)
                numbers[turn, kind] = number + 1
                evidence_id = f"e_{turn}_{kind}_{number}"
            reply = kind == "user_prompt" and event.kind in _REPLIES
            traced.append(TraceEvent(kind, turn, content, evidence_id, tool, sources, reply))
    return tuple(traced)


_Unit = tuple[EventType, str, str | None, tuple[str, ...]]


def _units(event: Event, results: Mapping[str, list[Event]], paired: set[str], *, system: bool) -> Iterator[_Unit]:
    if "verbatim" in event.meta:
        yield event.meta["verbatim"], event.text, None, (event.id,)
    elif event.kind == "tool_call":
        found = results.get(event.id, [])
        yield (
            "tool_exchange",
            _exchange(event, found),
            event.call.name if event.call else "tool",
            (event.id, *(r.id for r in found)),
        )
    elif event.kind == "tool_result":
        if event.id not in paired:
            yield "tool_exchange", compose_exchange("unknown", "{}", event.text), "unknown", (event.id,)
    elif event.kind == "file_change" and not event.meta.get("of"):
        change = {key: event.meta[key] for key in ("path", "change") if key in event.meta}
        yield "tool_exchange", compose_exchange("file_change", _json(change), event.text), "file_change", (event.id,)
    elif event.actor == "human":
        if event.kind in _SPOKEN and event.text.strip() and not event.meta.get("taken_back"):
            yield "user_prompt", event.text, None, (event.id,)
    elif event.actor in ("model", "subagent"):
        if event.kind in _WRITTEN:
            for start, end in paragraphs(event.text):
                yield "assistant_response", event.text[start:end], None, (event.id,)
    elif event.actor == "injected" and system and event.text.strip():
        yield "system", event.text, None, (event.id,)


def _results(events: tuple[Event, ...]) -> dict[str, list[Event]]:
    """Return the results of each call by the call's event id: by call id, or in order when there are no ids."""
    calls: dict[tuple[str, str | None], Event] = {}
    nameless: deque[Event] = deque()
    results: dict[str, list[Event]] = {}
    late: list[Event] = []
    for event in events:
        if event.kind == "tool_call":
            if event.call_id is None:
                nameless.append(event)
            else:
                calls.setdefault((event.call_id, event.agent_id), event)
                results.setdefault(event.id, [])
        elif event.kind == "tool_result":
            if event.call_id is not None:
                late.append(event)
            elif nameless:
                results[nameless.popleft().id] = [event]
    for event in late:
        call = calls.get((event.call_id or "", event.agent_id)) or calls.get((event.call_id or "", None))
        if call is not None:
            results[call.id].append(event)
    return results


def _exchange(event: Event, results: list[Event]) -> str:
    call = event.call
    if call is None:
        return compose_exchange("tool", "{}", results[0].text if results else None)
    if "evidence_id" in event.meta or "turn_number" in event.meta:  # read from the benchmark's own form: verbatim
        return (call.raw or "") + "".join(result.text for result in results)
    arguments = call.arguments or ({"input": call.raw} if call.raw else {})
    output = "\n".join(result.text for result in results) if results else None
    return compose_exchange(call.name, _json(arguments), output)


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the character ranges of paragraphs and of whole fenced blocks, in order; blank lines are between them."""
    start: int | None = None
    end = place = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        stop = place + len(line.rstrip())
        mark = _FENCE.match(line)
        if fence:
            end = max(end, stop)
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                yield start or 0, end
                start, fence = None, ""
        elif mark:
            if start is not None:
                yield start, end
            start, end, fence = place, stop, mark[1]
        elif not line.strip():
            if start is not None:
                yield start, end
            start = None
        else:
            start = place if start is None else start
            end = stop
        place += len(line)
    if start is not None and end > start:
        yield start, end
