"""A session's graph as a networkx object, made on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx

    from ebg.model import Detail
    from ebg.trajectory._model import TrajectoryGraph

__all__ = ["trajectory_to_networkx"]


def trajectory_to_networkx(graph: TrajectoryGraph, detail: Detail) -> networkx.MultiDiGraph[str]:
    """Return `graph` as a MultiDiGraph: nodes are task ids, behavior ids and evidence ids."""
    import networkx as nx

    result: networkx.MultiDiGraph[str] = nx.MultiDiGraph(kind="trajectory", input_id=graph.input_id)
    for task in graph.tasks.values():
        result.add_node(
            task.id,
            node="task",
            turns=task.turns,
            behaviors=task.behaviors,
            standing=task.standing,
            context=task.context,
        )
    for relation in graph.relations:
        result.add_edge(
            relation.source,
            relation.target,
            key=relation.type,
            id=relation.id,
            evidence=relation.evidence,
            resolution=relation.resolution,
        )
    if detail == "scopes":
        return result
    for behavior in graph.behaviors:
        result.add_node(behavior.id, node="behavior", turns=behavior.turns)
        result.add_edge(behavior.task, behavior.id, key="has")
    if detail == "behaviors":
        return result
    for item in graph.evidence:
        result.add_node(item.id, node="evidence", turn=item.turn, type=item.event_type, original_id=item.original_id)
    for task in graph.tasks.values():
        for role in ("standing", "context"):
            for evidence_id in getattr(task, role):
                result.add_edge(task.id, evidence_id, key=role)
    for behavior in graph.behaviors:
        for role, ids in (
            ("demand", [ref.evidence for ref in behavior.demand]),
            ("action", behavior.action),
            ("response", [ref.evidence for ref in behavior.response]),
        ):
            for evidence_id in ids:
                result.add_edge(behavior.id, evidence_id, key=role)
    return result
