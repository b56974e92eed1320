"""Which lines stand for a scope: all of it, its own statements, or the slice that a relation touches.

A line number set is kept sorted and inside the file. Long docstrings are cut to their first lines, because Q already
says what they say and every line costs tokens; whoever reads a scope by its own id gets them whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import pairwise

from ebg.model import Relation, RepositoryGraph, Scope

__all__ = ["Extents", "ranges_of"]

_DOCSTRING = re.compile(r"\s*[rRuUbBfF]{0,2}(\"\"\"|'''|\"|')")
# A docstring up to this length is shown whole; of a longer one this many lines.
_DOCSTRING_LINES = 4
_SMALL_CLASS_LINES = 40
# A gap this small inside a slice is filled: it is mostly a comment, and a citation may then run across it.
_FILLED_GAP = 2
# A slice that would leave out less than this share of a scope is not worth the gaps.
_WHOLE_FROM = 0.75


# A callee up to this length is shown whole.
_CALLEE_LINES = 60


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

    def is_small_class(self, scope: Scope) -> bool:
        """Return whether a class is shown with its members, which are then not named apart."""
        return scope.kind == "class" and sum(end - start + 1 for start, end in scope.spans) <= _SMALL_CLASS_LINES

    def whole(self, scope: Scope) -> tuple[int, ...]:
        """Return every line of every definition of the scope, nested definitions included."""
        last = len(self._graph.files[scope.path].lines)
        lines = {line for start, end in scope.spans for line in range(start, min(end, last) + 1)}
        return tuple(sorted(lines))

    def own(self, scope: Scope) -> tuple[int, ...]:
        """Return what a reader of the scope needs, with long docstrings cut.

        That is a function or a small class whole, of larger classes and of modules only their own statements.
        """
        if (
            scope.kind in {"class", "module"}
            and not self.is_small_class(scope)
            and (evidence := self._graph.evidence_of_scope.get(scope.id))
        ):
            lines = {line for item in evidence for line in range(item.line_start, item.line_end + 1)}
            lines.update(() if scope.kind == "module" else self.signature(scope))
        else:
            lines = set(self.whole(scope))
        return tuple(sorted(lines - self._hidden_docstring(scope)))

    def sliced(self, scope: Scope) -> tuple[int, ...]:
        """Return the signature and the lines of all behaviors."""
        behaviors = self._graph.behaviors_of_scope.get(scope.id, ())
        ids = [item for behavior in behaviors for item in behavior.evidence]
        return self._joined(scope, {*self.signature(scope), *self._lines(scope, ids)})

    def statements(self, scope: Scope) -> tuple[int, ...]:
        """Return the statements of top-level code but imports and a long docstring."""
        ids = [
            item.id
            for item in self._graph.evidence_of_scope.get(scope.id, ())
            if not item.content.lstrip().startswith(("import ", "from "))
        ]
        return tuple(sorted(self._lines(scope, ids) - self._hidden_docstring(scope)))

    def around(self, scope: Scope, evidence: Collection[str]) -> tuple[int, ...]:
        """Return some statements of a scope with the behaviors that they belong to, below the signature."""
        ids = set(evidence)
        for behavior in self._graph.behaviors_of_scope.get(scope.id, ()):
            if not ids.isdisjoint(behavior.result):
                ids.update(behavior.evidence)
        header = () if scope.kind == "module" else self.signature(scope)
        return self._joined(scope, {*header, *self._lines(scope, ids)})

    def as_callee(self, scope: Scope) -> tuple[int, ...]:
        """Return what matters to a caller: all of a short scope; of a long one signature, tests and results."""
        own = self.own(scope)
        if len(own) <= _CALLEE_LINES:
            return own
        behaviors = self._graph.behaviors_of_scope.get(scope.id, ())
        ids = [item for behavior in behaviors for item in (*behavior.condition, *behavior.result)]
        return self._joined(scope, {*self.signature(scope), *self._lines(scope, ids)})

    def at_relation(self, scope: Scope, relations: Iterable[Relation], *, tests: bool) -> tuple[int, ...]:
        """Return where a scope takes part in relations.

        Args:
            scope: one end of each relation.
            relations: what joins it to the selection.
            tests: add the tests that lead to the supporting statements.
        """
        support = {item for relation in relations for item in relation.evidence}
        lines = self._lines(scope, support)
        if not tests:
            return tuple(sorted(lines))
        routes = [
            set(behavior.condition)
            for behavior in self._graph.behaviors_of_scope.get(scope.id, ())
            if not support.isdisjoint(behavior.evidence)
        ]
        # Tests that only some routes pass, or that stand after the last supporting statement, lead to something else.
        shared = self._lines(scope, set.intersection(*routes)) if routes else set()
        return self._joined(scope, lines | {line for line in shared if line <= max(lines, default=0)})

    def first_use(self, scope: Scope, relations: Iterable[Relation]) -> tuple[int, ...]:
        """Return the first supporting statement of each relation at this end: where the state is written or read."""
        by_id = self._graph.evidence_by_id
        lines: set[int] = set()
        for relation in relations:
            own = [item for item in (by_id[e] for e in relation.evidence) if (item.path, item.symbol) == scope.id]
            if own:
                first = min(own, key=lambda item: (item.line_start, item.line_end))
                lines.update(range(first.line_start, first.line_end + 1))
        return tuple(sorted(lines))

    def _joined(self, scope: Scope, lines: set[int]) -> tuple[int, ...]:
        """Fill small gaps; when hardly anything of the scope would be left out, return all of `own`."""
        own = self.own(scope)
        if len(lines) >= _WHOLE_FROM * len(own):
            return own
        inside = set(self.whole(scope))
        for before, after in pairwise(sorted(lines)):
            if after - before <= _FILLED_GAP + 1:
                lines.update(line for line in range(before + 1, after) if line in inside)
        return tuple(sorted(lines - self._hidden_docstring(scope)))

    def _lines(self, scope: Scope, ids: Iterable[str]) -> set[int]:
        by_id = self._graph.evidence_by_id
        items = (by_id[item] for item in ids)
        return {
            line
            for item in items
            if (item.path, item.symbol) == scope.id
            for line in range(item.line_start, item.line_end + 1)
        }

    def _hidden_docstring(self, scope: Scope) -> set[int]:
        for item in self._graph.evidence_of_scope.get(scope.id, ()):
            if scope.kind != "module" and item.line_start <= scope.signature[1]:
                continue
            if _DOCSTRING.match(item.content) and item.line_end - item.line_start >= _DOCSTRING_LINES:
                return set(range(item.line_start + _DOCSTRING_LINES, item.line_end + 1))
            break
        return set()
