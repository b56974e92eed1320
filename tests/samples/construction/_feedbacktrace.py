"""FeedbackTrace: a session up to the moment in which its user pushes back (specification parts 1.4, 1.7 and 5.3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from construction import _session_tools
from construction._layout import bundle, to_json
from construction._sources import PROVENANCE, Source

RECORDING = "session.json"


def read_session(source: Source) -> dict[str, Any]:
    """Return the session as its author wrote it."""
    return source.table("session.toml")


def calls(session: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the tool calls of a session in order."""
    for turn in session["turns"]:
        yield from turn.get("calls", [])


def record(source: Source) -> list[dict[str, Any]]:
    """Execute the tool calls of a session."""
    session = read_session(source)
    setup = session.get("setup", {})
    files = {**source.files, **setup.get("files", {})}
    return _session_tools.execute(source.name, files, setup.get("commands", []), calls(session))


def make_events(session: Mapping[str, Any], outputs: Sequence[str]) -> list[dict[str, Any]]:
    """Turn messages and calls into events; one message is one turn, its paragraphs and calls are its events."""
    events: list[dict[str, Any]] = []
    remaining = iter(outputs)
    for number, turn in enumerate(session["turns"], start=1):
        if "user" in turn:
            events.append({"event_type": "user_prompt", "turn_number": number, "content": turn["user"].strip()})
        for index, text in enumerate(paragraphs(turn.get("assistant", ""))):
            events.append(_event("assistant_response", number, index, text))
        for index, call in enumerate(turn.get("calls", [])):
            arguments = json.dumps(call["input"], ensure_ascii=False, indent=2)
            text = f"Tool invocation:\n{arguments}\n\nTool result: {call['tool']}\n{next(remaining)}"
            events.append({**_event("tool_exchange", number, index, text), "tool_name": call["tool"]})
    return events


def paragraphs(message: str) -> list[str]:
    """Split a message at blank lines; fenced code stays whole."""
    texts: list[str] = []
    for piece in re.split(r"(^```.*?^```[^\n]*$)", message, flags=re.DOTALL | re.MULTILINE):
        texts += [piece] if piece.startswith("```") else re.split(r"\n\s*\n", piece)
    return [text.strip("\n") for text in texts if text.strip()]


def build(source: Source) -> dict[str, bytes]:
    """Return the files of the FeedbackTrace example of a package."""
    example_id = f"ft_{source.number:03}_long"
    session = read_session(source)
    recording = source.recorded(RECORDING)
    if [{"tool": entry["tool"], "input": entry["input"]} for entry in recording] != list(calls(session)):
        raise ValueError(f"{source.name}: the calls of session.toml are not those that were recorded; record again")
    events = make_events(session, [entry["output"] for entry in recording])
    gold = session["gold"]
    data = {
        "input_id": example_id,
        "benchmark": "feedbacktrace",
        "verdict": "KEY",
        "verification_point": gold["verification_point"],
        "evidence_ids": [find_event(events, quote)["evidence_id"] for quote in gold["evidence"]],
        "criticality": gold["criticality"],
        "feedback_type": gold["feedback_type"],
        "target_user_feedback": gold["target_user_feedback"],
        "provenance": PROVENANCE,
    }
    trace = {"input_id": example_id, "events": events}
    cutoff = len(session["turns"]) + 1
    return bundle("feedbacktrace", example_id, {"trace/model_input.json": to_json(trace)}, data, cutoff_turn=cutoff)


def find_event(events: Sequence[Mapping[str, Any]], quote: str) -> Mapping[str, Any]:
    """Return the one event with an id whose content holds `quote`."""
    holding = [event for event in events if "evidence_id" in event and quote in event["content"]]
    if len(holding) != 1:
        raise ValueError(f"{len(holding)} events hold {quote!r}")
    return holding[0]


def _event(event_type: str, turn: int, index: int, content: str) -> dict[str, Any]:
    return {
        "event_type": event_type,
        "turn_number": turn,
        "content": content,
        "evidence_id": f"e_{turn}_{event_type}_{index}",
    }
