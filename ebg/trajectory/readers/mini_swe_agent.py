"""mini-swe-agent trajectories (part 8 of transcripts.md): chat messages where the user role is the environment.

Only the first user message is the person's; later ones are observations. Actions stand in a fenced block of the text,
or are tool calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ebg.errors import TranscriptError
from ebg.trajectory.events import RecordRef, Session, ToolStatus
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, iso_time, read_content
from ebg.trajectory.readers._registry import Reader, Record, elements
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER"]

_ACTION = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"\s*<returncode>(-?\d+)</returncode>")


def _knows(shape: Shape, item: object) -> bool:
    if shape != "document":
        return False
    if isinstance(item, dict):
        return as_text(item.get("trajectory_format")).startswith("mini-swe-agent")
    messages = [as_mapping(entry) for entry in as_list(item)]
    texts = [read_content(entry.get("content")).text for entry in messages if "role" in entry]
    return any("```mswea_bash_command" in text for text in texts) or (
        any(_CODE.match(text) for text in texts) and any(_ACTION.search(text) for text in texts)
    )


def _read(source: Source) -> Iterator[Session]:
    value = source.document().value
    document: Mapping[str, Any] = value if isinstance(value, dict) else {"messages": value}
    if not isinstance(document.get("messages"), list):
        raise TranscriptError(f"{source.path}: a mini-swe-agent trajectory has a list of messages")
    info = as_mapping(document.get("info"))
    config = as_mapping(info.get("config"))
    name = source.path.name.removesuffix(".json").removesuffix(".traj")
    builder = SessionBuilder(format="mini-swe-agent", agent="mini-swe-agent", id=name)
    builder.took(source)
    builder.agent_version = as_text(info.get("mini_version")) or None
    builder.model(as_mapping(config.get("model")).get("model_name"))
    builder.cwd = as_text(as_mapping(config.get("environment")).get("cwd")) or None
    chat = _Chat(builder)
    pointer = "/messages" if isinstance(value, dict) else ""
    for record in elements(document["messages"], source.name, pointer):
        chat.add(record)
    if info:
        builder.record(RecordRef(source.name, pointer="/info"), label="info", raw=dict(info))
        builder.event("harness", "message", as_text(info.get("exit_status")), meta={"type": "exit_status"})
        if submission := as_text(info.get("submission")):
            builder.event("harness", "checkpoint", submission, pointer="/submission", meta={"type": "submission"})
    yield builder.build()


READER = Reader("mini-swe-agent", _knows, _read)


class _Chat:
    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder
        self._asked = False
        self._open: list[str] = []
        self._steps = 0

    def add(self, record: Record) -> None:
        """Add one message."""
        builder, value = self.builder, record.value
        role, extra = value.get("role"), as_mapping(value.get("extra"))
        builder.record(
            record.ref, label=f"message/{as_text(role)}", raw=record.raw, time=iso_time(extra.get("timestamp"))
        )
        text = read_content(value.get("content")).text
        if role == "system":
            builder.event("injected", "message", text)
        elif role == "user" and not self._asked:
            self._asked = True
            builder.event("human", "prompt", text)
        elif role == "assistant":
            self._assistant(text, value, extra)
        elif role in ("user", "tool", "exit"):
            self._observation(text, value, extra)

    def _assistant(self, text: str, value: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        builder = self.builder
        self._open = []
        if reasoning := as_text(value.get("reasoning_content") or value.get("reasoning")):
            builder.reasoning(reasoning, pointer="/reasoning_content")
        if text.strip():
            builder.event("model", "message", text, pointer="/content")
        calls = as_list(value.get("tool_calls"))
        for index, item in enumerate(calls):
            function = as_mapping(as_mapping(item).get("function"))
            call_id = as_text(as_mapping(item).get("id")) or self._next()
            self._open.append(call_id)
            name = as_text(function.get("name")) or "bash"
            builder.tool_call(name, function.get("arguments"), call_id=call_id, pointer=f"/tool_calls/{index}")
        if not calls:
            actions = [as_text(as_mapping(item).get("command")) for item in as_list(extra.get("actions"))]
            for command in actions or _ACTION.findall(text):
                self._open.append(self._next())
                builder.tool_call("bash", {"command": command}, call_id=self._open[-1], pointer="/content")
        if not text.strip() and not self._open:
            builder.skip("empty message")

    def _next(self) -> str:
        self._steps += 1
        return f"step-{self._steps}"

    def _observation(self, text: str, value: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        builder = self.builder
        told = extra.get("returncode")
        written = _CODE.match(text)
        code = told if isinstance(told, int) else int(written[1]) if written else None
        call_id = as_text(value.get("tool_call_id")) or None
        if call_id is None and self._open and (code is not None or text.strip()):
            call_id = self._open[0]
        if call_id in self._open:
            self._open.remove(call_id or "")
        if call_id is not None:
            status: ToolStatus = "unknown" if code is None else "ok" if code == 0 else "error"
            builder.tool_result(text, status, exit_code=code, call_id=call_id)
        elif status_text := as_text(extra.get("exit_status")):
            builder.event("harness", "message", text or status_text, meta={"type": "exit_status"})
        elif text.strip():
            builder.event("harness", "message", text)
        else:
            builder.skip("empty message")
