"""Classes: order of bases (C3) and members.

Only classes of the tree count. A base that lies outside is left out, so a member that it would define is not seen:
what is found in the tree's own bases is then taken, as a reader of the tree would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

__all__ = ["ClassId", "Linearizer", "merge"]

ClassId: TypeAlias = tuple[int, int]
"""(file, scope number)."""

_Class = TypeVar("_Class")
_MOST_CLASSES = 200
_DEEPEST = 60


class Linearizer:
    """The order in which a class and its bases are asked for a member, cached."""

    def __init__(self, bases: Callable[[ClassId], Sequence[ClassId]]) -> None:
        self._bases = bases
        self._orders: dict[ClassId, tuple[ClassId, ...]] = {}
        self._open: set[ClassId] = set()

    def order(self, start: ClassId) -> tuple[ClassId, ...]:
        """Return the C3 order of a class, itself first.

        Where C3 has none (inconsistent or cyclic bases, which Python refuses) the order is depth first, each class
        once.
        """
        found = self._orders.get(start)
        if found is not None:
            return found
        if start in self._open:  # the bases of a class are looked for in the class itself
            return (start,)
        self._open.add(start)
        bases: dict[ClassId, Sequence[ClassId]] = {}
        todo = [start]
        while todo and len(bases) < _MOST_CLASSES:
            node = todo.pop()
            if node not in bases:
                bases[node] = self._bases(node)
                todo.extend(reversed(bases[node]))
        self._linearize(start, bases)
        self._open.discard(start)
        return self._orders[start]

    def _linearize(self, start: ClassId, bases: dict[ClassId, Sequence[ClassId]]) -> None:
        """Compute the orders of `start` and of all its bases, bases first, without recursion."""
        path: list[ClassId] = [start]
        open_classes = {start}
        while path:
            node = path[-1]
            pending = [base for base in bases.get(node, ()) if base not in self._orders and base not in open_classes]
            if pending and len(path) < _DEEPEST:
                path.append(pending[0])
                open_classes.add(pending[0])
                continue
            path.pop()
            open_classes.discard(node)
            own = [base for base in bases.get(node, ()) if base in self._orders]
            cyclic = len(own) < len(bases.get(node, ()))
            merged = None if cyclic else merge([*(self._orders[base] for base in own), tuple(own)])
            if merged is None:
                merged = tuple(dict.fromkeys(item for base in own for item in self._orders[base]))
            self._orders[node] = (node, *(item for item in merged if item != node))


def merge(sequences: Sequence[Sequence[_Class]]) -> tuple[_Class, ...] | None:
    """Merge the orders of the bases and the list of bases by C3, or return None if they contradict each other.

    Source: Barrett et al., "A Monotonic Superclass Linearization for Dylan" (1996), as Python uses it.
    """
    left = [list(sequence) for sequence in sequences if sequence]
    result: list[_Class] = []
    while left:
        for sequence in left:
            head = sequence[0]
            if not any(head in other[1:] for other in left):
                break
        else:
            return None
        result.append(head)
        left = [rest for sequence in left if (rest := sequence[1:] if sequence[0] == head else sequence)]
    return tuple(result)
