"""What must hold of every graph, whatever was built."""

from __future__ import annotations

from collections.abc import Iterator

from ebg.model import RepositoryGraph


def problems_of(graph: RepositoryGraph) -> Iterator[str]:
    """Yield each rule of the model (specification part 1, ebg-method) that a graph breaks."""
    evidence, scopes = graph.evidence_by_id, graph.scopes
    for number, item in enumerate(graph.evidence, 1):
        lines = graph.files[item.path].lines[item.line_start - 1 : item.line_end]
        if item.id != f"E{number:06d}" or not item.content or "".join(lines) != item.content:
            yield f"{item.id} is not its lines"
        if len(lines) != item.line_end - item.line_start + 1:
            yield f"{item.id} goes beyond its file"
    for number, behavior in enumerate(graph.behaviors, 1):
        if behavior.id != f"B{number:04d}" or not behavior.result or behavior.scope not in scopes:
            yield f"{behavior.id} is not whole"
        for role in (behavior.condition, behavior.operation, behavior.result):
            if len(set(role)) != len(role):
                yield f"{behavior.id} names an evidence twice in one role"
        for one in behavior.evidence:
            item = evidence[one]
            first, last = behavior.lines
            if (item.path, item.symbol) != behavior.scope or not first <= item.line_start <= item.line_end <= last:
                yield f"{behavior.id} names {one} of another scope"
        for guard in behavior.guards:
            if evidence[guard.evidence].path != behavior.scope.path or not guard.text:
                yield f"{behavior.id} has a guard from elsewhere"
        for part in behavior.tests:
            text = evidence[part.evidence].content[part.start : part.end]
            if part.evidence not in behavior.condition or not text.strip() or text != text.strip():
                yield f"{behavior.id} has a test that is no text"
    for number, relation in enumerate(graph.relations, 1):
        if relation.id != f"R{number:04d}" or relation.source not in scopes or relation.target not in scopes:
            yield f"{relation.id} joins what does not exist"
        if not relation.evidence or any(one not in evidence for one in relation.evidence):
            yield f"{relation.id} has no support"
    for scope in scopes.values():
        count = len(graph.files[scope.path].lines)
        if not scope.spans or any(not 1 <= first <= last <= count for first, last in scope.spans):
            yield f"{scope.id} has no place"
        first, last = scope.signature
        if not scope.spans[0][0] <= first <= last <= scope.spans[0][1]:
            yield f"{scope.id} has its signature elsewhere"
