"""Relations around the seeds: everything one to three hops away, with no neighbour cut unless asked (part 5.5, T)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ebg.model import Relation, RepositoryGraph, ScopeId

__all__ = ["expand", "preferred"]


def expand(
    graph: RepositoryGraph, seeds: Iterable[ScopeId], *, hops: int, max_neighbors: int | None
) -> tuple[Relation, ...]:
    """Return every relation with an end fewer than `hops` steps from a seed, both directions, in id order.

    Args:
        graph: the repository.
        seeds: where to start.
        hops: 1 keeps the relations of the seeds themselves.
        max_neighbors: how many neighbours each scope may bring in; None for all. The relation that says most comes
            first: what the scope calls, what feeds it, what it feeds, who calls it.
    """
    frontier = list(dict.fromkeys(seeds))
    reached = set(frontier)
    kept: dict[str, Relation] = {}
    for _ in range(hops):
        found: dict[ScopeId, None] = {}
        for scope in frontier:
            for neighbor, relations in _neighbors(graph, scope, reached, max_neighbors):
                kept.update((relation.id, relation) for relation in relations)
                found[neighbor] = None
        frontier = [scope for scope in found if scope not in reached]
        reached.update(frontier)
    # Ids are contiguous in the graph's order; an id of one more digit sorts after the shorter ones.
    return tuple(sorted(kept.values(), key=lambda relation: (len(relation.id), relation.id)))


def preferred(scope: ScopeId, relations: Iterable[Relation]) -> Relation:
    """Return the relation of a scope and another one that says most: calls before feeds, its own before the other's."""
    return min(relations, key=lambda item: (item.type, _usefulness(scope, item), len(item.id), item.id))


def _neighbors(
    graph: RepositoryGraph, scope: ScopeId, reached: set[ScopeId], limit: int | None
) -> list[tuple[ScopeId, list[Relation]]]:
    grouped: Mapping[ScopeId, list[Relation]] = defaultdict(list)
    for relation in (*graph.outgoing.get(scope, ()), *graph.incoming.get(scope, ())):
        other = relation.target if relation.source == scope else relation.source
        if other != scope:
            grouped[other].append(relation)
    if limit is None:
        return list(grouped.items())

    def key(item: tuple[ScopeId, list[Relation]]) -> tuple[int, bool, int, ScopeId]:
        other, relations = item
        best = preferred(scope, relations)
        by_id = graph.evidence_by_id
        line = min((by_id[e].line_start for e in best.evidence if by_id[e].path == scope.path), default=0)
        return _usefulness(scope, best), other not in reached, line, other

    return sorted(grouped.items(), key=key)[:limit]


def _usefulness(scope: ScopeId, relation: Relation) -> int:
    if relation.source == scope:
        return 0 if relation.type == "calls" else 2
    return 1 if relation.type == "feeds" else 3
