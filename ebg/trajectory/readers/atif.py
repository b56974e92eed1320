"""ATIF trajectories (Harbor and others), versions 1.0 to 1.7 (part 10 of transcripts.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from ebg.trajectory.events import Session, ToolStatus
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, read_content
from ebg.trajectory.readers._registry import Reader, Record, elements
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER"]

_STATUS: dict[str, ToolStatus] = {
    **{status: status for status in get_args(ToolStatus)},
    "completed": "ok",
    "success": "ok",
    "failed": "error",
}


def _knows(shape: Shape, item: object) -> bool:
    return shape in ("document", "lines") and as_text(as_mapping(item).get("schema_version")).startswith("ATIF")


def _read(source: Source) -> Iterator[Session]:
    document = as_mapping(source.document().value)
    agent = as_mapping(document.get("agent"))
    name = as_text(document.get("session_id") or document.get("trajectory_id")) or source.path.stem
    builder = SessionBuilder(format="atif", agent=as_text(agent.get("name")) or "unknown", id=name)
    builder.took(source)
    builder.agent_version = as_text(agent.get("version")) or None
    builder.model(agent.get("model_name"))
    _trajectory(builder, document, source.name, "")
    builder.end_record()
    if document.get("continued_trajectory_ref"):
        builder.gap("continued_elsewhere", f"the session goes on in {as_text(document['continued_trajectory_ref'])}")
    yield builder.build()


READER = Reader("atif", _knows, _read)


def _trajectory(builder: SessionBuilder, document: Mapping[str, Any], file: str, pointer: str) -> None:
    for step in elements(as_list(document.get("steps")), file, f"{pointer}/steps"):
        builder.record(step.ref, label="step", raw=step.raw, time=step.value.get("timestamp"))
        _step(builder, step)
    builder.end_record()
    for index, item in enumerate(as_list(document.get("subagent_trajectories")) if builder.agent_id is None else []):
        inner = as_mapping(item)
        builder.agent_id = as_text(inner.get("trajectory_id") or inner.get("session_id")) or f"agent-{index}"
        _trajectory(builder, inner, file, f"/subagent_trajectories/{index}")
    builder.agent_id = None


def _step(builder: SessionBuilder, step: Record) -> None:
    value = step.value
    if value.get("is_copied_context") is True:
        builder.skip("copy of an earlier step")
        return
    builder.model(value.get("model_name"))
    content = read_content(value.get("message"))
    source = value.get("source")
    calls, results = as_list(value.get("tool_calls")), as_list(as_mapping(value.get("observation")).get("results"))
    if reasoning := as_text(value.get("reasoning_content")):
        builder.reasoning(reasoning, pointer="/reasoning_content")
    if source == "user":
        builder.event("human" if builder.agent_id is None else "model", "prompt", content.text, pointer="/message")
    elif source == "system":
        builder.event("injected", "message", content.text, pointer="/message")
    elif content.text:
        builder.event(builder.speaker, "message", content.text, pointer="/message")
    if content.media:
        builder.gap("media", f"{content.media} parts are not shown as text")
    for index, item in enumerate(calls):
        call = as_mapping(item)
        name = as_text(call.get("function_name")) or "tool"
        call_id = as_text(call.get("tool_call_id")) or None
        builder.tool_call(name, call.get("arguments"), call_id=call_id, pointer=f"/tool_calls/{index}")
    for index, item in enumerate(results):
        _result(builder, as_mapping(item), calls, f"/observation/results/{index}")
    if not (content.text or calls or results or reasoning) and source == "agent":
        builder.skip("empty step")


def _result(builder: SessionBuilder, result: Mapping[str, Any], calls: list[Any], place: str) -> None:
    call_id = as_text(result.get("source_call_id"))
    if not call_id and len(calls) == 1:
        call_id = as_text(as_mapping(calls[0]).get("tool_call_id"))
    extra = as_mapping(result.get("extra"))
    code = next((extra[key] for key in ("exit_code", "returncode") if isinstance(extra.get(key), int)), None)
    status = _STATUS.get(as_text(extra.get("status")), "unknown")
    if extra.get("is_error") is True or code:
        status = "error"
    elif code == 0 or extra.get("is_error") is False:
        status = "ok"
    draft = builder.tool_result(
        read_content(result.get("content")).text, status, exit_code=code, call_id=call_id or None, pointer=place
    )
    for reference in as_list(result.get("subagent_trajectory_ref")):
        path = as_mapping(reference).get("trajectory_path")
        if path:
            builder.gap("missing_subagent", f"the subagent's trajectory lies in {as_text(path)}", draft)
