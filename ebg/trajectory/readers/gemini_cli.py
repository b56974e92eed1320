"""Gemini CLI chats: one JSON object, or since April 2026 JSONL with rewinds (part 6 of transcripts.md).

What was withdrawn by a rewind is kept on a branch: the tool calls in it did happen.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ebg.trajectory.events import Session, ToolStatus
from ebg.trajectory.readers._builder import Draft, SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, read_content
from ebg.trajectory.readers._registry import Reader, Record, elements, json_lines
from ebg.trajectory.readers._source import Shape, Source
from ebg.trajectory.readers._subagents import place_subagents

__all__ = ["READER"]

_TYPES = {"user", "gemini", "info", "error", "warning"}
_EXIT = re.compile(r"^Exit Code: (-?\d+)", re.MULTILINE)
_DENIED = re.compile(r"\buser (?:denied|rejected|cancelled|did not allow)\b|\bdenied by (?:the )?user\b", re.IGNORECASE)
_INJECTED = ("<session_context>", "This is the Gemini CLI. We are setting up the context")
_STATUS: dict[str, ToolStatus] = {"success": "ok", "error": "error", "cancelled": "cancelled"}
_MAX_SUBAGENTS = 2_000


def _knows(shape: Shape, item: object) -> bool:
    if shape not in ("lines", "document") or not isinstance(item, dict):
        return False
    if {"sessionId", "projectHash"} <= item.keys() or "$rewindTo" in item or "$set" in item:
        return True
    return as_text(item.get("type")) in _TYPES and {"id", "timestamp", "content"} <= item.keys() and "uuid" not in item


def _read(source: Source) -> Iterator[Session]:
    builder = SessionBuilder(format="gemini-cli", agent="gemini-cli", id=source.path.stem)
    chat = _Chat(builder)
    chat.read(source)
    calls, groups = dict(chat.agent_calls), {}
    folder = source.path.parent / builder.id
    if builder.id and "/" not in builder.id and folder.is_dir():
        for path in sorted(folder.glob("*.json*"))[:_MAX_SUBAGENTS]:
            start = len(builder.drafts)
            builder.agent_id = path.stem
            _Chat(builder, main=False).read(Source(path, name=path.relative_to(source.path.parent).as_posix()))
            groups[path.stem] = builder.drafts[start:]
            del builder.drafts[start:]
        builder.agent_id = None
    place_subagents(builder, groups, calls)
    yield builder.build()


READER = Reader("gemini-cli", _knows, _read)


class _Chat:
    """The messages of one file, with what replaces and withdraws them."""

    def __init__(self, builder: SessionBuilder, *, main: bool = True) -> None:
        self.builder = builder
        self.agent_calls: dict[str, str] = {}
        self._main = main
        self._live: dict[str, list[Draft]] = {}
        """Events by message id, in order, without those that were withdrawn."""
        self._digests: dict[str, bytes] = {}
        self._withdrawals = 0

    def read(self, source: Source) -> None:
        """Add everything of a file."""
        document = as_mapping(source.single())
        if isinstance(document.get("messages"), list):
            self._metadata(document)
            for record in elements(document["messages"], source.name, "/messages"):
                self._record(record)
            self.builder.end_record()
            self.builder.took(source)
            return
        for record in json_lines(source, self.builder):
            self._record(record)

    def _metadata(self, value: Mapping[str, Any]) -> None:
        if self._main:
            self.builder.id = as_text(value.get("sessionId")) or self.builder.id
        for key in ("startTime", "lastUpdated"):
            self.builder.seen_time(as_text(value.get(key)) or None)

    def _record(self, record: Record) -> None:
        value, builder = record.value, self.builder
        kind = as_text(value.get("type"))
        label = kind or next((key for key in value if key.startswith("$")), "metadata")
        builder.record(record.ref, label=label, raw=record.raw, time=value.get("timestamp"))
        if "$rewindTo" in value:
            self._rewind(as_text(value["$rewindTo"]))
        elif "$set" in value:
            self._set(as_mapping(value["$set"]), record)
        elif "sessionId" in value and "type" not in value:
            self._metadata(value)
            builder.skip("bookkeeping: metadata")
        else:
            self._message(value)

    def _rewind(self, message_id: str) -> None:
        ids = list(self._live)
        start = ids.index(message_id) if message_id in self._live else 0
        self._withdraw(ids[start:])
        self.builder.event("human", "interrupt", "", meta={"rewound_to": message_id})

    def _withdraw(self, ids: list[str]) -> None:
        self._withdrawals += 1
        for message_id in ids:
            for draft in self._live.pop(message_id):
                draft.branch_id = f"rewind-{self._withdrawals}"

    def _set(self, values: Mapping[str, Any], record: Record) -> None:
        self._metadata(values)
        if not isinstance(values.get("messages"), list):
            self.builder.skip("bookkeeping: $set")
            return
        kept = {as_text(as_mapping(item).get("id")) for item in values["messages"]}
        self._withdraw([message_id for message_id in self._live if message_id not in kept])
        self.builder.skip("bookkeeping: $set")
        for item in elements(values["messages"], record.ref.file, f"{record.ref.pointer}/$set/messages"):
            self._record(item)

    def _message(self, value: Mapping[str, Any]) -> None:
        builder, kind = self.builder, as_text(value.get("type"))
        message_id = as_text(value.get("id"))
        digest = hashlib.blake2b(as_text(dict(value)).encode("utf-8", "replace"), digest_size=16).digest()
        if message_id in self._live and self._digests.get(message_id) == digest:
            builder.skip("repeat of a message")
            return
        self._digests[message_id] = digest
        for draft in self._live.pop(message_id, ()):
            builder.drop(draft, "earlier version of a message")
        start = len(builder.drafts)
        if kind == "user":
            self._user(value)
        elif kind == "gemini":
            self._gemini(value)
        elif kind in _TYPES:
            text = read_content(value.get("content")).text
            if text.startswith("Request cancelled"):
                builder.event("human", "interrupt", text)
            else:
                builder.event("harness", "message" if kind == "info" else "error", text, meta={"type": kind})
        else:
            builder.unknown()
        self._live[message_id or f"#{len(self._live)}"] = builder.drafts[start:]

    def _user(self, value: Mapping[str, Any]) -> None:
        builder, content = self.builder, read_content(value.get("content"))
        shown = read_content(value.get("displayContent")).text
        if content.text.startswith(_INJECTED):
            builder.event("injected", "message", content.text)
            return
        draft = builder.event("human" if builder.agent_id is None else "model", "prompt", shown or content.text)
        if shown and shown.strip() != content.text.strip():
            builder.event("injected", "message", content.text, pointer="/content")
        if content.media:
            builder.gap("media", f"{content.media} files or images are not shown as text", draft)

    def _gemini(self, value: Mapping[str, Any]) -> None:
        builder = self.builder
        builder.model(value.get("model"))
        for index, item in enumerate(as_list(value.get("thoughts"))):
            thought = as_mapping(item)
            text = ": ".join(
                part for part in (as_text(thought.get("subject")), as_text(thought.get("description"))) if part
            )
            builder.reasoning(text, pointer=f"/thoughts/{index}", time=as_text(thought.get("timestamp")) or None)
        text = read_content(value.get("content")).text
        if text:
            builder.event(builder.speaker, "message", text, pointer="/content")
        calls = as_list(value.get("toolCalls"))
        for index, item in enumerate(calls):
            self._tool(as_mapping(item), f"/toolCalls/{index}")
        if not text and not calls and not value.get("thoughts"):
            builder.skip("empty message")

    def _tool(self, call: Mapping[str, Any], place: str) -> None:
        builder, call_id = self.builder, as_text(call.get("id")) or None
        name, time = as_text(call.get("name")) or "tool", as_text(call.get("timestamp")) or None
        builder.tool_call(name, call.get("args"), call_id=call_id, pointer=place, time=time)
        if call_id and isinstance(call.get("agentId"), str):
            self.agent_calls[call["agentId"]] = call_id
        text, status = _result_text(call), _STATUS.get(as_text(call.get("status")), "unknown")
        if status == "unknown" and not text:
            return
        denied = status in ("cancelled", "error") and _DENIED.search(text[:500]) is not None
        code = _EXIT.search(text)
        exit_code = int(code[1]) if code else None
        if status == "ok" and exit_code:
            status = "error"
        builder.tool_result(
            text,
            "rejected" if denied else status,
            exit_code=exit_code,
            call_id=call_id,
            pointer=f"{place}/result",
            time=time,
        )
        if denied:
            builder.event("human", "rejection", "", pointer=f"{place}/result", meta={"of": call_id})
        shown = as_mapping(call.get("resultDisplay"))
        if isinstance(shown.get("fileDiff"), str) and status == "ok":
            stat = as_mapping(shown.get("diffStat"))
            edited = any(stat.get(key) for key in ("user_added_lines", "user_removed_lines"))
            path = as_text(as_mapping(call.get("args")).get("file_path") or shown.get("fileName"))
            meta = {"path": path, "user_modified": edited or None, "of": call_id}
            builder.event("tool", "file_change", shown["fileDiff"], pointer=f"{place}/resultDisplay", meta=meta)


def _result_text(call: Mapping[str, Any]) -> str:
    texts: list[str] = []
    for item in as_list(call.get("result")):
        response = as_mapping(as_mapping(as_mapping(item).get("functionResponse")).get("response"))
        if response:
            texts.append(as_text(response.get("output", response.get("error", dict(response)))))
        elif isinstance(item, dict) and "text" in item:
            texts.append(as_text(item["text"]))
    if texts:
        return "\n".join(texts)
    shown = call.get("resultDisplay")
    return shown if isinstance(shown, str) else ""
