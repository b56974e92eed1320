"""Graphs as networkx objects, made on demand: networkx costs about 600 bytes a node and is slow to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx

    from ebg.model import Detail, RepositoryGraph

__all__ = ["repository_to_networkx"]


def repository_to_networkx(graph: RepositoryGraph, detail: Detail) -> networkx.MultiDiGraph[str]:
    """Return `graph` as a MultiDiGraph: nodes are `path::symbol`, behavior ids and evidence ids."""
    import networkx as nx

    result: networkx.MultiDiGraph[str] = nx.MultiDiGraph(kind="repository")
    behaviors, evidence = graph.behaviors_of_scope, graph.evidence_of_scope
    for scope in graph.scopes.values():
        result.add_node(
            str(scope.id),
            node="scope",
            path=scope.path,
            symbol=scope.symbol,
            kind=scope.kind,
            spans=scope.spans,
            behaviors=tuple(item.id for item in behaviors.get(scope.id, ())),
            evidence=tuple(item.id for item in evidence.get(scope.id, ())),
        )
    for relation in graph.relations:
        result.add_edge(
            str(relation.source),
            str(relation.target),
            key=relation.type,
            id=relation.id,
            via=relation.via,
            evidence=relation.evidence,
            resolution=relation.resolution,
        )
    if detail == "scopes":
        return result
    for behavior in graph.behaviors:
        result.add_node(behavior.id, node="behavior", result_type=behavior.result_type, kind=behavior.kind)
        result.add_edge(str(behavior.scope), behavior.id, key="has")
    if detail == "behaviors":
        return result
    for item in graph.evidence:
        result.add_node(item.id, node="evidence", path=item.path, lines=(item.line_start, item.line_end))
    for behavior in graph.behaviors:
        for role in ("condition", "operation", "result"):
            for evidence_id in getattr(behavior, role):
                result.add_edge(behavior.id, evidence_id, key=role)
    return result
