"""Who speaks in a user record of Claude Code: the person, the program, or the model (part 2, table of speakers)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ebg.trajectory.events import Actor, EventKind

__all__ = ["Said", "says"]

_COMMAND = re.compile(r"<command-name>\s*(?P<name>[^<]*?)\s*</command-name>")
_COMMAND_ARGS = re.compile(r"<command-args>\s*(?P<args>.*?)\s*</command-args>", re.DOTALL)
_SHELL = re.compile(r"<bash-input>(?P<line>.*?)</bash-input>", re.DOTALL)
_WHOLE_TAG = re.compile(
    r"\s*<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics|user-memory-input)\b.*</\1>\s*\Z", re.DOTALL
)


class Said(NamedTuple):
    """Who says it, and what kind of event it is."""

    actor: Actor
    kind: EventKind
    meta: dict[str, Any] | None = None


_PREFIXES: tuple[tuple[tuple[str, ...], Said], ...] = (
    (("[Request interrupted by user",), Said("human", "interrupt")),
    (("<task-notification>",), Said("harness", "message", {"type": "task-notification"})),
    (
        ("<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>"),
        Said("harness", "message", {"type": "command-output"}),
    ),
    (("<local-command-caveat>", "Caveat: The messages below"), Said("injected", "message")),
    (("Operation stopped by hook",), Said("harness", "hook")),
    (("This session is being continued from a previous conversation",), Said("model", "summary")),
)


def says(text: str, record: Mapping[str, Any], *, subagent: bool) -> Said:  # noqa: PLR0911  # one rule a line
    """Return who says the text of a user record.

    Only a record without any mark of injection counts as the person: consent must not be forged by text.
    """
    start = text.lstrip()
    if record.get("isCompactSummary") is True:
        return Said("model", "summary")
    if record.get("isMeta") is True:
        return Said("injected", "hook") if "hook feedback" in start[:40].lower() else Said("injected", "message")
    for prefixes, said in _PREFIXES:
        if start.startswith(prefixes):
            return said
    if subagent:
        return Said("model", "prompt")
    if _WHOLE_TAG.match(text):
        return Said("injected", "message")
    if isinstance(record.get("planContent"), str) or start.startswith("Implement the following plan:\n"):
        return Said("human", "prompt", {"approves_plan": True, "written_by": "agent"})
    if start.startswith("<bash-input>"):
        line = _SHELL.search(text)
        return Said("human", "prompt", {"shell": line["line"].strip() if line else None})
    if start.startswith(("<command-name>", "<command-message>")):
        name, args = _COMMAND.search(text), _COMMAND_ARGS.search(text)
        command = " ".join(part for part in (name["name"] if name else "", args["args"] if args else "") if part)
        return Said("human", "prompt", {"command": command or None})
    return Said("human", "prompt")
