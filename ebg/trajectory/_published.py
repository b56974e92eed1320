"""The published form of a session's graph: plain JSON values with the release's field names (parts 1.2 to 1.7).

Two things of ours have no place in it: how a relation was found, and the ranges of its support. They are written as
extra keys only where they say more than the reference rules give, so a graph of these rules has exactly the published
keys. `strict` leaves out relations and keys that are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ebg.errors import GraphError
from ebg.trajectory._build import collect_tasks
from ebg.trajectory._model import (
    BENCHMARK,
    Compat,
    Ref,
    TaskRelation,
    TaskRelationType,
    TaskResolution,
    TraceBehavior,
    TraceEvidence,
    TrajectoryGraph,
)

__all__ = ["from_published", "to_published"]

Json = dict[str, object]


def to_published(graph: TrajectoryGraph, *, strict: bool = False) -> Json:
    """Return the graph as the published trajectory form: input_id, benchmark, evidence, behaviors, edges.

    Args:
        graph: the graph.
        strict: leave out file hand-overs and every key that the published form does not know.
    """
    relations = [item for item in graph.relations if not (strict and item.resolution == "file")]
    edges = [_edge(item, number, extra=not strict) for number, item in enumerate(relations, start=1)]
    return {
        "input_id": graph.input_id,
        "benchmark": graph.benchmark or BENCHMARK,
        "evidence": [_evidence(item) for item in graph.evidence],
        "behaviors": [_behavior(item) for item in graph.behaviors],
        "edges": edges,
    }


def _evidence(item: TraceEvidence) -> Json:
    locator: Json = {
        "turn": item.turn,
        "event_index": item.event_index,
        "event_type": item.event_type,
        "tool_name": item.tool_name,
        "original_evidence_id": item.original_id,
    }
    return {"evidence_id": item.id, "source_type": "trace", "locator": locator, "content": item.content}


def _behavior(item: TraceBehavior) -> Json:
    return {
        "behavior_id": item.id,
        "task_id": item.task,
        "sequence_index": item.sequence_index,
        "start_turn": item.turns[0],
        "end_turn": item.turns[1],
        "demand_refs": [_ref(ref) for ref in item.demand],
        "action_evidence_ids": list(item.action),
        "response_refs": [_ref(ref) for ref in item.response],
    }


def _ref(ref: Ref) -> Json:
    row: Json = {"evidence_id": ref.evidence}
    if ref.span is not None:
        row["char_range"] = list(ref.span)
    return row


def _edge(item: TaskRelation, number: int, *, extra: bool) -> Json:
    row: Json = {
        "edge_id": f"R{number:04d}",
        "source_task_id": item.source,
        "type": item.type,
        "target_task_id": item.target,
        "evidence_ids": list(item.evidence),
    }
    if extra and item.type == "references":
        row["resolution"] = item.resolution
        row["support"] = [_ref(ref) for ref in item.support]
    return row


def from_published(data: Mapping[str, Any], *, compat: Compat | None = None) -> TrajectoryGraph:
    """Read a graph from the published form.

    Args:
        data: JSON values.
        compat: `reference` to show the graph in the reference form of the view.

    Raises:
        GraphError: when a rule of the published form is broken; the message names the place.
    """
    try:
        evidence = [_read_evidence(row, index) for index, row in enumerate(data["evidence"])]
        known = {item.id: item for item in evidence}
        behaviors = [_read_behavior(row, index, known) for index, row in enumerate(data["behaviors"])]
        tasks = collect_tasks(evidence, behaviors, reference=compat == "reference")
        names = {behavior.task for behavior in behaviors}
        relations = tuple(_read_edge(row, known, names) for row in data["edges"])
        input_id, benchmark = str(data["input_id"]), str(data["benchmark"])
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise GraphError(f"not a trajectory graph in the published form: {type(exc).__name__}: {exc}") from exc
    return TrajectoryGraph(
        input_id=input_id,
        evidence=evidence,
        behaviors=behaviors,
        tasks=tasks,
        relations=relations,
        benchmark=benchmark,
        compat=compat,
    )


def _read_evidence(row: Mapping[str, Any], index: int) -> TraceEvidence:
    place = row["locator"]
    if row["evidence_id"] != f"E{index + 1:06d}" or place["event_index"] != index:
        raise GraphError(f"evidence {index + 1} is {row['evidence_id']!r}: ids and places must be contiguous from 1")
    if place["event_type"] not in ("system", "user_prompt", "assistant_response", "tool_exchange"):
        raise GraphError(f"{row['evidence_id']}: unknown event_type {place['event_type']!r}")
    return TraceEvidence(
        id=row["evidence_id"],
        turn=int(place["turn"]),
        event_index=index,
        event_type=place["event_type"],
        tool_name=place["tool_name"],
        original_id=place["original_evidence_id"],
        content=str(row["content"]),
    )


_ROLE_TYPES = {"demand": "user_prompt", "action": "tool_exchange", "response": "assistant_response"}


def _read_behavior(row: Mapping[str, Any], index: int, known: Mapping[str, TraceEvidence]) -> TraceBehavior:
    name = row["behavior_id"]
    if name != f"T{index + 1:04d}":
        raise GraphError(f"behavior {index + 1} is {name!r}: ids must be contiguous from T0001")
    behavior = TraceBehavior(
        id=name,
        task=str(row["task_id"]),
        sequence_index=int(row["sequence_index"]),
        turns=(int(row["start_turn"]), int(row["end_turn"])),
        demand=_read_refs(row["demand_refs"], known, name),
        action=tuple(
            ref.evidence for ref in _read_refs([{"evidence_id": x} for x in row["action_evidence_ids"]], known, name)
        ),
        response=_read_refs(row["response_refs"], known, name),
    )
    if not behavior.demand or not (behavior.action or behavior.response):
        raise GraphError(f"{name}: needs a demand and at least one action or response")
    for role, expected in _ROLE_TYPES.items():
        for part in getattr(behavior, role):
            evidence_id = part.evidence if isinstance(part, Ref) else part
            if known[evidence_id].event_type != expected:
                raise GraphError(f"{name}: {evidence_id} is no {expected}, so it cannot be a {role}")
    return behavior


def _read_refs(rows: Sequence[Mapping[str, Any]], known: Mapping[str, TraceEvidence], where: str) -> tuple[Ref, ...]:
    refs = []
    for row in rows:
        item = known.get(row["evidence_id"])
        if item is None:
            raise GraphError(f"{where}: no evidence {row['evidence_id']!r} in this graph")
        span = row.get("char_range")
        if span is not None and not 0 <= span[0] < span[1] <= len(item.content):
            raise GraphError(f"{where}: char_range {list(span)} is outside {item.id} ({len(item.content)} characters)")
        refs.append(Ref(item.id, None if span is None else (span[0], span[1])))
    return tuple(refs)


def _read_edge(row: Mapping[str, Any], known: Mapping[str, TraceEvidence], tasks: set[str]) -> TaskRelation:
    name, kind = str(row["edge_id"]), row["type"]
    if kind not in ("precedes", "references"):
        raise GraphError(f"{name}: unknown type {kind!r}; it is precedes or references")
    for end in ("source_task_id", "target_task_id"):
        if row[end] not in tasks:
            raise GraphError(f"{name}: {end} {row[end]!r} has no behavior")
    rows = row.get("support") or [{"evidence_id": evidence_id} for evidence_id in row["evidence_ids"]]
    resolution = row.get("resolution", "position" if kind == "precedes" else "id")
    if resolution not in ("position", "id", "quotation", "label", "file"):
        raise GraphError(f"{name}: unknown resolution {resolution!r}")
    return TaskRelation(
        id=name,
        source=row["source_task_id"],
        type=cast(TaskRelationType, kind),
        target=row["target_task_id"],
        support=_read_refs(rows, known, name),
        resolution=cast(TaskResolution, resolution),
    )
