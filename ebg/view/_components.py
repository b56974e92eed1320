"""Weakly connected components of a selection, and the order in which they are read (specification part 5.6).

The reading root only fixes the order; it never changes what is selected, and it is not where execution starts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ebg.model import ScopeId

__all__ = ["Component", "Step", "reading_order"]


class Step(NamedTuple):
    """One scope of a component, and the scope it was reached from (None for the root)."""

    scope: ScopeId
    parent: ScopeId | None


class Component(NamedTuple):
    """Scopes that hang together, in reading order; the first is the root."""

    steps: tuple[Step, ...]

    @property
    def root(self) -> ScopeId:
        """Where the reading starts."""
        return self.steps[0].scope


def reading_order(
    seeds: Iterable[ScopeId],
    edges: Iterable[tuple[ScopeId, ScopeId]],
    position: Callable[[ScopeId], int],
) -> tuple[Component, ...]:
    """Split the seeds and what `edges` join to them into components, ordered by their root's first mention.

    The root is the component's seed with most neighbours; the traversal is breadth first from it. Neighbours, ties and
    components are ordered by (position, path, symbol).

    Args:
        seeds: scopes to start from; a seed without edges is a component of its own.
        edges: pairs of scopes, direction ignored; self loops are ignored.
        position: offset in Q of the first mention of a scope; the length of Q when there is none.
    """
    neighbours: dict[ScopeId, set[ScopeId]] = {seed: set() for seed in seeds}
    starts = list(neighbours)
    for one, other in edges:
        if one != other:
            neighbours.setdefault(one, set()).add(other)
            neighbours.setdefault(other, set()).add(one)
    keys = {scope: (position(scope), scope.path, scope.symbol) for scope in neighbours}
    ordered = {scope: sorted(near, key=keys.__getitem__) for scope, near in neighbours.items()}
    roots = sorted(starts, key=lambda seed: (-len(ordered[seed]), keys[seed]))
    # A seed that an earlier root, with at least as many neighbours, swept up is gone from `ordered`.
    components = [_sweep(root, ordered) for root in roots if root in ordered]
    return tuple(sorted(components, key=lambda component: keys[component.root]))


def _sweep(root: ScopeId, ordered: dict[ScopeId, list[ScopeId]]) -> Component:
    steps: dict[ScopeId, Step] = {root: Step(root, None)}
    queue = deque([root])
    while queue:
        scope = queue.popleft()
        for near in ordered.pop(scope):
            if near not in steps:
                steps[near] = Step(near, scope)
                queue.append(near)
    return Component(tuple(steps.values()))
