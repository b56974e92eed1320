"""What tool outputs of Codex mean: header lines, JSON with metadata, plain refusals (part 3, outputs)."""

from __future__ import annotations

import re
from typing import NamedTuple

from ebg.trajectory.events import ToolStatus
from ebg.trajectory.readers._contents import as_mapping, as_text, read_content
from ebg.trajectory.readers._json import BrokenJson, parse_json

__all__ = ["Output", "read_output"]

_EXITED = re.compile(r"^Process exited with code (-?\d+)", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\d+)", re.MULTILINE)
_HEADER_END = re.compile(r"^Output:\r?\n", re.MULTILINE)
_REFUSED = re.compile(r"\b(?:rejected|denied) by (?:the )?user\b|\buser (?:rejected|denied)\b", re.IGNORECASE)
_STOPPED = re.compile(r"^(?:aborted|interrupted|cancelled)(?: by user)?\b", re.IGNORECASE)
_FAILED = re.compile(
    r"^(?:error\b|[\w .-]{1,40} (?:verification )?failed\b|failed to\b|execution error|unsupported call)", re.IGNORECASE
)
_TIMED_OUT = re.compile(r"\bcommand timed out\b|\btimed out after\b", re.IGNORECASE)
_HEAD = 600
_TIMEOUT_CODE = 124


class Output(NamedTuple):
    """A tool's output as the model saw it."""

    text: str
    status: ToolStatus
    exit_code: int | None = None
    running: str | None = None
    """Number of the session that still runs; `write_stdin` goes on with it."""


def read_output(value: object) -> Output:
    """Return the text and outcome of a `function_call_output` or `custom_tool_call_output`."""
    if isinstance(value, dict) and "content" in value:
        text = read_content(value["content"]).text
        failed = value.get("success") is False
        return Output(text, "error") if failed else _read_text(text)
    return _read_text(read_content(value).text)


def _read_text(text: str) -> Output:
    if text.startswith("{"):
        try:
            detail = as_mapping(parse_json(text).value)
        except BrokenJson:
            detail = {}
        code = as_mapping(detail.get("metadata")).get("exit_code")
        if "output" in detail:
            return _by_code(as_text(detail["output"]), code if isinstance(code, int) else None)
    end = _HEADER_END.search(text, 0, _HEAD)
    head = text[: end.start()] if end else ""
    exited, running = _EXITED.search(head), _RUNNING.search(head)
    if running:
        return Output(text, "unknown", running=running[1])
    return _by_code(text, int(exited[1]) if exited else None)


def _by_code(text: str, code: int | None) -> Output:
    if code is not None:
        timed_out = code == _TIMEOUT_CODE or (code != 0 and _TIMED_OUT.search(text[:_HEAD]) is not None)
        return Output(text, "ok" if code == 0 else "timeout" if timed_out else "error", code)
    head = text[:_HEAD]
    if _REFUSED.search(head):
        return Output(text, "rejected")
    if _STOPPED.search(head):
        return Output(text, "cancelled")
    return Output(text, "error" if _FAILED.search(head) else "ok")
