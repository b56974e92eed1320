"""Plain chat lists: OpenAI and Anthropic messages, and common renamings of data sets (part 10 of transcripts.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ebg.trajectory.events import RecordRef, Session, ToolStatus
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, iso_time, read_content, text_parts
from ebg.trajectory.readers._registry import Reader, Record, elements, json_lines
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER", "ChatMessages"]

_LISTS = ("messages", "conversations", "conversation")
_ROLES = {
    "human": "user",
    "gpt": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "observation": "tool",
    "function_call": "assistant",
}


def _knows(shape: Shape, item: object) -> bool:
    if shape == "document" and isinstance(item, list):
        return bool(item) and all(map(_is_message, item[:20]))
    if shape not in ("lines", "document") or not isinstance(item, dict):
        return False
    for key in _LISTS:
        found = item.get(key)
        if isinstance(found, list) and found and all(map(_is_message, found[:20])):
            return True
    return _is_message(item)


def _is_message(item: object) -> bool:
    if not isinstance(item, dict):
        return False
    if isinstance(item.get("role"), str) and not {"uuid", "history"} & item.keys():
        return bool({"content", "tool_calls", "function_call", "message"} & item.keys())
    return isinstance(item.get("from"), str) and "value" in item


def _read(source: Source) -> Iterator[Session]:
    document = source.single()
    if document is None:
        yield from _read_lines(source)
    elif isinstance(document, list):
        yield _session(source, {"messages": document}, "", source.path.stem)
    elif any(isinstance(as_mapping(document).get(key), list) for key in _LISTS):
        yield _session(source, as_mapping(document), None, source.path.stem)
    else:
        yield _session(source, {"messages": [document]}, "", source.path.stem)


READER = Reader("chat", _knows, _read)


def _read_lines(source: Source) -> Iterator[Session]:
    """Yield one session a line when lines hold lists of messages, else one session of all lines."""
    builder = SessionBuilder(format="chat", agent="unknown", id=source.path.stem)
    messages = ChatMessages(builder)
    for record in json_lines(source, builder):
        if any(isinstance(record.value.get(key), list) for key in _LISTS):
            name = (
                as_text(record.value.get("id") or record.value.get("session_id"))
                or f"{source.path.stem}-{record.ref.line}"
            )
            yield _session(source, record.value, None, name, record.ref)
        else:
            messages.add(record)
    session = builder.build()
    if session.records:
        yield session


def _session(
    source: Source, value: Mapping[str, Any], pointer: str | None, name: str, place: RecordRef | None = None
) -> Session:
    builder = SessionBuilder(
        format="chat", agent="unknown", id=as_text(value.get("id") or value.get("session_id")) or name
    )
    builder.took(source)
    builder.model(value.get("model"))
    ref = place or RecordRef(source.name)
    messages = ChatMessages(builder)
    if system := read_content(value.get("system")).text:
        builder.record(
            RecordRef(ref.file, ref.line, f"{ref.pointer}/system", ref.byte_start, ref.byte_end),
            label="system",
            raw=system,
        )
        builder.event("injected", "message", system)
    key = next(key for key in _LISTS if isinstance(value.get(key), list))
    for item in elements(value[key], ref.file, f"{ref.pointer}/{key}" if pointer is None else pointer):
        inner = RecordRef(ref.file, ref.line, item.ref.pointer, ref.byte_start, ref.byte_end)
        messages.add(Record(item.value, inner, item.raw))
    return builder.build()


class ChatMessages:
    """Adds chat messages to a session; other formats that hold chat messages use it too."""

    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder
        self._calls = 0
        self._open: list[str] = []

    def add(self, record: Record) -> None:
        """Add one message as a record."""
        value = record.value
        role = as_text(value.get("role", value.get("from")))
        time = iso_time(value.get("timestamp", value.get("created_at")))
        self.builder.record(record.ref, label=f"message/{role}", raw=record.raw, time=time)
        message = as_mapping(value.get("message"))
        self.message(_ROLES.get(role, role), message or value)

    def message(self, role: str, value: Mapping[str, Any]) -> None:
        """Add the events of one message of the record at hand."""
        builder = self.builder
        content = value.get("content", value.get("value"))
        match role:
            case "system" | "developer":
                builder.event("injected", "message", read_content(content).text, meta={"role": role})
            case "user":
                self._blocks(content, user=True)
            case "assistant":
                self._assistant(value, content)
            case "tool" | "function":
                call_id = as_text(value.get("tool_call_id")) or (self._open.pop(0) if self._open else None)
                builder.tool_result(read_content(content).text, "unknown", call_id=call_id)

    def _assistant(self, value: Mapping[str, Any], content: object) -> None:
        builder = self.builder
        builder.model(value.get("model"))
        reasoning = as_text(value.get("reasoning_content") or value.get("reasoning"))
        if reasoning:
            builder.reasoning(reasoning, pointer="/reasoning_content")
        before = len(builder.drafts)
        self._blocks(content, user=False)
        calls = as_list(value.get("tool_calls"))
        if isinstance(value.get("function_call"), dict):
            calls = [*calls, {"function": value["function_call"]}]
        self._open = []
        for index, item in enumerate(calls):
            call = as_mapping(item)
            function = as_mapping(call.get("function")) or call
            self._calls += 1
            call_id = as_text(call.get("id")) or f"call-{self._calls}"
            self._open.append(call_id)
            name = as_text(function.get("name")) or "tool"
            builder.tool_call(
                name, function.get("arguments", function.get("input")), call_id=call_id, pointer=f"/tool_calls/{index}"
            )
        if len(builder.drafts) == before and not reasoning:
            builder.skip("empty message")

    def _blocks(self, content: object, *, user: bool) -> None:
        """Add the blocks of a content; text blocks of one message stay apart, as they are written."""
        builder, media = self.builder, 0
        for pointer, part in text_parts(content):
            place, kind = f"/content{pointer}", as_text(part.get("type")) or "text"
            if kind == "tool_use":
                call_id = as_text(part.get("id")) or None
                builder.tool_call(
                    as_text(part.get("name")) or "tool", part.get("input"), call_id=call_id, pointer=place
                )
            elif kind == "tool_result":
                status: ToolStatus = "error" if part.get("is_error") is True else "ok"
                text = read_content(part.get("content")).text
                builder.tool_result(text, status, call_id=as_text(part.get("tool_use_id")) or None, pointer=place)
            elif kind in ("thinking", "redacted_thinking", "reasoning"):
                builder.reasoning(
                    as_text(part.get("thinking") or part.get("text") or part.get("reasoning")), pointer=place
                )
            elif kind.endswith("text"):
                text = as_text(part.get("text"))
                if text:
                    builder.event("human" if user else "model", "prompt" if user else "message", text, pointer=place)
            else:
                media += 1
        if media:
            builder.gap("media", f"{media} parts are not shown as text")
        elif user and not builder.handled:
            builder.skip("empty message")
