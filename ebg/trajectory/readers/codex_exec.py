"""The event stream of `codex exec --json` (part 3 of transcripts.md). It holds no prompt: that is a gap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ebg.trajectory.events import Session, ToolStatus
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, read_content
from ebg.trajectory.readers._registry import Reader, json_lines
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER"]

_TYPES = {
    "thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.updated", "item.completed",
}  # fmt: skip
_STATUS: dict[str, ToolStatus] = {"completed": "ok", "failed": "error", "declined": "rejected"}


def _knows(shape: Shape, item: object) -> bool:
    if shape not in ("lines", "document") or not isinstance(item, dict):
        return False
    return as_text(item.get("type")) in _TYPES or (item.keys() == {"type", "message"} and item["type"] == "error")


def _read(source: Source) -> Iterator[Session]:
    builder = SessionBuilder(format="codex-exec", agent="codex", id=source.path.stem)
    begun: set[str] = set()
    for record in json_lines(source, builder):
        value, kind = record.value, as_text(record.value.get("type"))
        builder.record(record.ref, label=kind, raw=record.raw, time=value.get("timestamp"))
        if kind.startswith("item."):
            _item(builder, as_mapping(value.get("item")), kind == "item.completed", begun)
        elif kind == "thread.started":
            builder.id = as_text(value.get("thread_id")) or builder.id
            builder.gap("missing_prompt", "the stream of `codex exec --json` does not hold the prompt")
        elif kind in ("error", "turn.failed"):
            error = as_mapping(value.get("error")).get("message", value.get("message"))
            builder.event("harness", "error", as_text(error))
        elif kind in ("turn.started", "turn.completed"):
            builder.skip(f"bookkeeping: {kind}")
    yield builder.build()


READER = Reader("codex-exec", _knows, _read)


def _item(builder: SessionBuilder, item: Mapping[str, Any], done: bool, begun: set[str]) -> None:
    kind, name = as_text(item.get("type") or item.get("item_type")), as_text(item.get("id"))
    if kind in ("command_execution", "mcp_tool_call", "web_search", "collab_tool_call"):
        if name not in begun:
            begun.add(name)
            _call(builder, kind, item, name)
        elif not done:
            builder.skip("progress of an item")
        if done:
            _result(builder, kind, item, name)
        return
    if not done:
        builder.skip("progress of an item")
        return
    match kind:
        case "agent_message" | "assistant_message":
            builder.event("model", "message", as_text(item.get("text")))
        case "reasoning":
            builder.reasoning(as_text(item.get("text")))
        case "file_change":
            for index, value in enumerate(as_list(item.get("changes"))):
                change = as_mapping(value)
                meta = {"path": change.get("path"), "change": change.get("kind"), "status": item.get("status")}
                builder.event("tool", "file_change", "", pointer=f"/item/changes/{index}", meta=meta)
        case "todo_list":
            rows = [as_mapping(row) for row in as_list(item.get("items"))]
            text = "\n".join(
                f"[{'x' if row.get('completed') is True else ' '}] {as_text(row.get('text'))}" for row in rows
            )
            builder.event("model", "todo", text)
        case "error":
            builder.event("harness", "error", as_text(item.get("message")))


def _call(builder: SessionBuilder, kind: str, item: Mapping[str, Any], name: str) -> None:
    if kind == "mcp_tool_call":
        tool = f"mcp__{as_text(item.get('server'))}__{as_text(item.get('tool'))}"
        builder.tool_call(tool, item.get("arguments"), call_id=name)
    else:
        builder.tool_call(kind, {key: item[key] for key in ("command", "query") if key in item}, call_id=name)


def _result(builder: SessionBuilder, kind: str, item: Mapping[str, Any], name: str) -> None:
    code, status = item.get("exit_code"), _STATUS.get(as_text(item.get("status")), "unknown")
    text = as_text(item.get("aggregated_output"))
    if kind == "mcp_tool_call":
        text = read_content(as_mapping(item.get("result")).get("content")).text or as_text(item.get("error"))
    if kind == "web_search":
        status = "ok"
    builder.tool_result(text, status, exit_code=code if isinstance(code, int) else None, call_id=name)
