"""Codex rollouts: JSONL of wrapped items, plain or `.zst`, and the oldest bare items (part 3 of transcripts.md).

Every prompt and every answer stands twice, once as an item and once as an event; the second is counted, not repeated.
Messages of role user are the person only when they carry no mark of injection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ebg.trajectory.events import Session
from ebg.trajectory.readers._builder import Draft, SessionBuilder
from ebg.trajectory.readers._codex_outputs import read_output
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, read_content
from ebg.trajectory.readers._registry import Reader, elements, json_lines
from ebg.trajectory.readers._source import Shape, Source
from ebg.trajectory.readers._tools import parse_arguments
from ebg.trajectory.readers._twins import Twins

__all__ = ["READER"]

_WRAPPERS = {
    "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state",
    "inter_agent_communication", "inter_agent_communication_metadata",
}  # fmt: skip
_ITEMS = {
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
    "local_shell_call", "web_search_call",
}  # fmt: skip
_INJECTED = (
    "# AGENTS.md instructions", "<environment_context>", "<turn_aborted>", "<user_instructions>",
    "<subagent_notification>", "<permissions instructions>", "<collaboration_mode>", "<skills_instructions>",
    "<INSTRUCTIONS>",
)  # fmt: skip
_BOOKKEEPING = {
    "task_complete",
    "thread_name_updated",
    "token_count",
    "turn_complete",
    "task_started",
    "turn_started",
    "context_compacted",
    "web_search_begin",
    "web_search_end",
    "image_generation_end",
}
_LOUD = {"error", "stream_error", "warning", "model_reroute"}
_TOLD = {"thread_goal_updated", "sub_agent_activity", "entered_review_mode", "exited_review_mode", "background_event"}


def _knows(shape: Shape, item: object) -> bool:
    if shape == "document" and isinstance(item, list):  # a list of the Responses API
        return bool(item) and all(as_text(as_mapping(entry).get("type")) in _ITEMS for entry in item[:20])
    if shape not in ("lines", "document") or not isinstance(item, dict):
        return False
    if as_text(item.get("type")) in _WRAPPERS and "payload" in item:
        return True
    if item.get("record_type") == "state" or (
        {"id", "timestamp", "instructions"} <= item.keys() and "type" not in item
    ):
        return True
    return shape == "lines" and as_text(item.get("type")) in _ITEMS and "uuid" not in item and "sessionId" not in item


def _read(source: Source) -> Iterator[Session]:
    builder = SessionBuilder(format="codex", agent="codex", id=source.path.stem)
    rollout = _Rollout(builder)
    document = source.single()
    records = elements(document, source.name, "") if isinstance(document, list) else json_lines(source, builder)
    for record in records:
        rollout.add(record.value, record.ref, record.raw)
    builder.took(source)
    yield builder.build()


READER = Reader("codex", _knows, _read)


class _Rollout:
    """The state of one rollout while it is read."""

    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder
        self._twins = Twins()
        self._early: dict[str, Draft] = {}
        """Results told by an end event, until the output itself comes."""
        self._running: dict[str, str] = {}
        """Call that started a running session, by the session's number."""
        self._tools: dict[str, str] = {}
        self._rollbacks = 0
        self._items = 0

    def add(self, value: Mapping[str, Any], ref: Any, raw: object) -> None:
        """Add one line."""
        builder, kind = self.builder, as_text(value.get("type"))
        wrapped = kind in _WRAPPERS and "payload" in value
        payload = as_mapping(value.get("payload")) if wrapped else value
        inner = as_text(payload.get("type")) if kind in ("response_item", "event_msg") else ""
        label = "/".join(part for part in (kind or as_text(value.get("record_type")) or "metadata", inner) if part)
        builder.record(ref, label=label, raw=raw, time=value.get("timestamp"))
        if kind == "response_item" or (not wrapped and kind in _ITEMS):
            self._items += 1
            self._item(payload)
        elif kind == "event_msg":
            self._event(payload)
        elif kind == "inter_agent_communication_metadata":
            builder.skip(f"bookkeeping: {kind}")
        elif wrapped:
            getattr(self, "_on_" + kind)(payload)
        elif value.get("record_type") == "state":
            builder.skip("bookkeeping: state")
        elif "instructions" in value and not kind:
            self._on_session_meta(value)

    # --- items: what the model saw and wrote ------------------------------------------------------------------------

    def _item(self, item: Mapping[str, Any]) -> None:
        builder, kind = self.builder, as_text(item.get("type"))
        match kind:
            case "message":
                self._message(item)
            case "reasoning":
                self._reasoning(item)
            case "agent_message":
                meta = {"author": item.get("author"), "recipient": item.get("recipient")}
                builder.event("subagent", "message", read_content(item.get("content")).text, meta=meta)
            case "compaction" | "context_compaction":
                builder.event("harness", "compaction", "", meta={"encrypted": "encrypted_content" in item or None})
            case "ghost_snapshot":
                builder.event("harness", "checkpoint", as_text(item.get("ghost_commit")))
            case _ if kind.endswith("_call_output"):
                self._output(item)
            case _ if kind.endswith("_call"):
                self._call(kind, item)

    def _message(self, item: Mapping[str, Any]) -> None:
        role, content = item.get("role"), read_content(item.get("content"))
        text = content.text
        if role == "assistant":
            self._say(text, "item", item.get("phase"))
        elif role != "user" or text.lstrip().startswith(_INJECTED):
            self.builder.event("injected", "message", text, meta={"role": role})
        else:
            self._ask(text, "item", content.media)

    def _say(self, text: str, side: str, phase: object) -> None:
        if self._twins.is_second(f"say {side}", "say event" if side == "item" else "say item", text):
            self.builder.skip("twin of a message")
        else:
            self.builder.event("model", "message", text, meta={"phase": phase})

    def _ask(self, text: str, side: str, media: int) -> None:
        if self._twins.is_second(f"ask {side}", "ask event" if side == "item" else "ask item", text):
            self.builder.skip("twin of a prompt")
            return
        draft = self.builder.event("human", "prompt", text, meta={"media": media or None})
        if media:
            self.builder.gap("media", f"{media} images are not shown as text", draft)

    def _reasoning(self, item: Mapping[str, Any]) -> None:
        parts = [*as_list(item.get("summary")), *as_list(item.get("content"))]
        text = read_content(parts).text
        if text and self._twins.is_second("think item", "think event", text):
            self.builder.skip("twin of a reasoning")
        else:
            self.builder.reasoning(text)

    def _call(self, kind: str, item: Mapping[str, Any]) -> None:
        call_id = as_text(item.get("call_id")) or None
        name = as_text(item.get("name")) or kind.removesuffix("_call")
        if isinstance(item.get("namespace"), str):
            name = f"{item['namespace']}__{name}"
        meta: dict[str, Any] = {"status": item.get("status")}
        if kind == "custom_tool_call":
            draft = self.builder.tool_call(name, None, raw=as_text(item.get("input")), call_id=call_id, meta=meta)
        else:
            arguments = item.get("arguments", item.get("action"))
            parsed, _ = parse_arguments(arguments)
            meta |= {key: parsed.get(key) for key in ("sandbox_permissions", "justification", "prefix_rule")}
            if "session_id" in parsed:
                meta["goes_on_with"] = self._running.get(as_text(parsed["session_id"]))
            draft = self.builder.tool_call(name, arguments, call_id=call_id, meta=meta)
        if name == "spawn_agent":
            self.builder.gap("missing_subagent", "the subagent's own rollout is not joined", draft)
        if call_id:
            self._tools[call_id] = name

    def _output(self, item: Mapping[str, Any]) -> None:
        builder, call_id = self.builder, as_text(item.get("call_id")) or None
        output = read_output(item.get("output"))
        early = self._early.pop(call_id or "", None)
        status, code = output.status, output.exit_code
        if early is not None and early.result is not None:
            builder.drop(early, "end event of a call")
            if code is None and output.running is None:
                status, code = early.result.status, early.result.exit_code
        if output.running and call_id:
            self._running[output.running] = call_id
        meta = {"running": output.running}
        builder.tool_result(output.text, status, exit_code=code, call_id=call_id, meta=meta)
        if status == "rejected":
            builder.event("human", "rejection", "", meta={"of": call_id})

    # --- events: what the program told -------------------------------------------------------------------------------

    def _event(self, event: Mapping[str, Any]) -> None:
        builder, kind = self.builder, as_text(event.get("type"))
        if kind in _BOOKKEEPING:
            builder.skip(f"bookkeeping: {kind}")
        elif kind in _LOUD:
            builder.event("harness", "error", as_text(event.get("message")), meta={"type": kind})
        elif kind in _TOLD:
            builder.event("harness", "message", as_text(event.get("message") or dict(event)), meta={"type": kind})
            if kind == "entered_review_mode":
                builder.gap("review_mode", "tool calls of review mode are not recorded")
        elif handler := getattr(self, "_event_" + kind, None):
            handler(event)

    def _event_user_message(self, event: Mapping[str, Any]) -> None:
        media = len(as_list(event.get("images"))) + len(as_list(event.get("local_images")))
        text = as_text(event.get("message"))
        if text.lstrip().startswith(_INJECTED):
            self.builder.event("injected", "message", text)
        else:
            self._ask(text, "event", media)

    def _event_agent_message(self, event: Mapping[str, Any]) -> None:
        self._say(as_text(event.get("message")), "event", event.get("phase"))

    def _event_agent_reasoning(self, event: Mapping[str, Any]) -> None:
        text = as_text(event.get("text"))
        if self._twins.is_second("think event", "think item", text):
            self.builder.skip("twin of a reasoning")
        else:
            self.builder.reasoning(text)

    _event_agent_reasoning_raw_content = _event_agent_reasoning

    def _event_turn_aborted(self, event: Mapping[str, Any]) -> None:
        reason = as_text(event.get("reason"))
        self.builder.event("human" if reason == "interrupted" else "harness", "interrupt", reason)

    def _event_exec_command_end(self, event: Mapping[str, Any]) -> None:
        code = event.get("exit_code")
        text = as_text(event.get("aggregated_output")) or as_text(event.get("stdout")) + as_text(event.get("stderr"))
        self._end(event, text, code == 0, code if isinstance(code, int) else None)

    def _event_mcp_tool_call_end(self, event: Mapping[str, Any]) -> None:
        result = as_mapping(event.get("result"))
        inner = as_mapping(result.get("Ok"))
        self._end(
            event, read_content(inner.get("content")).text, "Ok" in result and inner.get("isError") is not True, None
        )

    def _event_patch_apply_end(self, event: Mapping[str, Any]) -> None:
        done = event.get("success") is not False
        self._end(event, as_text(event.get("stdout")) + as_text(event.get("stderr")), done, None)
        for path, value in as_mapping(event.get("changes")).items() if done else ():
            change = as_mapping(value)
            diff = as_text(change.get("unified_diff") or change.get("content"))
            meta = {
                "path": path,
                "change": change.get("type"),
                "moved_to": change.get("move_path"),
                "of": event.get("call_id"),
            }
            self.builder.event("tool", "file_change", diff, meta=meta)

    def _end(self, event: Mapping[str, Any], text: str, done: bool, code: int | None) -> None:
        call_id = as_text(event.get("call_id"))
        draft = self.builder.tool_result(text, "ok" if done else "error", exit_code=code, call_id=call_id or None)
        self._early[call_id] = draft

    def _event_item_completed(self, event: Mapping[str, Any]) -> None:
        item = as_mapping(event.get("item"))
        if str(item.get("type")).lower() == "plan":
            self.builder.event("model", "plan", as_text(item.get("text")))
        else:
            self.builder.skip(f"bookkeeping: item_completed {as_text(item.get('type'))}")

    def _event_thread_rolled_back(self, event: Mapping[str, Any]) -> None:
        turns = event.get("num_turns")
        count = turns if isinstance(turns, int) and turns > 0 else 0
        self._rollbacks += 1
        for draft in reversed(self.builder.drafts if count else []):
            if draft.branch_id is None and not draft.dropped:
                draft.branch_id = f"rollback-{self._rollbacks}"
                if draft.actor == "human" and draft.kind == "prompt":
                    count -= 1
                    if count == 0:
                        break
        self.builder.event("human", "interrupt", "", meta={"rolled_back_turns": turns})

    # --- the other lines ----------------------------------------------------------------------------------------------

    def _on_session_meta(self, meta: Mapping[str, Any]) -> None:
        builder, git = self.builder, as_mapping(meta.get("git"))
        builder.id = as_text(meta.get("id") or meta.get("session_id")) or builder.id
        builder.agent_version = as_text(meta.get("cli_version")) or builder.agent_version
        builder.cwd = as_text(meta.get("cwd")) or builder.cwd
        builder.branch = as_text(git.get("branch")) or builder.branch
        spawned = as_mapping(as_mapping(as_mapping(meta.get("source")).get("subagent")).get("thread_spawn"))
        builder.parent_session = (
            as_text(meta.get("forked_from_id") or spawned.get("parent_thread_id")) or builder.parent_session
        )
        builder.seen_time(as_text(meta.get("timestamp")) or None)
        instructions = as_text(as_mapping(meta.get("base_instructions")).get("text")) or as_text(
            meta.get("instructions")
        )
        if instructions:
            builder.event("injected", "message", instructions, meta={"role": "instructions"})
        else:
            builder.skip("bookkeeping: session_meta")

    def _on_turn_context(self, context: Mapping[str, Any]) -> None:
        sandbox = as_mapping(context.get("sandbox_policy"))
        self.builder.model(context.get("model"))
        self.builder.cwd = self.builder.cwd or as_text(context.get("cwd")) or None
        online = sandbox.get("network_access")
        network = "" if not isinstance(online, bool) else "network on" if online else "network off"
        parts = [
            f"approval {as_text(context.get('approval_policy'))}",
            f"sandbox {as_text(sandbox.get('type'))}",
            network,
        ]
        self.builder.setting("permissions", ", ".join(part for part in parts if part), {"model": context.get("model")})

    def _on_compacted(self, payload: Mapping[str, Any]) -> None:
        kept = as_list(payload.get("replacement_history"))
        self.builder.event("harness", "compaction", "", meta={"kept_items": len(kept)})
        if text := as_text(payload.get("message")):
            self.builder.event("model", "summary", text, pointer="/payload/message")
        if self._items == 0:
            self.builder.gap("rewritten_history", "the record begins with a compaction: what was before it is gone")

    def _on_world_state(self, payload: Mapping[str, Any]) -> None:
        # The list of approved commands can come from other projects: only its length is kept.
        approved = as_list(as_mapping(payload.get("permissions")).get("approved_command_prefixes"))
        self.builder.setting("world_state", f"{len(approved)} approved command prefixes")

    def _on_inter_agent_communication(self, payload: Mapping[str, Any]) -> None:
        self.builder.event(
            "subagent", "message", as_text(payload.get("content") or payload.get("message") or dict(payload))
        )
