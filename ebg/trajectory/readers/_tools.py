"""What tools of all agents have in common: families by name, the files and the command that a call names."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ebg.trajectory.events import ToolCall, ToolFamily
from ebg.trajectory.readers._json import BrokenJson, parse_json

__all__ = ["make_call", "parse_arguments", "patched_files", "tool_family", "was_cut"]

_NAMES: dict[ToolFamily, str] = {
    "mcp": "call_tool_mcp",
    "ask": "askuserquestion ask_user ask_followup_question request_user_input followup clarify",
    "plan": """todowrite todoread taskcreate taskupdate tasklist taskget update_plan exitplanmode exit_plan_mode
        enterplanmode enter_plan_mode task_tracking task_tracker write_todos plan""",
    "agent": "task agent delegate spawn_agent subagent invoke_agent codebase_investigator",
    "web": "webfetch websearch web_fetch web_search google_web_search browse browse_interactive browser fetch open_url",
    "search": """grep glob ls rg search search_file_content find_file search_dir search_file list_directory list_files
        tool_search toolsearch""",
    "edit": """edit multiedit notebookedit apply_patch str_replace_editor str_replace_based_edit_tool str_replace
        replace insert undo_edit search_replace file_edit file_editor patch edit_file file_change""",
    "write": "write write_file create create_file save_file write_text",
    "read": """read read_file read_many_files open view view_image cat goto scroll_up scroll_down notebookread file_read
        read_text""",
    "shell": """bash shell shell_command local_shell exec_command write_stdin run_shell_command run_command run exec
        execute_bash terminal container.exec bashoutput killshell killbash execute python run_ipython ipython
        execute_ipython_cell command_execution powershell""",
}
_FAMILY: dict[str, ToolFamily] = {name: family for family, names in _NAMES.items() for name in names.split()}
_FAMILY_WORDS: tuple[tuple[ToolFamily, re.Pattern[str]], ...] = (
    # For names that are not in the list, the first word that tells.
    ("mcp", re.compile(r"^mcp__")),
    ("web", re.compile(r"browser|web_|http", re.IGNORECASE)),
    ("agent", re.compile(r"agent$", re.IGNORECASE)),
    ("edit", re.compile(r"edit|patch|replace", re.IGNORECASE)),
    ("write", re.compile(r"write|create_file|save", re.IGNORECASE)),
    ("search", re.compile(r"search|grep|find|glob|list", re.IGNORECASE)),
    ("read", re.compile(r"read|view|open|get_file", re.IGNORECASE)),
    ("shell", re.compile(r"bash|shell|exec|terminal|command", re.IGNORECASE)),
)
_EDITOR_COMMANDS: dict[str, ToolFamily] = {"view": "read", "create": "write"}
"""The editor tool of several agents is one tool with commands."""
_PATH_KEYS = (
    "file_path",
    "path",
    "filePath",
    "filename",
    "file_name",
    "notebook_path",
    "absolute_path",
    "dir_path",
    "target_file",
    "file",
    "files",
    "paths",
)
_COMMAND_KEYS = ("command", "cmd", "script", "code", "bash_command")
_PATCH_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_CUT = re.compile(
    r"\[[^\]\n]{0,40}\b\d[\d,]* (?:more )?(?:lines?|characters?|chars|bytes|tokens)\b[^\]\n]{0,20}"
    r"\b(?:truncated|omitted|cut|clipped|hidden|removed)\b[^\]\n]{0,40}\]"
    r"|\.{3}\s*\d[\d,]* (?:lines?|characters?|chars|bytes|tokens) (?:truncated|omitted|cut)[^\n]{0,20}"
    r"|…\s*\+?\d[\d,]* (?:lines?|chars|tokens)[^\n]{0,20}(?:truncated|omitted)…?"
    r"|\[(?:output|content|result)[^\]\n]{0,30} truncated[^\]\n]{0,40}\]|<response clipped>|<persisted-output>",
    re.IGNORECASE,
)
_MAX_LINE = 300
_SHELL_WRAPPER = re.compile(r"(?:.*/)?(?:ba|z|da|k)?sh$")


def tool_family(name: str) -> ToolFamily:
    """Return the family of a tool by its name; `other` when no word of it tells."""
    if name.casefold() in _FAMILY:
        return _FAMILY[name.casefold()]
    return next((family for family, pattern in _FAMILY_WORDS if pattern.search(name)), "other")


def parse_arguments(value: object) -> tuple[Mapping[str, Any], str | None]:
    """Return (arguments, raw): an object as it is, the object in a JSON text, or nothing and the text."""
    if isinstance(value, dict):
        return value, None
    if isinstance(value, str):
        try:
            parsed = parse_json(value).value
        except BrokenJson:
            return {}, value
        return (parsed, value) if isinstance(parsed, dict) else ({}, value)
    if value is None:
        return {}, None
    return {}, json.dumps(value, ensure_ascii=False)


def make_call(name: str, arguments: object, raw: str | None = None) -> tuple[ToolCall, str]:
    """Return a call and a line by which a person recognises it: the command, the file, or the first argument."""
    parsed, text = parse_arguments(arguments)
    family = tool_family(name)
    if family == "edit":
        family = _EDITOR_COMMANDS.get(str(parsed.get("command")), family)
    command = _command(parsed) if family in ("shell", "other", "mcp") else None
    paths = tuple(dict.fromkeys([*_paths(parsed), *patched_files(raw or text or _patch(parsed))]))
    call = ToolCall(name, family, parsed, raw if raw is not None else text, paths, command)
    line = command or (paths[0] if paths else None) or _named_text(parsed) or _first_text(parsed) or call.raw or ""
    return call, line if command else line[:_MAX_LINE]


def patched_files(text: str) -> Iterator[str]:
    """Yield the files that an `apply_patch` text touches."""
    if "*** " in text:
        for found in _PATCH_FILE.finditer(text):
            yield (found[1] or found[2]).strip()


def was_cut(text: str) -> bool:
    """Return whether a tool's output says that a part of it was left out."""
    return bool(_CUT.search(text))


def _command(arguments: Mapping[str, Any]) -> str | None:
    for key in _COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            if len(value) == 3 and _SHELL_WRAPPER.match(value[0]) and value[1].startswith("-"):
                return str(value[2])
            return shlex.join(value)
    return None


def _paths(arguments: Mapping[str, Any]) -> Iterator[str]:
    for key in _PATH_KEYS:
        value = arguments.get(key)
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, str) and item and "\n" not in item:
                yield item


def _patch(arguments: Mapping[str, Any]) -> str:
    return next((value for key in ("patch", "input", "diff") if isinstance(value := arguments.get(key), str)), "")


def _named_text(arguments: Mapping[str, Any]) -> str | None:
    named = (arguments.get(key) for key in ("query", "pattern", "url", "description", "prompt"))
    return next((value for value in named if isinstance(value, str) and value), None)


def _first_text(arguments: Mapping[str, Any]) -> str | None:
    questions = arguments.get("questions")
    if isinstance(questions, list):
        asked = [
            item["question"] for item in questions if isinstance(item, dict) and isinstance(item.get("question"), str)
        ]
        return " / ".join(asked) or None
    return next((value for value in arguments.values() if isinstance(value, str) and value), None)
