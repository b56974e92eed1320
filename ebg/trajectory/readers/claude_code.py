"""Claude Code sessions: JSONL with subagent files beside it, or the JSON of the web export (part 2 of transcripts.md).

A session is a tree of records, one content block each. User words stand in prompts, queued messages, rejected tool
results, answers to questions and plans; most records of role user are not the user.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ebg.trajectory.events import Session
from ebg.trajectory.readers._builder import Draft, SessionBuilder
from ebg.trajectory.readers._claude_people import says
from ebg.trajectory.readers._claude_queue import MessageQueue
from ebg.trajectory.readers._claude_results import answers_of, file_change, interpret
from ebg.trajectory.readers._claude_tree import RecordTree, subagent_files
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text, read_content, text_parts
from ebg.trajectory.readers._registry import Reader, Record, elements, json_lines
from ebg.trajectory.readers._source import Shape, Source
from ebg.trajectory.readers._subagents import place_subagents

__all__ = ["READER"]

_HELPERS = {
    "ai-title", "custom-title", "agent-name", "agent-color", "agent-setting", "last-prompt", "pr-link", "tag",
    "task-summary", "worktree-state",
}  # fmt: skip
_BOOKKEEPING = {"turn_duration", "bridge_status", "away_summary", "scheduled_task_fire"}
_SETTINGS = {"mode": "mode", "permission-mode": "permissionMode"}
_TREE_KEYS = {"uuid", "parentUuid"}


def _knows(shape: Shape, item: object) -> bool:
    if not isinstance(item, dict):
        return False
    if shape == "document" and isinstance(item.get("loglines"), list):
        return True
    if shape not in ("lines", "document") or not isinstance(item.get("type"), str):
        return False
    return (
        item.keys() >= _TREE_KEYS
        or ("message" in item and "sessionId" in item)
        or (item["type"] == "summary" and "leafUuid" in item)
        or (item["type"] == "file-history-snapshot" and "snapshot" in item)
        or (item["type"] in {*_HELPERS, *_SETTINGS, "queue-operation", "progress"} and "sessionId" in item)
        or (
            "sessionId" in item
            and "payload" not in item
            and "projectHash" not in item
            and "hook_event_name" not in item
        )
    )


def _read(source: Source) -> Iterator[Session]:
    builder = SessionBuilder(format="claude-code", agent="claude-code")
    main = _Transcript(builder)
    for record in _records(source, builder):
        main.add(record)
    builder.end_record()
    main.tree.mark_forks(builder.drafts)
    files = subagent_files(source, main.session_ids)
    groups: dict[str, list[Draft]] = {}
    for agent_id, file in files.items():
        start = len(builder.drafts)
        builder.agent_id = agent_id
        part = _Transcript(builder, main)
        for record in json_lines(file.source, builder):
            part.add(record)
        groups[agent_id] = builder.drafts[start:]
        del builder.drafts[start:]
    builder.agent_id = None
    for draft in main.progress:
        if groups.get(draft.agent_id or ""):
            builder.drop(draft, "progress of a subagent that has its own file")
    place_subagents(builder, groups, main.agent_calls | {key: file.call for key, file in files.items() if file.call})
    present = {draft.agent_id for draft in builder.drafts}
    for draft, agent_id in main.spawned:
        if agent_id not in present:
            builder.gap(
                "missing_subagent", f"the transcript of subagent {agent_id or 'without id'} is not there", draft
            )
    main.name_session(source)
    yield builder.build()


READER = Reader("claude-code", _knows, _read)


def _records(source: Source, builder: SessionBuilder) -> Iterator[Record]:
    document = source.single()
    if isinstance(document, dict) and "loglines" in document:
        yield from elements(as_list(document["loglines"]), source.name, "/loglines")
        builder.took(source)
    else:
        yield from json_lines(source, builder)


class _Transcript:
    """The records of one file."""

    def __init__(self, builder: SessionBuilder, main: _Transcript | None = None) -> None:
        self.builder = builder
        self.tree = RecordTree()
        self.seen: set[str] = main.seen if main else set()
        self.session_ids: Counter[str] = Counter()
        self.agent_calls: dict[str, str] = main.agent_calls if main else {}
        """Call that started a subagent, by the subagent's id."""
        self.spawned: list[tuple[Draft, str]] = []
        """Results of calls that started a subagent."""
        self.progress: list[Draft] = []
        """Events of subagents that were told as progress."""
        self._calls: dict[str, Draft] = {}
        self._queue = MessageQueue(builder)
        self._asked: dict[str, str] = main._asked if main else {}
        """Calls that start a subagent, by its prompt."""

    def name_session(self, source: Source) -> None:
        """Set the session's id: the one that most records have; another one is its parent."""
        ranked = [name for name, _ in self.session_ids.most_common()]
        self.builder.id = ranked[0] if ranked else source.path.stem
        self.builder.parent_session = ranked[1] if len(ranked) > 1 else None

    def add(self, record: Record) -> None:
        """Add one record."""
        value, builder = record.value, self.builder
        kind = as_text(value.get("type"))
        subtype = as_text(value.get("subtype")) if kind == "system" else ""
        label = f"{kind}/{subtype}" if subtype else kind
        uuid = value.get("uuid")
        builder.record(record.ref, label=label, raw=record.raw, time=value.get("timestamp"), key=uuid)
        if isinstance(uuid, str):
            if uuid in self.seen:
                builder.skip("copy of an earlier record")
                return
            self.seen.add(uuid)
            self.tree.add(uuid, value.get("parentUuid"))
        self._note(value)
        inner = builder.agent_id
        if inner is None and value.get("isSidechain") is True:
            builder.agent_id = self.tree.sidechain(uuid, value.get("agentId"))
        handler = getattr(self, "_on_" + kind.replace("-", "_"), None)
        if kind in _HELPERS:
            builder.skip(f"bookkeeping: {kind}")
        elif kind in _SETTINGS:
            builder.setting(kind, as_text(value.get(_SETTINGS[kind])))
        elif handler is not None:
            handler(value)
        builder.end_record()
        builder.agent_id = inner

    def _note(self, value: Mapping[str, Any]) -> None:
        if isinstance(session := value.get("sessionId"), str):
            self.session_ids[session] += 1
        for key, name in (("version", "agent_version"), ("cwd", "cwd"), ("gitBranch", "branch")):
            if isinstance(found := value.get(key), str) and found and self.builder.agent_id is None:
                setattr(self.builder, name, found)

    # --- what the agent does ----------------------------------------------------------------------------------------

    def _on_assistant(self, value: Mapping[str, Any]) -> None:
        builder, message = self.builder, as_mapping(value.get("message"))
        model = message.get("model")
        synthetic = model == "<synthetic>"
        if not synthetic:
            builder.model(model)
        meta = {"message": message.get("id")}
        for pointer, part in text_parts(message.get("content")):
            place = f"/message/content{pointer}"
            match part.get("type"):
                case "text":
                    if value.get("isApiErrorMessage") is True:
                        builder.event("harness", "error", as_text(part.get("text")), pointer=place)
                    else:
                        actor = "harness" if synthetic else builder.speaker
                        builder.event(actor, "message", as_text(part.get("text")), pointer=place, meta=meta)
                case "thinking":
                    builder.reasoning(as_text(part.get("thinking")), pointer=place, meta=meta)
                case "redacted_thinking":
                    builder.reasoning("", pointer=place, meta=meta)
                case "tool_use" | "server_tool_use" | "mcp_tool_use":
                    self._tool_use(part, place, meta)
                case _:
                    builder.event(
                        "model", "unknown", as_text(part), pointer=place, meta={"type": as_text(part.get("type"))}
                    )

    def _tool_use(self, part: Mapping[str, Any], place: str, meta: dict[str, Any]) -> None:
        call_id = as_text(part.get("id")) or None
        draft = self.builder.tool_call(
            as_text(part.get("name")) or "tool",
            part.get("input"),
            call_id=call_id,
            pointer=place,
            meta=meta,
        )
        if call_id:
            self._calls[call_id] = draft
            prompt = draft.call.arguments.get("prompt") if draft.call else None
            if isinstance(prompt, str):
                self._asked.setdefault(prompt, call_id)

    # --- role user --------------------------------------------------------------------------------------------------

    def _on_user(self, value: Mapping[str, Any]) -> None:
        content = as_mapping(value.get("message")).get("content")
        parts = list(text_parts(content))
        results = sum(part.get("type") == "tool_result" for _, part in parts)
        media = 0
        for pointer, part in parts:
            place = f"/message/content{pointer}"
            if part.get("type") == "tool_result":
                self._tool_result(part, value.get("toolUseResult") if results == 1 else None, place)
            elif part.get("type") == "text":
                self._text(as_text(part.get("text")), value, place)
            else:
                media += 1
        if media:
            if media == len(parts):
                self._text("[image]", value, "/message/content")
            self.builder.gap("media", f"{media} images or documents are not shown as text")
        if not parts:
            self.builder.skip("empty message")

    def _text(self, text: str, value: Mapping[str, Any], place: str) -> None:
        said = says(text, value, subagent=self.builder.agent_id is not None)
        if said.kind == "prompt" and said.actor == "human":
            self._queue.delivered(text)
        draft = self.builder.event(said.actor, said.kind, text, pointer=place, meta=said.meta)
        if said.kind == "prompt" and said.actor == "human" and self.builder.key:
            self.tree.prompt(self.builder.key)
        if said.kind == "prompt" and self.builder.agent_id:
            self._link_by_prompt(text, draft)

    def _link_by_prompt(self, text: str, draft: Draft) -> None:
        if draft.agent_id and text in self._asked:
            self.agent_calls.setdefault(draft.agent_id, self._asked[text])

    def _tool_result(self, part: Mapping[str, Any], extra: object, place: str) -> None:
        builder = self.builder
        call_id = as_text(part.get("tool_use_id")) or None
        content = read_content(part.get("content"))
        text = content.text
        outcome = interpret(text, part.get("is_error"), extra)
        draft = builder.tool_result(
            text, outcome.status, exit_code=outcome.exit_code, stored=outcome.stored, call_id=call_id, pointer=place
        )
        if content.media:
            builder.gap("media", f"{content.media} images of a tool result are not shown as text", draft)
        call = self._calls.get(call_id or "")
        name = call.call.name if call and call.call else ""
        if outcome.reason is not None:
            builder.event("human", "rejection", outcome.reason, pointer=place, meta={"of": call_id})
        elif name == "AskUserQuestion" and outcome.status == "ok":
            for question, answer in answers_of(text, extra):
                builder.event("human", "answer", answer, pointer=place, meta={"of": call_id, "question": question})
        elif name == "ExitPlanMode" and outcome.status == "ok":
            self._approved_plan(call, extra, place, call_id)
        change = file_change(extra)
        if change is not None and outcome.status == "ok":
            meta = {
                "path": change.path,
                "change": change.change,
                "user_modified": change.user_modified or None,
                "of": call_id,
            }
            builder.event("tool", "file_change", change.diff, pointer="/toolUseResult", meta=meta)
        if name in ("Task", "Agent") and call_id:
            agent_id = as_text(as_mapping(extra).get("agentId"))
            if agent_id:
                self.agent_calls.setdefault(agent_id, call_id)
            if outcome.status in ("ok", "error"):
                self.spawned.append((draft, agent_id))

    def _approved_plan(self, call: Draft | None, extra: object, place: str, call_id: str | None) -> None:
        plan = as_mapping(extra).get("plan")
        proposed = call.call.arguments.get("plan") if call and call.call else None
        self.builder.event("human", "approval", "", pointer=place, meta={"of": call_id})
        if isinstance(plan, str) and isinstance(proposed, str) and plan.strip() != proposed.strip():
            self.builder.event("human", "plan", plan, pointer="/toolUseResult/plan", meta={"of": call_id})

    # --- the harness ------------------------------------------------------------------------------------------------

    def _on_system(self, value: Mapping[str, Any]) -> None:
        subtype, builder = as_text(value.get("subtype")), self.builder
        text = as_text(value.get("content"))
        match subtype:
            case "compact_boundary" | "microcompact_boundary":
                detail = as_mapping(value.get("compactMetadata") or value.get("microcompactMetadata"))
                builder.event("harness", "compaction", text, meta={"micro": subtype[0] == "m" or None, **detail})
            case "stop_hook_summary":
                builder.event(
                    "harness",
                    "hook",
                    as_text(value.get("hookErrors") or ""),
                    meta={"stopped": value.get("preventedContinuation")},
                )
            case "api_error":
                builder.event(
                    "harness", "error", text or as_text(value.get("error")), meta={"retry": value.get("retryAttempt")}
                )
            case "local_command" | "informational" | "warning":
                builder.event("harness", "message", text)
            case _ if subtype in _BOOKKEEPING:
                builder.skip(f"bookkeeping: {subtype}")

    def _on_progress(self, value: Mapping[str, Any]) -> None:
        data, builder = as_mapping(value.get("data")), self.builder
        kind = as_text(data.get("type"))
        agent_id, inner = data.get("agentId"), as_mapping(data.get("message"))
        if kind != "agent_progress" or not isinstance(agent_id, str) or inner.get("type") not in ("user", "assistant"):
            builder.skip(f"progress: {kind}")
            return
        if isinstance(call_id := value.get("parentToolUseID"), str):
            self.agent_calls.setdefault(agent_id, call_id)
        start = len(builder.drafts)
        builder.agent_id, builder.key = agent_id, None
        (self._on_user if inner["type"] == "user" else self._on_assistant)(inner)
        self.progress.extend(builder.drafts[start:])

    def _on_attachment(self, value: Mapping[str, Any]) -> None:
        detail, builder = as_mapping(value.get("attachment")), self.builder
        kind = as_text(detail.get("type"))
        if kind == "queued_command" and detail.get("commandMode", "prompt") == "prompt":
            self._queue.attached(read_content(detail.get("prompt")).text)
            return
        text = as_text(detail.get("content") or detail.get("prompt") or detail.get("stdout") or "")
        is_hook = kind.startswith("hook")
        builder.event("harness" if is_hook else "injected", "hook" if is_hook else "message", text, meta={"type": kind})

    def _on_queue_operation(self, value: Mapping[str, Any]) -> None:
        self._queue.operation(as_text(value.get("operation")), value.get("content"))

    def _on_summary(self, value: Mapping[str, Any]) -> None:
        self.builder.event(
            "harness", "summary", as_text(value.get("summary")), meta={"title": True, "leaf": value.get("leafUuid")}
        )

    def _on_file_history_snapshot(self, value: Mapping[str, Any]) -> None:
        files = as_mapping(as_mapping(value.get("snapshot")).get("trackedFileBackups"))
        self.builder.event(
            "harness", "checkpoint", "", meta={"files": len(files), "update": value.get("isSnapshotUpdate") or None}
        )
