"""Files handed from one task to another: a task that reads what an earlier task wrote refers to it.

Ours; the reference rules never link tasks by a file (part 10.6, item 47). The rule is that of reaching definitions: a
read links to the task whose write of that file is the latest before it. Writes are seen in edit and write tools, patch
headers and shell redirections; reads in any other call that names the file and in prompts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ebg.trajectory._exchange import path_values, read_invocation, split_exchange
from ebg.trajectory._model import Ref, TraceEvidence
from ebg.trajectory._references import Home, Link, home_of
from ebg.trajectory._signals import normal_path

__all__ = ["find_handovers"]

_FILE = re.compile(r"(?<![\w/.@~-])(?:~?/|\.{1,2}/)?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7}\b(?!/)")
_WRITER = re.compile(
    r"(?:edit|write|write_file|create|create_file|replace|str_replace\w*|insert|apply_patch|update_file)$",
    re.IGNORECASE,
)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_REDIRECTED = re.compile(r"(?:>>?|\btee(?:\s+-a)?)\s*([\w./~+-]*\w\.\w+)")
_PATH_TEXT = re.compile(r"(?:^|_)(?:file|path|filename|notebook)", re.IGNORECASE)
_MAX_TEXT = 20_000
_SUFFIX_PARTS = 3


class _Write(NamedTuple):
    task: str
    ref: Ref


class _Files:
    """Latest writer of each file, found by its whole path or by an ending that names one file only."""

    def __init__(self) -> None:
        self._writes: dict[str, _Write] = {}
        self._endings: dict[str, str | None] = {}

    def wrote(self, path: str, write: _Write) -> None:
        if path not in self._writes:
            parts = path.strip("/").split("/")
            for count in range(1, min(_SUFFIX_PARTS, len(parts)) + 1):
                ending = "/".join(parts[-count:])
                known = self._endings.get(ending, path)
                self._endings[ending] = path if known == path else None
        self._writes[path] = write

    def find(self, path: str) -> _Write | None:
        if path in self._writes:
            return self._writes[path]
        parts = path.strip("/").split("/")
        whole = self._endings.get("/".join(parts[-_SUFFIX_PARTS:]))
        if whole is None or not (f"/{whole}".endswith(f"/{path.lstrip('/')}") or f"/{path}".endswith(f"/{whole}")):
            return None
        return self._writes[whole]


def find_handovers(evidence: Sequence[TraceEvidence], homes: Mapping[str, Sequence[Home]]) -> Iterator[Link]:
    """Yield a `references` link for each task that uses a file that another task wrote last."""
    files = _Files()
    linked: set[tuple[str, str]] = set()
    for item in evidence:
        places = homes.get(item.id, ())
        if not places or item.event_type not in ("user_prompt", "tool_exchange"):
            continue
        written, named = _files(item)
        for path, span in [*written, *named]:
            task = home_of(places, span[0])
            write = files.find(path)
            if task is not None and write is not None and write.task != task and (task, write.task) not in linked:
                linked.add((task, write.task))
                yield Link(task, "references", write.task, "file", [write.ref, Ref(item.id, span)])
        for path, span in written:
            task = home_of(places, span[0])
            if task is not None:
                files.wrote(path, _Write(task, Ref(item.id, span)))


_Place = tuple[str, tuple[int, int]]


def _files(item: TraceEvidence) -> tuple[list[_Place], list[_Place]]:
    """Return the files that an event writes, and those it names otherwise, with their places in its content."""
    if item.event_type == "user_prompt":
        return [], _places(_FILE, item.content[:_MAX_TEXT])
    invocation = split_exchange(item.content).invocation
    arguments = read_invocation(invocation)
    texts = [value for value in arguments.values() if isinstance(value, str)] if arguments else [invocation]
    written = [
        (normal_path(path), _where(invocation, path))
        for text in texts
        for pattern in (_PATCHED, _REDIRECTED)
        for found in pattern.finditer(text[:_MAX_TEXT])
        if (path := found[found.lastindex or 1].strip())
    ]
    paths = [
        (normal_path(value), _where(invocation, value))
        for key, value in path_values(arguments)
        if _PATH_TEXT.search(key)
    ]
    if _WRITER.search(item.tool_name or ""):
        return [*written, *paths], []
    commands = [value for key, value in path_values(arguments) if not _PATH_TEXT.search(key)]
    named = [(path, _where(invocation, path)) for text in commands for path, _ in _places(_FILE, text[:_MAX_TEXT])]
    known = {path for path, _ in written}
    return written, [place for place in [*paths, *named] if place[0] not in known]


def _places(pattern: re.Pattern[str], text: str) -> list[_Place]:
    return [(normal_path(found.group()), found.span()) for found in pattern.finditer(text)]


def _where(text: str, value: str) -> tuple[int, int]:
    start = text.casefold().find(value.casefold())
    return (start, start + len(value)) if start >= 0 else (0, len(text))
