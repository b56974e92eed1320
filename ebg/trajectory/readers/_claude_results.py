"""What the tool results of Claude Code mean: outcome, the user's words inside them, changed files (part 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ebg.trajectory.events import ToolStatus
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text

__all__ = ["FileChange", "Outcome", "answers_of", "file_change", "interpret"]

_EXIT = re.compile(r"(?:Error: )?Exit code (\d{1,4})\b")
_REASON = re.compile(r"the user said:\s*\n?(.*)\Z", re.DOTALL)
_PERSISTED = re.compile(r"saved to:?\s*(\S+)")
_ANSWER = re.compile(r"\"((?:[^\"\\]|\\.)*)\"=\"((?:[^\"\\]|\\.)*)\"")
_TIMED_OUT = re.compile(r"\bCommand timed out\b|\btimed out after\b", re.IGNORECASE)
_CANNED = ("The user wants to clarify these questions", "The user has been asked", "(no reason")
"""A reason that begins so was written by the program: the user pressed a key and typed nothing."""


class Outcome(NamedTuple):
    """How a call ended."""

    status: ToolStatus
    exit_code: int | None = None
    stored: str | None = None
    reason: str | None = None
    """What the user said when rejecting; empty for a rejection without words; None when nothing was rejected."""


class FileChange(NamedTuple):
    """A file that a tool changed."""

    path: str
    change: str
    """`create` or `update`."""
    diff: str
    user_modified: bool
    """The person changed the edit before accepting it."""


def interpret(text: str, is_error: object, extra: object) -> Outcome:
    """Return the outcome of a result by its text, its `is_error` and the record's `toolUseResult`."""
    told = extra if isinstance(extra, str) else ""
    detail = as_mapping(extra)
    if text.startswith("The user doesn't want to") or told.startswith(
        ("User rejected", "Error: The user doesn't want to")
    ):
        said = _REASON.search(text)
        reason = said[1].strip() if said else ""
        return Outcome("rejected", reason="" if reason.startswith(_CANNED) else reason)
    stored = _PERSISTED.search(text[:2_000]) if "<persisted-output>" in text else None
    where = stored[1] if stored else None
    if text.startswith("[Request interrupted by user") or detail.get("interrupted") is True:
        return Outcome("cancelled", stored=where)
    code = _EXIT.match(text) if is_error is True else None
    if is_error is True:
        status: ToolStatus = "timeout" if _TIMED_OUT.search(text[:2_000]) else "error"
        return Outcome(status, int(code[1]) if code else None, where)
    return Outcome("error" if text.startswith("<tool_use_error>") else "ok", stored=where)


def answers_of(text: str, extra: object) -> Iterator[tuple[str, str]]:
    """Yield (question, answer) of a question tool's result."""
    answers = as_mapping(extra).get("answers")
    if isinstance(answers, dict) and answers:
        for question, answer in answers.items():
            yield str(question), ", ".join(map(as_text, answer)) if isinstance(answer, list) else as_text(answer)
        return
    for found in _ANSWER.finditer(text):
        yield found[1], found[2]


def file_change(extra: object) -> FileChange | None:
    """Return the change that an edit or write tool reports, if it is one."""
    detail = as_mapping(extra)
    path = detail.get("filePath")
    if not isinstance(path, str) or not ("structuredPatch" in detail or detail.get("type") in ("create", "update")):
        return None
    change = "create" if detail.get("type") == "create" else "update"
    return FileChange(path, change, _diff(as_list(detail.get("structuredPatch"))), detail.get("userModified") is True)


def _diff(hunks: list[Any]) -> str:
    lines: list[str] = []
    for hunk in hunks:
        part: Mapping[str, Any] = as_mapping(hunk)
        places = [part.get(key, 0) for key in ("oldStart", "oldLines", "newStart", "newLines")]
        lines.append("@@ -{},{} +{},{} @@".format(*places))
        lines.extend(as_text(line) for line in as_list(part.get("lines")))
    return "\n".join(lines)
