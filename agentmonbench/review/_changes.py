"""What an act changed: files with their added and removed lines, from patches, edit calls and shell commands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agentmonbench.review._shell import Command
from ebg.trajectory.events import Event, ToolCall

__all__ = ["Change", "changes_of", "is_code", "is_test_file"]

ChangeKind = Literal["create", "update", "delete"]

_MAX_CHARS = 200_000  # of one change; what is longer is generated
_OLD_KEYS = ("old_string", "old_str", "search", "old_text")
_NEW_KEYS = ("new_string", "new_str", "replace", "new_text")
_TEXT_KEYS = ("content", "file_text", "text", "contents", "new_source")
_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testing|e2e|integration[_-]tests?)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.\w+$|(?:^|/)[^/]*(?:_test|_spec|\.test|\.spec|Tests?|Spec)\.\w+$"
)
_CODE = re.compile(
    r"\.(?:py|pyi|ipynb|js|jsx|mjs|cjs|ts|tsx|go|rs|c|cc|cpp|cxx|h|hpp|java|kt|kts|rb|php|swift|scala|sh|bash|sql"
    r"|cs|lua"
    r"|ex|exs|erl|hs|ml|zig|dart|vue|svelte|pl|r|jl|m|mm|sol|pony|clj)$",
    re.IGNORECASE,
)
_REDIRECT = re.compile(r"(?<![0-9&<>])>{1,2}\s*([^\s&|;<>]+)")
_PYTHON_WRITE = re.compile(
    r"open\(\s*['\"]([^'\"\n]{1,300})['\"]\s*,\s*['\"][wax]|Path\(\s*['\"]([^'\"\n]{1,300})['\"]\s*\)\.write"
)
_PATCH_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_NO_FILE = frozenset({"/dev/null", "/dev/stderr", "/dev/stdout", "-"})


@dataclass(frozen=True, slots=True)
class Change:
    """A file that an act changed."""

    path: str
    kind: ChangeKind
    added: tuple[str, ...]
    removed: tuple[str, ...]
    """Lines; both are empty where the record does not tell."""
    event: str
    """Id of the event that shows it."""
    seq: int
    turn: int
    call: str
    """Id of the call."""

    @property
    def name(self) -> str:
        """Last part of the path."""
        return self.path.rstrip("/").rsplit("/", 1)[-1]


def is_test_file(path: str) -> bool:
    """Return whether the path looks like a test."""
    return _TEST_FILE.search(path) is not None


def is_code(path: str) -> bool:
    """Return whether the file holds code."""
    return _CODE.search(path) is not None


def changes_of(call: Event, commands: Sequence[Command], file_changes: Sequence[Event]) -> Iterator[Change]:
    """Yield the changes of a call that took place.

    Args:
        call: the tool call.
        commands: its shell commands, for shell tools.
        file_changes: the events that record what it changed; they are better than its arguments.
    """
    if call.call is None:
        return
    if file_changes:
        whole = _lines(_first(call.call.arguments, _TEXT_KEYS))
        for event in file_changes:
            added, removed = _patch_lines(event.text)
            kind = _kind(str(event.meta.get("change", "update")))
            if not added and not removed and kind == "create":
                added = whole
            yield Change(
                str(event.meta.get("path", "")), kind, added, removed, event.id, event.seq, event.turn, call.id
            )
        return
    for path, kind, added, removed in _described(call.call, commands):
        yield Change(path, kind, added, removed, call.id, call.seq, call.turn, call.id)


_Described = tuple[str, ChangeKind, tuple[str, ...], tuple[str, ...]]


def _described(call: ToolCall, commands: Sequence[Command]) -> Iterator[_Described]:
    arguments = call.arguments
    if call.raw and "*** Begin Patch" in call.raw:
        yield from _patched(call.raw)
    elif call.family == "edit":
        old, new = _lines(_first(arguments, _OLD_KEYS)), _lines(_first(arguments, _NEW_KEYS))
        added, removed = _difference(old, new)
        yield _path(call), "update", added or _lines(_first(arguments, _TEXT_KEYS)), removed
    elif call.family == "write":
        yield _path(call), "create", _lines(_first(arguments, _TEXT_KEYS)), ()
    elif call.family == "shell":
        for command in commands:
            yield from _by_shell(command)
        script = call.command or ""
        for found in _PYTHON_WRITE.finditer(script[:_MAX_CHARS]):
            yield found[1] or found[2], "create", _lines(script), ()


def _path(call: ToolCall) -> str:
    return call.paths[0] if call.paths else ""


def _by_shell(command: Command) -> Iterator[_Described]:
    program, words = command.program, command.words
    files = [word for word in words[1:] if not word.startswith("-")]
    if program == "rm" or (program == "git" and files[:1] == ["rm"]):
        for path in files[1:] if program == "git" else files:
            yield path, "delete", (), ()
    elif program in ("sed", "perl") and any(word.startswith(("-i", "--in-place", "-pi")) for word in words[1:]):
        if len(files) > 1:
            yield files[-1], "update", (command.text,), ()
    elif program == "tee" and files:
        yield files[0], "create", _lines(command.body), ()
    elif program == "mv" and len(files) > 1:
        yield files[-1], "create", (), ()
    else:
        for found in _REDIRECT.finditer(_unquoted(command.text)):
            path = found[1].strip("'\"")
            if path not in _NO_FILE:
                kind: ChangeKind = "update" if found[0].startswith(">>") else "create"
                yield path, kind, _lines(command.body or command.text), ()


def _unquoted(text: str) -> str:
    """Return the text with quoted parts blanked, unless one is the target of a redirection."""
    return re.sub(r"(?<!> )(?<!>)(?:'[^']*'|\"[^\"]*\")", "''", text)


def _patched(patch: str) -> Iterator[_Described]:
    files: list[tuple[str, ChangeKind, list[str], list[str]]] = []
    for line in patch[:_MAX_CHARS].split("\n"):
        if found := _PATCH_FILE.match(line):
            files.append((found[2].strip(), _kind(found[1]), [], []))
        elif files and line.startswith("+"):
            files[-1][2].append(line[1:])
        elif files and line.startswith("-"):
            files[-1][3].append(line[1:])
    for path, kind, added, removed in files:
        yield path, kind, tuple(added), tuple(removed)


def _kind(word: str) -> ChangeKind:
    word = word.casefold()
    if word in ("add", "create", "created", "new"):
        return "create"
    return "delete" if word.startswith("delet") or word == "remove" else "update"


def _patch_lines(patch: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    lines = patch[:_MAX_CHARS].split("\n")
    added = tuple(line[1:] for line in lines if line.startswith("+") and not line.startswith("+++"))
    removed = tuple(line[1:] for line in lines if line.startswith("-") and not line.startswith("---"))
    return added, removed


def _difference(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before, after = Counter(old), Counter(new)
    return _beyond(new, before), _beyond(old, after)


def _beyond(lines: Sequence[str], known: Counter[str]) -> tuple[str, ...]:
    left = Counter(known)
    kept: list[str] = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        else:
            kept.append(line)
    return tuple(kept)


def _first(arguments: Mapping[str, object], keys: Sequence[str]) -> str:
    return next((value for key in keys if isinstance(value := arguments.get(key), str)), "")


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text[:_MAX_CHARS].split("\n")) if text else ()
