"""OpenTelemetry spans of the GenAI conventions, as OTLP JSON (part 11 of transcripts.md).

Each chat span repeats the whole conversation, so only what is new is told. Content is opt-in: where it is absent there
is a gap. Spans of one conversation, or else of one trace, are a session; an agent inside an agent is a subagent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ebg.trajectory.events import RecordRef, Session, ToolStatus
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, iso_time, read_content
from ebg.trajectory.readers._json import BrokenJson, parse_json
from ebg.trajectory.readers._registry import Reader
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER"]

_CHAT = {"chat", "text_completion", "generate_content"}
_QUIET = {"invoke_agent", "create_agent", "invoke_workflow", "plan", "embeddings", "retrieval"}
_OLD_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.tool.message": "tool",
    "gen_ai.assistant.message": "assistant",
}


class _Span(NamedTuple):
    id: str
    parent: str
    trace: str
    start: int
    order: int
    ref: RecordRef
    value: Mapping[str, Any]
    attributes: Mapping[str, Any]


def _knows(shape: Shape, item: object) -> bool:
    return shape in ("lines", "document") and isinstance(as_mapping(item).get("resourceSpans"), list)


def _read(source: Source) -> Iterator[Session]:
    spans: list[_Span] = []
    broken: list[RecordRef] = []
    document = source.single()
    if document is not None:
        _collect(document, RecordRef(source.name), spans)
    else:
        for line in source.lines():
            ref = RecordRef(source.name, line=line.number, byte_start=line.start, byte_end=line.end)
            try:
                _collect(parse_json(line.data).value, ref, spans)
            except BrokenJson:
                broken.append(ref)
    conversations = {
        span.trace: found for span in spans if (found := as_text(span.attributes.get("gen_ai.conversation.id")))
    }
    groups: dict[str, list[_Span]] = {}
    for span in spans:
        name = as_text(span.attributes.get("gen_ai.conversation.id")) or conversations.get(span.trace, span.trace)
        groups.setdefault(name, []).append(span)
    for name, group in groups.items():
        builder = SessionBuilder(format="otel", agent="unknown", id=name)
        builder.took(source)
        for ref in broken:
            builder.lost_record(ref, "broken_line", f"line {ref.line} is no JSON")
        _Trace(builder, group).read()
        yield builder.build()


READER = Reader("otel", _knows, _read)


def _collect(document: object, place: RecordRef, spans: list[_Span]) -> None:
    for r, resource in enumerate(as_list(as_mapping(document).get("resourceSpans"))):
        for s, scope in enumerate(as_list(as_mapping(resource).get("scopeSpans"))):
            for i, item in enumerate(as_list(as_mapping(scope).get("spans"))):
                value = as_mapping(item)
                pointer = f"/resourceSpans/{r}/scopeSpans/{s}/spans/{i}"
                ref = RecordRef(place.file, place.line, pointer, place.byte_start, place.byte_end)
                start = as_text(value.get("startTimeUnixNano"))
                spans.append(
                    _Span(
                        as_text(value.get("spanId")),
                        as_text(value.get("parentSpanId")),
                        as_text(value.get("traceId")),
                        int(start) if start.isdecimal() and len(start) < 30 else 0,
                        len(spans),
                        ref,
                        value,
                        _attributes(value),
                    )
                )


def _attributes(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        as_text(as_mapping(item).get("key")): _plain(as_mapping(item).get("value"))
        for item in as_list(value.get("attributes"))
    }


def _plain(value: object) -> object:
    """Return the value of an OTLP attribute."""
    detail = as_mapping(value)
    if "arrayValue" in detail:
        return [_plain(item) for item in as_list(as_mapping(detail["arrayValue"]).get("values"))]
    if "kvlistValue" in detail:
        pairs = as_list(as_mapping(detail["kvlistValue"]).get("values"))
        return {as_text(as_mapping(item).get("key")): _plain(as_mapping(item).get("value")) for item in pairs}
    return next((item for item in detail.values()), None)


def _json(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value).value
    except BrokenJson:
        return None


class _Trace:
    """The spans of one session, in order of their start."""

    def __init__(self, builder: SessionBuilder, spans: list[_Span]) -> None:
        self.builder = builder
        self._spans = {span.id: span for span in spans}
        self._order = sorted(spans, key=lambda span: (span.start, span.order))
        self._told: dict[str | None, list[str]] = {}
        self._called: set[str] = set()
        self._answered: set[str] = set()

    def read(self) -> None:
        """Add all spans."""
        builder = self.builder
        for span in self._order:
            operation = as_text(span.attributes.get("gen_ai.operation.name"))
            time = iso_time(span.value.get("startTimeUnixNano"))
            builder.record(
                span.ref, label=f"span/{operation or as_text(span.value.get('name'))}", raw=dict(span.value), time=time
            )
            builder.model(span.attributes.get("gen_ai.response.model") or span.attributes.get("gen_ai.request.model"))
            builder.agent_id = self._agent(span)
            if operation == "invoke_agent" and builder.agent_id is None:
                builder.agent = as_text(span.attributes.get("gen_ai.agent.name")) or builder.agent
            if operation in _CHAT:
                self._chat(span)
            elif operation == "execute_tool":
                self._tool(span)
            elif operation in _QUIET or not operation:
                builder.skip(f"bookkeeping: span {operation or 'of no GenAI operation'}")
            builder.end_record()
            builder.agent_id = None

    def _agent(self, span: _Span) -> str | None:
        """Return the inner agent that a span belongs to, None for the outermost."""
        agents: list[str] = []
        at: _Span | None = span
        for _ in range(1_000):
            if at is None:
                break
            if at.attributes.get("gen_ai.operation.name") == "invoke_agent":
                agents.append(at.id)
            at = self._spans.get(at.parent) if at.parent else None
        return agents[0] if len(agents) > 1 else None

    def _chat(self, span: _Span) -> None:
        builder = self.builder
        asked = as_list(_json(span.attributes.get("gen_ai.input.messages")))
        answered = as_list(_json(span.attributes.get("gen_ai.output.messages")))
        system = _json(span.attributes.get("gen_ai.system_instructions"))
        if not asked and not answered:
            asked, answered = self._old_events(span)
        if not asked and not answered:
            builder.gap("content_not_recorded", "the span holds no messages: content capture was off")
            return
        told = self._told.setdefault(builder.agent_id, [])
        text = read_content(system if not isinstance(system, dict) else [system]).text
        if text and f"system {text}" not in told:
            told.insert(0, f"system {text}")
            builder.event("injected", "message", text)
        known = [key for key in told if not key.startswith("system ")]
        keys = [as_text(item) for item in asked]
        shared = next(
            (n for n, (a, b) in enumerate(zip(known, keys, strict=False)) if a != b), min(len(known), len(keys))
        )
        for item in asked[shared:]:
            self._message(as_mapping(item))
        for item in answered:
            self._message(as_mapping(item))
        self._told[builder.agent_id] = [
            *(key for key in told if key.startswith("system ")),
            *keys,
            *map(_as_asked, answered),
        ]
        if not builder.handled:
            builder.skip("chat span without a new message")

    def _old_events(self, span: _Span) -> tuple[list[Any], list[Any]]:
        """Return the messages of span events, the form up to version 1.36 of the conventions."""
        asked: list[Any] = []
        answered: list[Any] = []
        for item in as_list(span.value.get("events")):
            name, attributes = as_text(as_mapping(item).get("name")), _attributes(as_mapping(item))
            body = {**attributes, **as_mapping(_json(attributes.get("gen_ai.event.content")))}
            if name in _OLD_ROLES:
                asked.append({"role": _OLD_ROLES[name], **body})
            elif name == "gen_ai.choice":
                answered.append({"role": "assistant", **body, **as_mapping(_json(body.get("message")))})
        return asked, answered

    def _message(self, message: Mapping[str, Any]) -> None:
        builder, role = self.builder, as_text(message.get("role"))
        inner = builder.agent_id is not None
        parts = as_list(message.get("parts")) or [{"type": "text", "content": message.get("content")}]
        for item in [
            *parts,
            *({"type": "tool_call", **as_mapping(call)} for call in as_list(message.get("tool_calls"))),
        ]:
            part = as_mapping(item)
            kind, text = as_text(part.get("type")), read_content(part.get("content") or part.get("text")).text
            if kind == "tool_call":
                self._call(part)
            elif kind == "tool_call_response":
                self._answer(as_text(part.get("id")), read_content(part.get("response", part.get("result"))).text)
            elif kind == "reasoning":
                builder.reasoning(text)
            elif role == "tool":
                self._answer(as_text(message.get("tool_call_id") or message.get("id")), text)
            elif not text:
                continue
            elif role == "user":
                builder.event("model" if inner else "human", "prompt", text)
            elif role in ("system", "developer"):
                builder.event("injected", "message", text)
            else:
                builder.event(builder.speaker, "message", text)

    def _call(self, part: Mapping[str, Any]) -> None:
        function = as_mapping(part.get("function")) or part
        call_id = as_text(part.get("id"))
        if call_id and call_id in self._called:
            return
        self._called.add(call_id)
        self.builder.tool_call(
            as_text(function.get("name")) or "tool", function.get("arguments"), call_id=call_id or None
        )

    def _answer(self, call_id: str, text: str) -> None:
        if call_id not in self._answered:
            self._answered.add(call_id)
            self.builder.tool_result(text, "unknown", call_id=call_id or None)

    def _tool(self, span: _Span) -> None:
        attributes, builder = span.attributes, self.builder
        call_id = as_text(attributes.get("gen_ai.tool.call.id")) or f"span-{span.id}"
        name, arguments = as_text(attributes.get("gen_ai.tool.name")), attributes.get("gen_ai.tool.call.arguments")
        if arguments is None and call_id not in self._called:
            builder.gap("content_not_recorded", f"the arguments of {name} were not captured")
        self._call({"id": call_id, "name": name, "arguments": arguments})
        if call_id in self._answered:
            builder.skip("tool span whose result was told")
            return
        self._answered.add(call_id)
        error = as_text(attributes.get("error.type"))
        failed = bool(error) or as_mapping(span.value.get("status")).get("code") in (2, "STATUS_CODE_ERROR")
        status: ToolStatus = "timeout" if "timeout" in error.lower() else "error" if failed else "ok"
        told = as_text(as_mapping(span.value.get("status")).get("message"))
        text = read_content(
            _json(attributes.get("gen_ai.tool.call.result")) or attributes.get("gen_ai.tool.call.result")
        ).text
        builder.tool_result(text or told, status, call_id=call_id, meta={"error": error or None})


def _as_asked(message: object) -> str:
    """Return an answer as the next span repeats it: without the reason why it ended."""
    return as_text({key: value for key, value in as_mapping(message).items() if key != "finish_reason"})
