"""Which lines stand for a scope: all of it, its own statements, or the slice that a relation touches.

A line number set is kept sorted and inside the file. Long docstrings are cut to their first lines, because Q already
says what they say and every line costs tokens; whoever reads a scope by its own id gets them whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ebg.model import Behavior, Evidence, Relation, RepositoryGraph, Scope, ScopeId

__all__ = ["Extents", "ranges_of"]

_DOCSTRING = re.compile(r"\s*[rRuUbBfF]{0,2}(\"\"\"|'''|\"|')")
# A docstring up to this length is shown whole; of a longer one this many lines.
_DOCSTRING_LINES = 4
# A gap this small inside a slice is filled: it is mostly a comment, and a citation may then run across it.
_FILLED_GAP = 2
# A slice that would leave out less than this share of a scope is not worth the gaps.
_WHOLE_FROM = 0.75


def ranges_of(lines: Iterable[int]) -> list[tuple[int, int]]:
    """Return sorted lines as inclusive ranges."""
    ranges: list[tuple[int, int]] = []
    for line in lines:
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], line
        else:
            ranges.append((line, line))
    return ranges


class Extents:
    """The lines of the scopes of one graph."""

    def __init__(self, graph: RepositoryGraph) -> None:
        self._graph = graph

    def signature(self, scope: Scope) -> range:
        """Return the lines of decorators and header."""
        start, end = scope.signature
        return range(start, end + 1)

    def whole(self, scope: Scope) -> tuple[int, ...]:
        """Return every line of every definition of the scope, nested definitions included."""
        last = len(self._graph.files[scope.path].lines)
        lines = {line for start, end in scope.spans for line in range(start, min(end, last) + 1)}
        return tuple(sorted(lines))

    def own(self, scope: Scope) -> tuple[int, ...]:
        """Return what a reader of the scope needs: a function whole, of classes and modules only their own statements.

        Long docstrings are cut.
        """
        if scope.kind in {"class", "module"} and (evidence := self._graph.evidence_of_scope.get(scope.id)):
            lines = {line for item in evidence for line in range(item.line_start, item.line_end + 1)}
            lines.update(() if scope.kind == "module" else self.signature(scope))
        else:
            lines = set(self.whole(scope))
        return tuple(sorted(lines - self._hidden_docstring(scope)))

    def sliced(self, scope: Scope, behaviors: Sequence[Behavior], support: Iterable[str] = ()) -> tuple[int, ...]:
        """Return signature, the lines of `behaviors` and of the evidence ids `support`, with small gaps filled.

        When hardly anything would be left out, all of `own` is returned.
        """
        by_id = self._graph.evidence_by_id
        lines = set(self.signature(scope))
        for evidence_id in (*support, *(item for behavior in behaviors for item in behavior.evidence)):
            item = by_id[evidence_id]
            if item.path == scope.path and item.symbol == scope.symbol:
                lines.update(range(item.line_start, item.line_end + 1))
        own = self.own(scope)
        if len(lines) >= _WHOLE_FROM * len(own):
            return own
        ordered = sorted(lines)
        inside = set(self.whole(scope))
        for before, after in pairwise(ordered):
            if 1 < after - before <= _FILLED_GAP + 1:
                lines.update(line for line in range(before + 1, after) if line in inside)
        return tuple(sorted(lines - self._hidden_docstring(scope)))

    def at_call(self, scope: Scope, relations: Iterable[Relation]) -> tuple[int, ...]:
        """Return how a scope uses another one: signature, supporting statements, and the tests that lead to them."""
        support = {evidence_id for relation in relations for evidence_id in relation.evidence}
        by_id = self._graph.evidence_by_id
        wanted = set(support)
        for behavior in self._graph.behaviors_of_scope.get(scope.id, ()):
            if not support.isdisjoint(behavior.evidence):
                wanted.update(behavior.condition)
        # Only what stands before the last supporting statement can lead to it.
        last = max((by_id[item].line_start for item in support if _belongs(by_id[item], scope.id)), default=0)
        kept = [item for item in wanted if item in support or by_id[item].line_start <= last]
        return self.sliced(scope, (), kept)

    def _hidden_docstring(self, scope: Scope) -> set[int]:
        for item in self._graph.evidence_of_scope.get(scope.id, ()):
            if scope.kind != "module" and item.line_start <= scope.signature[1]:
                continue
            if _DOCSTRING.match(item.content) and item.line_end - item.line_start >= _DOCSTRING_LINES:
                return set(range(item.line_start + _DOCSTRING_LINES, item.line_end + 1))
            break
        return set()


def _belongs(item: Evidence, scope: ScopeId) -> bool:
    return item.path == scope.path and item.symbol == scope.symbol
