"""OpenHands V0: lists of action and observation events, evaluation and resolver outputs (part 7 of transcripts.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ebg.trajectory.events import RecordRef, Session, ToolStatus
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, read_content
from ebg.trajectory.readers._json import BrokenJson, parse_json
from ebg.trajectory.readers._registry import Reader, Record, elements
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER"]

_QUIET_ACTIONS = {"change_agent_state", "recall", "null", "condensation_request", "loop_recovery", "pause", "resume"}
_QUIET_OBSERVATIONS = {"null", "agent_state_changed", "think"}
_WRITTEN_BY_US = {
    "thought",
    "keep_prompt",
    "is_confirmed",
    "confirmation_state",
    "action_risk",
    "hidden",
    "security_risk",
    "blocking",
}


def _is_event(item: object) -> bool:
    if isinstance(item, list):  # older histories: [action, observation]
        return len(item) == 2 and all(map(_is_event, item))
    return isinstance(item, dict) and isinstance(item.get("action", item.get("observation")), str)


def _knows(shape: Shape, item: object) -> bool:
    if shape == "folder":
        names = list(item) if isinstance(item, list) else []
        return any(
            name.rsplit("/", 1)[-1][:-5].isdigit() and name.endswith(".json") and "events/" in f"/{name}"
            for name in names
        )
    if shape == "document" and isinstance(item, list):
        return bool(item) and _is_event(item[0])
    if shape in ("lines", "document") and isinstance(item, dict):
        history = item.get("history")
        if isinstance(history, list):
            return any(map(_is_event, history[:5])) or {"instruction", "metrics"} <= item.keys()
        return shape == "lines" and _is_event(item) and "source" in item
    return False


def _read(source: Source) -> Iterator[Session]:
    if source.is_folder:
        yield _session(source, _folder_events(source), source.path.name, {})
        return
    document = source.single()
    if document is None:
        yield from _line_sessions(source)
    elif isinstance(document, list):
        yield _session(source, _flat(elements(document, source.name, "")), source.path.stem, {})
    else:
        yield _output(source, as_mapping(document), RecordRef(source.name))


READER = Reader("openhands", _knows, _read)


def _line_sessions(source: Source) -> Iterator[Session]:
    """Yield one session a line of an output file; lines that are events themselves make one session."""
    events: list[Record] = []
    broken: list[RecordRef] = []
    for line in source.lines():
        ref = RecordRef(source.name, line=line.number, byte_start=line.start, byte_end=line.end)
        try:
            value = parse_json(line.data).value
        except BrokenJson:
            broken.append(ref)
            continue
        if isinstance(value, dict) and "history" in value:
            yield _output(source, value, ref)
        else:
            events.append(Record(as_mapping(value), ref, value))
    if events or broken:
        yield _session(source, events, source.path.stem, {}, broken)


def _output(source: Source, value: Mapping[str, Any], ref: RecordRef) -> Session:
    issue = as_mapping(value.get("issue"))
    name = as_text(value.get("instance_id")) or f"{as_text(issue.get('repo'))}-{as_text(issue.get('number'))}".strip(
        "-"
    )
    history = elements(as_list(value.get("history")), ref.file, f"{ref.pointer}/history")
    placed = (
        Record(item.value, RecordRef(ref.file, ref.line, item.ref.pointer, ref.byte_start, ref.byte_end), item.raw)
        for item in history
    )
    return _session(
        source, _flat(placed), name or source.path.stem, {key: item for key, item in value.items() if key != "history"}
    )


def _flat(records: Iterable[Record]) -> Iterator[Record]:
    for record in records:
        if isinstance(record.raw, list):
            for inner in elements(record.raw, record.ref.file, record.ref.pointer):
                ref = RecordRef(
                    record.ref.file, record.ref.line, inner.ref.pointer, record.ref.byte_start, record.ref.byte_end
                )
                yield Record(inner.value, ref, inner.raw)
        else:
            yield record


def _folder_events(source: Source) -> Iterator[Record]:
    names = [name for name in source.names() if name.rsplit("/", 1)[-1][:-5].isdigit() and name.endswith(".json")]
    for name in sorted(names, key=lambda name: int(name.rsplit("/", 1)[-1][:-5])):
        child = source.child(name)
        try:
            value = child.document().value
        except BrokenJson:
            value = {}
        source.digests.update(child.digests)
        yield Record(as_mapping(value), RecordRef(name), value)


def _session(
    source: Source, records: Iterable[Record], name: str, wrapper: Mapping[str, Any], broken: Iterable[RecordRef] = ()
) -> Session:
    builder = SessionBuilder(format="openhands", agent="openhands", id=name)
    reader = _Events(builder)
    for record in records:
        reader.add(record)
    for ref in broken:
        builder.lost_record(ref, "broken_line", f"line {ref.line} is no JSON")
    builder.end_record()
    builder.took(source)
    builder.model(as_mapping(as_mapping(wrapper.get("metadata")).get("llm_config")).get("model"))
    for pointer, text in (
        ("/test_result/git_patch", as_mapping(wrapper.get("test_result")).get("git_patch")),
        ("/git_patch", wrapper.get("git_patch")),
    ):
        if isinstance(text, str) and text:
            builder.event("harness", "checkpoint", text, pointer=pointer, meta={"type": "patch"})
    if wrapper.get("error"):
        builder.event("harness", "error", as_text(wrapper["error"]), pointer="/error")
    return builder.build()


class _Events:
    """The events of one session."""

    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder
        self._asked = False
        self._last_call: str | None = None
        self._spoken: set[str] = set()

    def add(self, record: Record) -> None:
        """Add one event."""
        value, builder = record.value, self.builder
        action, observation = as_text(value.get("action")), as_text(value.get("observation"))
        label = f"action/{action}" if action else f"observation/{observation}"
        builder.record(record.ref, label=label, raw=record.raw, time=value.get("timestamp"))
        if action:
            self._action(action, value, as_mapping(value["args"]) if isinstance(value.get("args"), dict) else value)
        elif observation:
            self._observation(observation, value)

    def _action(self, action: str, value: Mapping[str, Any], args: Mapping[str, Any]) -> None:
        builder = self.builder
        text = as_text(args.get("content") or value.get("message"))
        match action:
            case "message":
                self._message(text, as_text(value.get("source")) or ("user" if not self._asked else "agent"))
            case "system":
                builder.event("injected", "message", text)
            case "think":
                builder.reasoning(as_text(args.get("thought")))
            case "finish" | "reject":
                outputs = as_mapping(args.get("outputs"))
                final = (
                    args.get("final_thought") or args.get("thought") or value.get("message") or outputs.get("content")
                )
                builder.event("model", "message", as_text(final), meta={"phase": action})
            case "condensation":
                builder.event(
                    "harness", "compaction", "", meta={"forgotten": len(as_list(args.get("forgotten_event_ids")))}
                )
                if summary := as_text(args.get("summary")):
                    builder.event("model", "summary", summary)
            case _ if action in _QUIET_ACTIONS:
                builder.skip(f"bookkeeping: {action}")
            case _:
                self._call(action, value, args)

    def _message(self, text: str, source: str) -> None:
        if source == "user":
            self._asked = True
            self.builder.event("human", "prompt", text)
        else:
            self.builder.event("model" if source == "agent" else "harness", "message", text)

    def _call(self, action: str, value: Mapping[str, Any], args: Mapping[str, Any]) -> None:
        builder, meta = self.builder, as_mapping(value.get("tool_call_metadata"))
        call_id = as_text(meta.get("tool_call_id")) or f"event-{as_text(value.get('id')) or len(builder.drafts)}"
        response = as_mapping(meta.get("model_response"))
        message: Mapping[str, Any] = {}
        for choice in as_list(response.get("choices"))[:1]:
            message = as_mapping(as_mapping(choice).get("message"))
        builder.model(response.get("model"))
        said = as_text(args.get("thought")) or read_content(message.get("content")).text
        key = as_text(response.get("id"))
        if said.strip() and not (key and key in self._spoken):
            builder.event("model", "message", said)
        self._spoken.add(key)
        arguments: object = {
            name: item for name, item in args.items() if name not in _WRITTEN_BY_US and name != "action"
        }
        for item in as_list(message.get("tool_calls")):
            if as_mapping(item).get("id") == meta.get("tool_call_id"):
                arguments = as_mapping(as_mapping(item).get("function")).get("arguments", arguments)
        risk = args.get("security_risk")
        builder.tool_call(
            as_text(meta.get("function_name")) or action,
            arguments,
            call_id=call_id,
            meta={"action": action, "risk": risk},
        )
        self._last_call = call_id

    def _observation(self, kind: str, value: Mapping[str, Any]) -> None:
        builder = self.builder
        extras = as_mapping(value["extras"]) if isinstance(value.get("extras"), dict) else value
        text = as_text(value.get("content") or value.get("message"))
        if kind in _QUIET_OBSERVATIONS:
            builder.skip(f"bookkeeping: {kind}")
            return
        if kind == "recall":
            told = [as_text(as_mapping(item).get("content")) for item in as_list(extras.get("microagent_knowledge"))]
            builder.event("injected", "message", "\n\n".join([text, *told]))
            return
        call_id = as_text(as_mapping(value.get("tool_call_metadata")).get("tool_call_id"))
        if not call_id and isinstance(value.get("cause"), int):
            call_id = f"event-{value['cause']}"
        code = as_mapping(extras.get("metadata")).get("exit_code", extras.get("exit_code"))
        exit_code = code if isinstance(code, int) and code >= 0 else None
        status: ToolStatus = "unknown"
        if kind == "user_rejected":
            status = "rejected"
        elif kind == "error" or value.get("success") is False or exit_code:
            status = "error"
        elif exit_code == 0 or value.get("success") is True:
            status = "ok"
        builder.tool_result(text, status, exit_code=exit_code, call_id=call_id or self._last_call)
        if status == "rejected":
            builder.event("human", "rejection", text, meta={"of": call_id or None})
