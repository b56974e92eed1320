"""Write a session in another form: ATIF, a chat list, or the benchmark's own events.

Only ATIF and chat lists lose anything: they have no place for gaps, hooks, settings and withdrawn branches.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

from ebg.errors import UsageError
from ebg.trajectory._trace import trace_events
from ebg.trajectory.events import Event, Session

__all__ = ["FORMS", "Form", "convert"]

Form = Literal["atif", "chat", "ebg"]
FORMS: tuple[Form, ...] = ("atif", "chat", "ebg")
_ATIF_VERSION = "ATIF-v1.7"
_SPOKEN = {"prompt", "queued_prompt", "answer", "rejection", "approval", "plan"}

Json = dict[str, object]


def convert(session: Session, to: Form) -> Json:
    """Return the session as JSON values of another form.

    Args:
        session: a session.
        to: `atif` for an ATIF trajectory, `chat` for OpenAI chat messages, `ebg` for `model_input.json`.
    """
    if to == "ebg":
        return _model_input(session)
    if to == "chat":
        return {"id": session.id, "messages": list(_messages(session))}
    if to == "atif":
        return _atif(session)
    raise UsageError(f"unknown form {to!r}; it is one of {', '.join(FORMS)}")


def _model_input(session: Session) -> Json:
    rows: list[Json] = []
    for event in trace_events(session):
        row: Json = {"event_type": event.event_type, "turn_number": event.turn_number, "content": event.content}
        if event.evidence_id is not None:
            row["evidence_id"] = event.evidence_id
        if event.tool_name is not None:
            row["tool_name"] = event.tool_name
        rows.append(row)
    return {"input_id": session.id, "events": rows}


def _is_said(event: Event) -> bool:
    return event.actor == "human" and event.kind in _SPOKEN and bool(event.text.strip())


def _is_main(event: Event) -> bool:
    return event.agent_id is None


def _messages(session: Session) -> Iterator[Json]:
    for event in filter(_is_main, session.events):
        if _is_said(event):
            yield {"role": "user", "content": event.text}
        elif event.kind == "tool_call" and event.call is not None:
            function = {"name": event.call.name, "arguments": _arguments_text(event)}
            call = {"id": event.call_id or event.id, "type": "function", "function": function}
            yield {"role": "assistant", "content": None, "tool_calls": [call]}
        elif event.kind == "tool_result":
            yield {"role": "tool", "tool_call_id": event.call_id or event.id, "content": event.text}
        elif event.actor == "model" and event.kind in ("message", "plan"):
            yield {"role": "assistant", "content": event.text}
        elif event.actor == "injected" and event.kind == "message":
            yield {"role": "system", "content": event.text}


def _arguments_text(event: Event) -> str:
    call = event.call
    if call is None:
        return "{}"
    if call.arguments or call.raw is None:
        return json.dumps(call.arguments, ensure_ascii=False)
    return json.dumps({"input": call.raw}, ensure_ascii=False)


def _atif(session: Session) -> Json:
    inner: dict[str, list[Event]] = {}
    for event in session.events:
        if event.agent_id is not None:
            inner.setdefault(event.agent_id, []).append(event)
    agent: Json = {"name": session.agent, "version": session.agent_version or "unknown"}
    if session.models:
        agent["model_name"] = session.models[0]
    document: Json = {
        "schema_version": _ATIF_VERSION,
        "session_id": session.id or "session",
        "agent": agent,
        "steps": _steps(list(filter(_is_main, session.events))),
    }
    if inner:
        document["subagent_trajectories"] = [
            {
                "schema_version": _ATIF_VERSION,
                "session_id": session.id,
                "trajectory_id": name,
                "agent": agent,
                "steps": _steps(events),
            }
            for name, events in inner.items()
        ]
    return document


def _steps(events: list[Event]) -> list[Json]:
    """Return ATIF steps: a result goes into the step of its call, reasoning into the step that follows it."""
    steps: list[Json] = []
    step_of: dict[str, Json] = {}
    thought = ""
    for event in events:
        step: Json = {"step_id": len(steps) + 1}
        if event.time:
            step["timestamp"] = event.time
        if event.kind == "reasoning":
            thought = "\n".join(part for part in (thought, event.text) if part)
            continue
        if event.kind == "tool_result":
            _add_result(event, step_of, steps, step)
            continue
        if _is_said(event) or (event.kind == "prompt" and event.actor == "model"):
            step |= {"source": "user", "message": event.text}
        elif event.actor == "injected" and event.kind == "message":
            step |= {"source": "system", "message": event.text}
        elif event.kind == "tool_call" and event.call is not None:
            call_id = event.call_id or event.id
            arguments = event.call.arguments or ({"input": event.call.raw} if event.call.raw else {})
            call = {"tool_call_id": call_id, "function_name": event.call.name, "arguments": arguments}
            step |= {"source": "agent", "message": "", "tool_calls": [call]}
            step_of[call_id] = step
        elif event.actor in ("model", "subagent") and event.kind in ("message", "plan", "todo"):
            step |= {"source": "agent", "message": event.text}
        else:
            continue
        if thought and step["source"] == "agent":
            step["reasoning_content"] = thought
            thought = ""
        steps.append(step)
    return steps


def _add_result(event: Event, step_of: dict[str, Json], steps: list[Json], fresh: Json) -> None:
    result: Json = {"source_call_id": event.call_id, "content": event.text}
    if event.result is not None:
        result["extra"] = {"status": event.result.status, "exit_code": event.result.exit_code}
    step = step_of.get(event.call_id or "")
    if step is None:  # a result without its call still stands where it was recorded
        steps.append({**fresh, "source": "agent", "message": "", "observation": {"results": [result]}})
        return
    observation = step.setdefault("observation", {"results": []})
    assert isinstance(observation, dict)
    observation["results"].append(result)
