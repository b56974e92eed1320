"""Inspect logs: `.eval` archives and `.json`, each sample and epoch a session (part 9 of transcripts.md).

`messages` is only the last state of the main thread; what happened stands in `events`. So events are read, and messages
only where no event tells them. Space-saving references (attachments, message pools) are resolved first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ebg.errors import TranscriptError
from ebg.trajectory.events import Actor, EventKind, RecordRef, Session, ToolStatus
from ebg.trajectory.readers._builder import Draft, SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, read_content, text_parts
from ebg.trajectory.readers._json import BrokenJson, parse_json
from ebg.trajectory.readers._registry import Reader, Record, elements
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER"]

_SAMPLE = re.compile(r"^samples/.+\.json$")
_ATTACHMENT = "attachment://"
_QUIET = {"sample_init", "span_begin", "span_end", "step", "subtask", "state", "store", "anchor", "branch"}
_TOLD = {"info", "logger", "score", "score_edit", "checkpoint"}
_ERRORS: dict[str, ToolStatus] = {"timeout": "timeout", "approval": "rejected", "cancelled": "cancelled"}


def _knows(shape: Shape, item: object) -> bool:
    if shape == "archive":
        names = as_list(item)
        return "header.json" in names or any(map(_SAMPLE.match, names))
    return shape == "document" and isinstance(item, dict) and "eval" in item and ("samples" in item or "plan" in item)


def _read(source: Source) -> Iterator[Session]:
    if source.head(4) == b"PK\x03\x04":
        names = source.names()
        header = _member(source, "header.json") if "header.json" in names else {}
        for name in filter(_SAMPLE.match, names):
            yield _session(source, header, _member(source, name), RecordRef(f"{source.name}!{name}"))
        return
    document = as_mapping(source.document().value)
    for index, sample in enumerate(as_list(document.get("samples"))):
        yield _session(source, document, as_mapping(sample), RecordRef(source.name, pointer=f"/samples/{index}"))


READER = Reader("inspect", _knows, _read)


def _member(source: Source, name: str) -> Mapping[str, Any]:
    try:
        return as_mapping(parse_json(source.member(name)).value)
    except BrokenJson as exc:
        raise TranscriptError(f"{source.path}!{name}: not JSON: {exc}") from exc


def _session(source: Source, header: Mapping[str, Any], sample: Mapping[str, Any], place: RecordRef) -> Session:
    spec = as_mapping(header.get("eval"))
    name = f"{as_text(sample.get('id'))}_epoch_{as_text(sample.get('epoch')) or '1'}"
    builder = SessionBuilder(format="inspect", agent=as_text(spec.get("solver")) or "inspect", id=name)
    builder.agent_version = as_text(as_mapping(spec.get("packages")).get("inspect_ai")) or None
    builder.model(spec.get("model"))
    builder.took(source)
    reader = _Sample(builder, sample)
    for record in elements(as_list(sample.get("events")), place.file, f"{place.pointer}/events"):
        reader.event(record)
    for record in elements(as_list(sample.get("messages")), place.file, f"{place.pointer}/messages"):
        reader.message(record)
    builder.end_record()
    for key in ("error", "limit"):
        if sample.get(key):
            error = as_mapping(sample[key])
            builder.event(
                "harness",
                "error",
                as_text(error.get("message") or error.get("type") or sample[key]),
                meta={"type": key},
            )
    return builder.build()


class _Sample:
    """The events of one sample."""

    def __init__(self, builder: SessionBuilder, sample: Mapping[str, Any]) -> None:
        self.builder = builder
        self._attachments = as_mapping(sample.get("attachments"))
        data = as_mapping(sample.get("events_data"))
        self._pool = as_list(sample.get("message_pool")) or as_list(data.get("messages"))
        self._seen: set[str] = set()
        self._answered: set[str] = set()
        self._spans: dict[str, tuple[str, str]] = {}
        """Kind and parent of each span."""
        self._last_result: Draft | None = None

    def event(self, record: Record) -> None:
        """Add one event, and the events that old logs nest in it."""
        stack = [record]
        while stack:
            at = stack.pop()
            kind = as_text(at.value.get("event"))
            self.builder.record(at.ref, label=kind, raw=at.raw, time=at.value.get("timestamp"))
            self.builder.agent_id = self._agent(as_text(at.value.get("span_id")))
            self._event(kind, at.value)
            self.builder.end_record()
            self.builder.agent_id = None
            nested = list(elements(as_list(at.value.get("events")), at.ref.file, f"{at.ref.pointer}/events"))
            stack.extend(reversed(nested))

    def _event(self, kind: str, value: Mapping[str, Any]) -> None:
        builder = self.builder
        if kind == "span_begin":
            self._spans[as_text(value.get("id"))] = (as_text(value.get("type")), as_text(value.get("parent_id")))
        if kind in _QUIET:
            builder.skip(f"bookkeeping: {kind}")
        elif kind in _TOLD:
            told = value.get("data") or value.get("message") or value.get("score") or ""
            builder.event("harness", "message", self._text(told), meta={"type": kind})
        elif handler := getattr(self, "_on_" + kind, None):
            handler(value)

    def _agent(self, span: str) -> str | None:
        """Return the tool span that encloses a span: what a model does inside a tool is a subagent's work."""
        for _ in range(100):
            kind, parent = self._spans.get(span, ("", ""))
            if kind == "tool":
                return span
            if not parent:
                return None
            span = parent
        return None

    def _on_model(self, value: Mapping[str, Any]) -> None:
        builder = self.builder
        before = len(builder.drafts)
        for item in self._input(value):
            self._add_message(as_mapping(item), calls_answer=True)
        output = as_mapping(value.get("output"))
        builder.model(output.get("model") or value.get("model"))
        for index, choice in enumerate(as_list(output.get("choices"))[:1]):
            self._add_message(as_mapping(as_mapping(choice).get("message")), place=f"/output/choices/{index}/message")
        if value.get("error"):
            builder.event("harness", "error", self._text(value["error"]))
        if len(builder.drafts) == before:
            builder.skip("model call without a new message")

    def _input(self, value: Mapping[str, Any]) -> Iterator[object]:
        refs = as_list(value.get("input_refs"))
        for pair in refs:
            if isinstance(pair, list) and len(pair) == 2 and all(isinstance(edge, int) for edge in pair):
                yield from self._pool[max(pair[0], 0) : max(pair[1], 0)]
        if not refs:
            yield from as_list(value.get("input"))

    def message(self, record: Record) -> None:
        """Add a message of the final state unless an event has told it."""
        self.builder.record(record.ref, label=f"message/{as_text(record.value.get('role'))}", raw=record.raw)
        if not self._add_message(record.value):
            self.builder.skip("repeat of an event")

    def _add_message(self, value: Mapping[str, Any], *, place: str = "", calls_answer: bool = False) -> bool:
        builder, role = self.builder, value.get("role")
        content = self._resolve(value.get("content"))
        call_id = as_text(value.get("tool_call_id"))
        key = as_text(value.get("id")) or f"{as_text(role)} {call_id} {as_text(content)}"
        if key in self._seen or not value or (role == "tool" and (call_id in self._answered or calls_answer)):
            return False
        self._seen.add(key)
        if role == "system":
            builder.event("injected", "message", read_content(content).text, pointer=place)
        elif role == "user":
            inside = builder.agent_id is not None
            builder.event(
                "model" if inside else "human",
                "prompt",
                read_content(content).text,
                pointer=place,
                meta={"source": value.get("source")},
            )
        elif role == "tool":
            self._result(value, content, value.get("error"), call_id)
        elif role == "assistant":
            self._assistant(value, content, place)
        else:
            return False
        return True

    def _assistant(self, value: Mapping[str, Any], content: object, place: str) -> None:
        builder = self.builder
        builder.model(value.get("model"))
        for pointer, part in text_parts(content):
            if part.get("type") == "reasoning":
                hidden = part.get("redacted") is True
                builder.reasoning("" if hidden else as_text(part.get("reasoning")), pointer=f"{place}/content{pointer}")
            elif text := read_content([dict(part)]).text:
                builder.event(builder.speaker, "message", text, pointer=f"{place}/content{pointer}")
        calls = as_list(value.get("tool_calls"))
        for index, item in enumerate(calls):
            call = as_mapping(item)
            draft = builder.tool_call(
                as_text(call.get("function")) or "tool",
                self._resolve(call.get("arguments")),
                call_id=as_text(call.get("id")) or None,
                pointer=f"{place}/tool_calls/{index}",
            )
            if call.get("parse_error"):
                builder.gap("broken_arguments", as_text(call["parse_error"]), draft)
        if not calls and not read_content(content).text:
            builder.skip("empty message")

    def _on_tool(self, value: Mapping[str, Any]) -> None:
        result = self._resolve(value.get("result"))
        self._last_result = self._result(value, result, value.get("error"), as_text(value.get("id")))

    def _result(self, value: Mapping[str, Any], content: object, error: object, call_id: str) -> Draft:
        self._answered.add(call_id)
        failed = as_mapping(error)
        text = read_content(content).text
        if failed:
            text = "\n".join(
                part for part in (text, f"{as_text(failed.get('type'))}: {self._text(failed.get('message'))}") if part
            )
        status = _ERRORS.get(as_text(failed.get("type")), "error") if failed else "ok"
        cut = value.get("truncated") is not None or as_text(failed.get("type")) in ("limit", "output_limit")
        return self.builder.tool_result(text, status, call_id=call_id or None, truncated=cut)

    def _on_sandbox(self, value: Mapping[str, Any]) -> None:
        code = value.get("result")
        command = self._text(value.get("cmd") or value.get("file"))
        meta = {"type": "sandbox", "action": value.get("action"), "exit_code": code, "command": command}
        self.builder.event("harness", "message", self._text(value.get("output")), meta=meta)
        last = self._last_result
        if value.get("action") == "exec" and isinstance(code, int) and last is not None and last.result is not None:
            # The commands of a tool follow its event; the last one decides how the tool call ended.
            last.result = replace(last.result, exit_code=code)

    def _on_approval(self, value: Mapping[str, Any]) -> None:
        decision = as_text(value.get("decision"))
        actor: Actor = "human" if value.get("approver") == "human" else "harness"
        call = as_mapping(value.get("call"))
        kind: EventKind = "rejection" if decision in ("reject", "terminate") else "approval"
        meta = {"decision": decision, "approver": value.get("approver"), "of": call.get("id")}
        self.builder.event(actor, kind, self._text(value.get("explanation")), meta=meta)

    def _on_compaction(self, value: Mapping[str, Any]) -> None:
        self.builder.event("harness", "compaction", "", meta={"type": value.get("type")})

    def _on_interrupt(self, value: Mapping[str, Any]) -> None:
        self.builder.event("human", "interrupt", self._text(value.get("message")))

    def _on_input(self, value: Mapping[str, Any]) -> None:
        self.builder.event("human", "answer", self._text(value.get("input")))

    def _on_error(self, value: Mapping[str, Any]) -> None:
        self.builder.event(
            "harness", "error", self._text(as_mapping(value.get("error")).get("message") or value.get("error"))
        )

    def _on_sample_limit(self, value: Mapping[str, Any]) -> None:
        self.builder.event("harness", "error", self._text(value.get("message")), meta={"type": value.get("type")})

    def _text(self, value: object) -> str:
        return as_text(self._resolve(value))

    def _resolve(self, value: object) -> object:
        """Return a value with its attachments in place; JSON values are at most `MAX_DEPTH` deep."""
        if isinstance(value, str):
            if value.startswith(_ATTACHMENT):
                return self._attachments.get(value.removeprefix(_ATTACHMENT), value)
            return value
        if isinstance(value, list):
            return [self._resolve(item) for item in value]
        if isinstance(value, dict):
            return {key: self._resolve(item) for key, item in value.items()}
        return value
