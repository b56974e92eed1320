"""SWE-agent trajectories: steps of thought, action and observation, with the history (part 8 of transcripts.md).

Steps are what happened; the history repeats them as messages, behind the task and demonstrations that did not happen.
Nothing is recorded about exit codes, so the outcome of a step is unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ebg.errors import TranscriptError
from ebg.trajectory.events import RecordRef, Session
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, read_content
from ebg.trajectory.readers._registry import Reader, Record, elements
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER"]

_TOOLS = re.compile(
    r"^(open|goto|scroll_(?:up|down)|create|edit|submit|search_dir|search_file|find_file|str_replace_editor|view|insert"
    r"|undo_edit|exit_forfeit|filemap)\b"
)
_MARKS = {"action", "thought", "agent", "message_type", "is_demo"}


def _knows(shape: Shape, item: object) -> bool:
    if shape != "document" or not isinstance(item, dict) or not isinstance(item.get("history"), list):
        return False
    if isinstance(item.get("trajectory"), list):
        return True
    history = [as_mapping(entry) for entry in item["history"]]
    return any("role" in entry and entry.keys() & _MARKS for entry in history)


def _read(source: Source) -> Iterator[Session]:
    document = source.document().value
    if not isinstance(document, dict):
        raise TranscriptError(f"{source.path}: a SWE-agent trajectory is one JSON object")
    builder = SessionBuilder(format="swe-agent", agent="swe-agent", id=source.path.name.removesuffix(".traj"))
    builder.took(source)
    history = list(elements(as_list(document.get("history")), source.name, "/history"))
    steps = list(elements(as_list(document.get("trajectory")), source.name, "/trajectory"))
    acted = Counter(as_text(step.value.get("action")).strip() for step in steps)
    calls = [as_list(entry.value.get("tool_calls")) for entry in history if _is_action(entry)]
    told = _Told(builder)
    for entry in history:
        told.history(entry, acted if steps else None)
    for number, step in enumerate(steps):
        told.step(step, calls[number] if len(calls) == len(steps) else [])
    told.info(as_mapping(document.get("info")), source.name)
    yield builder.build()


READER = Reader("swe-agent", _knows, _read)


def _is_action(entry: Record) -> bool:
    return entry.value.get("role") == "assistant" and entry.value.get("is_demo") is not True


class _Told:
    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder
        self._asked = False
        self._open: str | None = None
        self._calls = 0

    def history(self, entry: Record, acted: Counter[str] | None) -> None:
        """Add a message; with steps, only what they do not tell."""
        builder, value = self.builder, entry.value
        role, text = value.get("role"), read_content(value.get("content")).text
        builder.record(entry.ref, label=f"history/{as_text(role)}", raw=entry.raw)
        if value.get("is_demo") is True:
            builder.event("injected", "message", text, meta={"demonstration": True, "role": role})
        elif role == "system":
            builder.event("injected", "message", text)
        elif role == "user" and not self._asked:
            self._asked = True
            builder.event("human", "prompt", text)
        elif acted is None:
            self._alone(role, text, value)
        elif role == "assistant" and acted[as_text(value.get("action")).strip()] <= 0:
            builder.event("model", "message", text)
        elif role in ("assistant", "user", "tool"):
            acted[as_text(value.get("action")).strip()] -= role == "assistant"
            builder.skip("repeat of a step")

    def _alone(self, role: object, text: str, value: Mapping[str, Any]) -> None:
        if role == "assistant":
            self._act(
                as_text(value.get("thought")) or text, as_text(value.get("action")), as_list(value.get("tool_calls"))
            )
        elif role in ("user", "tool"):
            ids = as_list(value.get("tool_call_ids"))
            self._observe(text, as_text(ids[0]) if ids else None)

    def step(self, step: Record, calls: list[Any]) -> None:
        """Add a step."""
        value = step.value
        self.builder.record(step.ref, label="step", raw=step.raw)
        thought, action = as_text(value.get("thought")), as_text(value.get("action"))
        self._act(thought or as_text(value.get("response")), action, calls)
        self._observe(as_text(value.get("observation")), None)

    def _act(self, thought: str, action: str, calls: list[Any]) -> None:
        builder = self.builder
        if thought.strip():
            builder.event("model", "message", thought, pointer="/thought")
        if not action.strip():
            self._open = None
            return
        self._calls += 1
        self._open = f"step-{self._calls}"
        call = as_mapping(calls[0]) if len(calls) == 1 else {}
        function = as_mapping(call.get("function"))
        meta = {"action": action}
        if function:
            self._open = as_text(call.get("id")) or self._open
            name = as_text(function.get("name")) or "bash"
            builder.tool_call(name, function.get("arguments"), call_id=self._open, pointer="/action", meta=meta)
            return
        tool = _TOOLS.match(action)
        arguments = {"command": action.strip()}
        builder.tool_call(tool[1] if tool else "bash", arguments, call_id=self._open, pointer="/action")

    def _observe(self, text: str, call_id: str | None) -> None:
        if self._open is None and call_id is None:
            if text.strip():
                self.builder.event("harness", "message", text, pointer="/observation")
            return
        self.builder.tool_result(text, "unknown", call_id=call_id or self._open, pointer="/observation")
        self._open = None

    def info(self, info: Mapping[str, Any], file: str) -> None:
        """Add how the run ended and what it handed in."""
        if not info:
            return
        builder = self.builder
        builder.record(RecordRef(file, pointer="/info"), label="info", raw=dict(info))
        builder.event("harness", "message", as_text(info.get("exit_status")), meta={"type": "exit_status"})
        builder.agent_version = as_text(info.get("swe_agent_version")) or None
        if submission := as_text(info.get("submission")):
            builder.event("harness", "checkpoint", submission, pointer="/submission", meta={"type": "submission"})
