"""OpenHands V1 (software-agent-sdk): events with a `kind`, in a folder, a list or JSONL (part 7 of transcripts.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ebg.trajectory.events import Actor, RecordRef, Session, ToolStatus
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, read_content
from ebg.trajectory.readers._json import BrokenJson
from ebg.trajectory.readers._registry import Reader, Record, elements, json_lines
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER"]

_KIND = re.compile(r"^(?:\w+Event|Condensation|CondensationRequest|UserRejectObservation)$")
_EVENT_FILE = re.compile(r"(?:^|/)events/event-\d+-[^/]*\.json$")
_STATE_KEYS = {"id", "agent", "execution_status"}


def _knows(shape: Shape, item: object) -> bool:
    if shape == "folder":
        return any(_EVENT_FILE.search(name) for name in as_list(item))
    if shape == "document" and isinstance(item, list):
        return bool(item) and _is_event(item[0])
    return shape in ("lines", "document") and (_is_event(item) or (shape == "document" and _is_state(item)))


def _is_event(item: object) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("kind"), str)
        and bool(_KIND.match(item["kind"]))
        and "source" in item
    )


def _is_state(item: object) -> bool:
    return isinstance(item, dict) and item.keys() >= _STATE_KEYS and "llm" in as_mapping(item.get("agent"))


def _read(source: Source) -> Iterator[Session]:
    builder = SessionBuilder(format="openhands-v1", agent="openhands", id=source.path.stem)
    events = _Events(builder)
    for record in _records(source, builder):
        events.add(record)
    builder.end_record()
    builder.took(source)
    yield builder.build()


READER = Reader("openhands-v1", _knows, _read)


def _records(source: Source, builder: SessionBuilder) -> Iterator[Record]:
    if source.is_folder:
        names = source.names()
        for name in [name for name in names if name.endswith("base_state.json")][:1] + sorted(
            filter(_EVENT_FILE.search, names)
        ):
            child = source.child(name)
            try:
                value = child.document().value
            except BrokenJson as exc:
                builder.lost_record(RecordRef(name), "broken_record", f"{name} is no JSON: {exc}")
                continue
            source.digests.update(child.digests)
            yield Record(as_mapping(value), RecordRef(name), value)
        return
    document = source.single()
    if document is None:
        yield from json_lines(source, builder)
    elif isinstance(document, list):
        yield from elements(document, source.name, "")
    else:
        yield Record(as_mapping(document), RecordRef(source.name), document)
        if _is_state(document):
            builder.gap("missing_events", "this is the state of a conversation; its events lie in the folder beside it")


class _Events:
    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder

    def add(self, record: Record) -> None:
        """Add one event."""
        value, builder = record.value, self.builder
        kind = as_text(value.get("kind"))
        builder.record(
            record.ref, label=kind or "state", raw=record.raw, time=value.get("timestamp"), key=value.get("id")
        )
        if _is_state(value):
            self._state(value)
        elif handler := getattr(self, "_on_" + kind, None):
            handler(value)

    def _state(self, value: Mapping[str, Any]) -> None:
        llm = as_mapping(as_mapping(value.get("agent")).get("llm"))
        self.builder.id = as_text(value.get("id")) or self.builder.id
        self.builder.model(llm.get("model"))
        self.builder.skip("bookkeeping: state")

    def _on_SystemPromptEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802  # named by the kind of event
        self.builder.event(
            "injected",
            "message",
            read_content(as_mapping(value.get("system_prompt")) or value.get("system_prompt")).text,
        )

    def _on_MessageEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        message = as_mapping(value.get("llm_message"))
        content = read_content(message.get("content"))
        source = value.get("source")
        if source == "user":
            draft = self.builder.event("human", "prompt", content.text)
        else:
            draft = self.builder.event("model" if source == "agent" else "harness", "message", content.text)
        if content.media:
            self.builder.gap("media", f"{content.media} images are not shown as text", draft)
        if extra := read_content(value.get("extended_content")).text:
            self.builder.event("injected", "message", extra, pointer="/extended_content")

    def _on_ActionEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        builder = self.builder
        if reasoning := as_text(value.get("reasoning_content")):
            builder.reasoning(reasoning, pointer="/reasoning_content")
        if (said := read_content(value.get("thought")).text).strip():
            builder.event("model", "message", said, pointer="/thought", meta={"response": value.get("llm_response_id")})
        call, action = as_mapping(value.get("tool_call")), value.get("action")
        name = as_text(value.get("tool_name") or call.get("name"))
        meta = {"risk": value.get("security_risk"), "summary": value.get("summary")}
        arguments = call.get("arguments") or action
        call_id = as_text(value.get("tool_call_id")) or None
        draft = builder.tool_call(name, arguments, call_id=call_id, pointer="/action", meta=meta)
        if action is None:
            builder.gap("broken_arguments", f"the call of {name} could not be parsed by the agent", draft)

    def _on_ObservationEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        seen = as_mapping(value.get("observation"))
        code = as_mapping(seen.get("metadata")).get("exit_code", seen.get("exit_code"))
        exit_code = code if isinstance(code, int) and code >= 0 else None
        status: ToolStatus = "ok"
        if seen.get("timeout") is True:
            status = "timeout"
        elif seen.get("is_error") is True or exit_code:
            status = "error"
        text = read_content(seen.get("content") or seen.get("output")).text
        call_id = as_text(value.get("tool_call_id")) or None
        draft = self.builder.tool_result(text, status, exit_code=exit_code, call_id=call_id)
        if isinstance(saved := seen.get("full_output_save_dir"), str) and draft.meta is None:
            draft.meta = {"saved": saved}

    def _on_UserRejectObservation(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        reason, call_id = as_text(value.get("rejection_reason")), as_text(value.get("tool_call_id")) or None
        self.builder.tool_result(reason, "rejected", call_id=call_id)
        actor: Actor = "harness" if value.get("rejection_source") == "hook" else "human"
        self.builder.event(actor, "rejection", reason, meta={"of": call_id})

    def _on_AgentErrorEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        self.builder.tool_result(
            as_text(value.get("error")), "error", call_id=as_text(value.get("tool_call_id")) or None
        )

    def _on_ConversationErrorEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        self.builder.event("harness", "error", as_text(value.get("detail") or value.get("code")))

    def _on_Condensation(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        self.builder.event(
            "harness", "compaction", "", meta={"forgotten": len(as_list(value.get("forgotten_event_ids")))}
        )
        if summary := as_text(value.get("summary")):
            self.builder.event("model", "summary", summary, pointer="/summary")

    def _on_PauseEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        self.builder.event("human", "interrupt", as_text(value.get("source")))

    _on_InterruptEvent = _on_PauseEvent  # noqa: N815

    def _on_HookExecutionEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        meta = {
            "type": value.get("hook_event_type"),
            "blocked": value.get("blocked"),
            "exit_code": value.get("exit_code"),
        }
        self.builder.event("harness", "hook", as_text(value.get("stdout")) + as_text(value.get("stderr")), meta=meta)

    def _on_ConversationStateUpdateEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        if value.get("key") == "execution_status":
            self.builder.setting("execution_status", as_text(value.get("value")))
        else:
            self.builder.skip("bookkeeping: state update")

    def _on_CondensationRequest(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        self.builder.skip("bookkeeping: " + as_text(value.get("kind")))

    _on_LLMCompletionLogEvent = _on_CondensationRequest  # noqa: N815
    _on_TokenEvent = _on_CondensationRequest  # noqa: N815

    def _on_ACPToolCallEvent(self, value: Mapping[str, Any]) -> None:  # noqa: N802
        call_id = as_text(value.get("tool_call_id")) or None
        name = as_text(value.get("title") or value.get("tool_kind")) or "tool"
        if not any(draft.call_id == call_id and draft.kind == "tool_call" for draft in self.builder.drafts[-200:]):
            self.builder.tool_call(name, value.get("raw_input"), call_id=call_id)
        if value.get("status") in ("completed", "failed"):
            status: ToolStatus = "ok" if value["status"] == "completed" else "error"
            self.builder.tool_result(
                read_content(value.get("content")).text or as_text(value.get("raw_output")), status, call_id=call_id
            )
