"""The published form of a repository graph (specification parts 1.2 to 1.7 of ebg-method): plain values with its names.

Evidence, behaviors, the source around them, and edges between scopes that own behaviors. What has no key there is left
out: guards, how a relation was resolved, scopes without behaviors and the relations that end in one. Ids of edges are
given anew, so that they stay contiguous.
"""

from __future__ import annotations

from dataclasses import dataclass

from ebg.model import ArtifactKind, Behavior, Evidence, Relation, RepositoryGraph

__all__ = ["PublishedGraph", "SourceContext", "context_order", "evidence_order", "publish"]

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class SourceContext:
    """The verbatim text of a definition that owns a behavior."""

    kind: ArtifactKind
    path: str
    symbol: str
    lines: tuple[int, int]
    source: str


@dataclass(frozen=True, slots=True)
class PublishedGraph:
    """A repository graph as it is exchanged: all of it, and nothing that is not in its file."""

    input_id: str
    benchmark: str
    evidence: tuple[Evidence, ...]
    behaviors: tuple[Behavior, ...]
    source_contexts: tuple[SourceContext, ...]
    relations: tuple[Relation, ...]

    def to_json(self) -> Json:
        """Return the values of `graph.json`, in its order of keys."""
        return {
            "input_id": self.input_id,
            "benchmark": self.benchmark,
            "evidence": self.evidence_json(),
            "behaviors": self.behaviors_json(),
            "source_contexts": [_context(item) for item in self.source_contexts],
            "edges": self.edges_json(),
        }

    def evidence_json(self) -> list[Json]:
        """Return the evidence alone."""
        return [_evidence(item) for item in self.evidence]

    def behaviors_json(self) -> list[Json]:
        """Return the behaviors alone."""
        return [_behavior(item) for item in self.behaviors]

    def edges_json(self) -> list[Json]:
        """Return the edges alone."""
        return [_edge(item) for item in self.relations]


def publish(graph: RepositoryGraph, *, input_id: str, benchmark: str) -> PublishedGraph:
    """Return what the published form can hold of a graph.

    Args:
        graph: the graph.
        input_id: name of the example or repository.
        benchmark: `specgap` or `silentswap` for an example of these; any other word for a repository of your own.
    """
    return PublishedGraph(
        input_id=input_id,
        benchmark=benchmark,
        evidence=tuple(graph.evidence),
        behaviors=tuple(_plain(behavior) for behavior in graph.behaviors),
        source_contexts=_contexts(graph),
        relations=_relations(graph),
    )


def _plain(item: Behavior) -> Behavior:
    return Behavior(
        item.id, item.scope, item.kind, item.result_type, item.condition, item.operation, item.result, item.lines
    )


def _relations(graph: RepositoryGraph) -> tuple[Relation, ...]:
    owners = graph.behaviors_of_scope
    kept = sorted(
        (item for item in graph.relations if item.source in owners and item.target in owners),
        key=lambda item: (item.source, item.type, item.target),
    )
    return tuple(
        Relation(f"R{number:04d}", item.source, item.type, item.target, item.via, item.evidence)
        for number, item in enumerate(kept, start=1)
    )


def _contexts(graph: RepositoryGraph) -> tuple[SourceContext, ...]:
    wanted = {(item.kind, item.scope.path, item.scope.symbol, item.lines) for item in graph.behaviors}
    found = (
        SourceContext(kind, path, symbol, lines, "".join(graph.files[path].lines[lines[0] - 1 : lines[1]]))
        for kind, path, symbol, lines in wanted
    )
    return tuple(sorted(found, key=context_order))


def context_order(item: SourceContext) -> tuple[str, str, str, str, tuple[int, int], str]:
    """Return the sort key of source contexts."""
    return item.path.casefold(), item.path, item.symbol.casefold(), item.symbol, item.lines, item.kind


def evidence_order(item: Evidence) -> tuple[str, str, int, int, str, str]:
    """Return the sort key of evidence."""
    return item.path.casefold(), item.path, item.line_start, item.line_end, item.symbol.casefold(), item.symbol


def _evidence(item: Evidence) -> Json:
    locator = {
        "path": item.path,
        "symbol": item.symbol,
        "line_start": item.line_start,
        "line_end": item.line_end,
    }
    return {"evidence_id": item.id, "source_type": "code", "locator": locator, "content": item.content}


def _behavior(item: Behavior) -> Json:
    return {
        "behavior_id": item.id,
        "artifact_kind": item.kind,
        "path": item.scope.path,
        "symbol": item.scope.symbol,
        "symbol_lines": list(item.lines),
        "result_type": item.result_type,
        "trigger_evidence_ids": list(item.condition),
        "operation_evidence_ids": list(item.operation),
        "result_evidence_ids": list(item.result),
    }


def _context(item: SourceContext) -> Json:
    return {
        "artifact_kind": item.kind,
        "path": item.path,
        "symbol": item.symbol,
        "lines": list(item.lines),
        "source": item.source,
    }


def _edge(item: Relation) -> Json:
    return {
        "edge_id": item.id,
        "from": {"path": item.source.path, "symbol": item.source.symbol},
        "type": item.type,
        "to": {"path": item.target.path, "symbol": item.target.symbol},
        "via": item.via,
        "evidence_ids": list(item.evidence),
    }
