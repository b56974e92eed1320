"""Subagents live in files of their own; their work belongs to the session that started them."""

from __future__ import annotations

from collections.abc import Mapping

from ebg.trajectory.readers._builder import Draft, SessionBuilder

__all__ = ["place_subagents"]


def place_subagents(builder: SessionBuilder, groups: Mapping[str, list[Draft]], calls: Mapping[str, str]) -> None:
    """Put each subagent's events before the result of the call that started it, and name the call as their parent."""
    by_call: dict[str, list[Draft]] = {}
    for agent_id, drafts in groups.items():
        by_call.setdefault(calls.get(agent_id, ""), []).extend(drafts)
    starters = {draft.call_id: draft for draft in builder.drafts if draft.kind == "tool_call" and draft.call_id}
    parents = {agent_id: starters[call] for agent_id, call in calls.items() if call in starters}
    placed: list[Draft] = []
    for draft in builder.drafts:
        if draft.kind == "tool_result" and draft.call_id in starters:
            placed.extend(by_call.pop(draft.call_id or "", ()))
        placed.append(draft)
    for drafts in by_call.values():  # subagents whose call has no result, or is not known
        placed.extend(drafts)
    for draft in placed:
        if draft.agent_id:
            draft.parent = parents.get(draft.agent_id)
    builder.drafts = placed
