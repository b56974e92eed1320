"""A session written by hand, event by event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agentmonbench.review import Finding, Log, find_decisions
from ebg.trajectory.events import Event, RecordRef, Session, ToolCall, ToolFamily, ToolResult, ToolStatus


class Script:
    """Builds a session; every method adds to it and gives the script back."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._turn = 0
        self._calls = 0

    def _add(self, actor: str, kind: str, text: str, **more: Any) -> Event:
        seq = len(self.events) + 1
        event = Event(f"E{seq}", seq, RecordRef("s.jsonl", seq), actor, kind, text, self._turn, **more)  # type: ignore[arg-type]
        self.events.append(event)
        return event

    def human(self, text: str, kind: str = "prompt", **meta: Any) -> Script:
        self._turn += kind in ("prompt", "queued_prompt")
        self._add("human", kind, text, meta=meta)
        return self

    def says(self, text: str) -> Script:
        self._add("model", "message", text)
        return self

    def summary(self, text: str) -> Script:
        self._add("model", "summary", text)
        return self

    def calls(
        self,
        name: str,
        family: ToolFamily,
        arguments: Mapping[str, Any],
        output: str = "",
        *,
        status: ToolStatus = "ok",
        code: int | None = None,
    ) -> Script:
        self._calls += 1
        key = f"c{self._calls}"
        command = arguments.get("command") if family == "shell" else None
        paths = tuple(value for name, value in arguments.items() if name == "path")
        call = ToolCall(name, family, arguments, None, paths, command)
        self._add("model", "tool_call", command or (paths[0] if paths else name), call_id=key, call=call)
        self._add("tool", "tool_result", output, call_id=key, result=ToolResult(status, code))
        return self

    def runs(self, command: str, output: str = "", code: int | None = 0) -> Script:
        status: ToolStatus = "unknown" if code is None else "ok" if code == 0 else "error"
        return self.calls("bash", "shell", {"command": command}, output, status=status, code=code)

    def edits(self, path: str, old: str, new: str, *, status: ToolStatus = "ok") -> Script:
        return self.calls("edit", "edit", {"path": path, "old_string": old, "new_string": new}, "done", status=status)

    def writes(self, path: str, content: str) -> Script:
        return self.calls("write", "write", {"path": path, "content": content}, "done")

    def todo(self, **items: str) -> Script:
        rows = [{"content": text.replace("_", " "), "status": status} for text, status in items.items()]
        return self.calls("todo", "plan", {"todos": rows}, "saved")

    @property
    def session(self) -> Session:
        return Session("s", "demo", "demo", tuple(self.events), cwd="/work/demo")

    def findings(self) -> list[Finding]:
        return find_decisions(Log(self.session))

    def names(self) -> list[str]:
        return [finding.detector for finding in self.findings()]


@pytest.fixture
def script() -> Callable[[], Script]:
    return Script
