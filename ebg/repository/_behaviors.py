"""Behaviors of a Python file: each observable effect of a scope with the conditions and operations that lead to it.

An effect is an *anchor*: `return`, `raise`, `yield`, a write of state, an output, a call to the outside. Each of its
slices is a behavior. Tests, loops, `with`, `try`, `match` and their clauses are conditions by what they are, whatever
their text begins with; early exits before the anchor are guards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ebg.model import ResultType
from ebg.repository._calls import CallJudge
from ebg.repository._exits import Guard, read_exits, read_guards
from ebg.repository._facts import BehaviorFacts
from ebg.repository._flow import Flow, read_flow
from ebg.repository._reaching import Reaching
from ebg.repository._slices import Slice, Slicer
from ebg.repository._syntax import PythonSyntax

__all__ = ["behavior_facts"]

_RESULTS: dict[str, ResultType] = {"return": "return", "raise": "raise", "print": "output"}
_HEADERS = frozenset(["function", "class", "decorator"])


class _Anchor(NamedTuple):
    row: int
    start: int
    end: int
    """Bytes whose reads count: those of a call; otherwise -1, for the whole row."""
    result_type: ResultType
    outside: str | None


def behavior_facts(syntax: PythonSyntax) -> list[BehaviorFacts]:
    """Return the behaviors of a file, sorted by symbol, line, result type and roles."""
    flow = read_flow(syntax)
    tests = _tests(syntax)
    exits = read_exits(syntax)
    guards = read_guards(syntax, exits, tests)
    slicer = Slicer(Reaching(flow, exits, _endless(syntax, tests)))
    former = _Former(syntax, tests)
    found: dict[BehaviorFacts, None] = {}
    guarded_of: dict[tuple[Guard, ...], tuple[Guard, ...]] = {}
    for anchor in _anchors(flow):
        reads = None if anchor.end < 0 else flow.reads_between(anchor.row, anchor.start, anchor.end)
        guarded = guarded_of.get(guards[anchor.row])
        if guarded is None:  # one tuple for all that have the same guards: it is pickled once
            guarded = tuple([(text, syntax.statements.evidence[row]) for text, row in guards[anchor.row]])
            guarded_of[guards[anchor.row]] = guarded
        for route in slicer.slices(anchor.row, reads):
            found[former.form(anchor, route, guarded)] = None
    return sorted(found, key=lambda row: row[:6])


# -- anchors ----------------------------------------------------------------------------------------------------------


def _anchors(flow: Flow) -> list[_Anchor]:
    """Return the anchors of a file, distinct by (row, kind, position)."""
    syntax = flow.syntax
    rows = syntax.statements
    found = []
    for row, kind in enumerate(rows.kind):
        result_type = _RESULTS.get(kind)
        if result_type is not None:
            found.append(_Anchor(row, rows.start[row], -1, result_type, None))
    found.extend(
        _Anchor(row, rows.start[row], -1, "state_write", None)
        for row in sorted({*flow.targets, *flow.named_stores})
        if row in flow.targets or _is_state(flow, row)
    )
    found.extend(_yields(syntax))
    found.extend(_effects(flow))
    return found


def _is_state(flow: Flow, row: int) -> bool:
    """Return whether the plain names that a row stores outlive the scope: module, class or declared outer names."""
    scope = flow.syntax.statements.scope[row]
    outer = flow.outer_names.get(scope, set())
    return flow.syntax.scopes[scope].kind in ("module", "class") or not outer.isdisjoint(flow.named_stores[row])


def _yields(syntax: PythonSyntax) -> Iterator[_Anchor]:
    nodes = syntax.captures.get("yield")
    if not nodes:
        return
    lambdas = [(node.start_byte, node.end_byte) for node in syntax.captures.get("lambda", ())]
    for node in syntax.nodes("yield"):
        start, row = node.start_byte, syntax.owner(node.start_byte)
        if row >= 0 and not any(first <= start < last for first, last in lambdas):
            yield _Anchor(row, syntax.statements.start[row], -1, "yield", None)


def _effects(flow: Flow) -> Iterator[_Anchor]:
    judge = CallJudge(flow)
    kinds = flow.syntax.statements.kind
    for call in flow.calls:
        if kinds[call.row] not in _HEADERS:
            effect = judge.effect(call)
            if effect is not None:
                yield _Anchor(call.row, call.start, call.end, effect.result_type, effect.outside)


def _tests(syntax: PythonSyntax) -> dict[int, tuple[int, int]]:
    """Return the byte range of the test of each `if`, `elif`, `while` and `assert`, by row."""
    return {syntax.owner(node.start_byte): (node.start_byte, node.end_byte) for node in syntax.captures.get("test", ())}


def _endless(syntax: PythonSyntax, tests: dict[int, tuple[int, int]]) -> set[int]:
    kinds, source = syntax.statements.kind, syntax.source
    return {
        row for row, (start, end) in tests.items() if kinds[row] == "while" and source[start:end] in (b"True", b"1")
    }


# -- roles ------------------------------------------------------------------------------------------------------------


class _Former:
    """Turns rows into roles of evidence."""

    def __init__(self, syntax: PythonSyntax, tests: dict[int, tuple[int, int]]) -> None:
        self.syntax = syntax
        self.tests = tests
        self.parts: dict[int, tuple[int, int, int]] = {}

    def form(self, anchor: _Anchor, route: Slice, guards: tuple[tuple[str, int], ...]) -> BehaviorFacts:
        """Return the behavior of an anchor on one of its routes."""
        rows = self.syntax.statements
        scope = self.syntax.scopes[rows.scope[anchor.row]]
        evidence = rows.evidence
        result = evidence[anchor.row]
        condition = {evidence[row] for row in route.controls}
        operation = {evidence[row] for row in route.definitions}
        operation.discard(result)
        parts: tuple[tuple[int, int, int], ...] = ()
        if result in condition or not condition.isdisjoint(operation):
            shared = operation | {result}
            parts = tuple(self._part(row) for row in route.controls if evidence[row] in shared)
        return BehaviorFacts(
            symbol=scope.symbol,
            line=self.syntax.line(anchor.start),
            result_type=anchor.result_type,
            condition=tuple(sorted(condition)),
            operation=tuple(sorted(operation)),
            result=(result,),
            lines=(scope.first_line, scope.last_line),
            guards=guards,
            tests=parts,
            outside=anchor.outside,
        )

    def _part(self, row: int) -> tuple[int, int, int]:
        """Return where the test of a control stands in the evidence that it shares with its body."""
        known = self.parts.get(row)
        if known is None:
            syntax = self.syntax
            rows, source = syntax.statements, syntax.source
            start, end = self.tests.get(row, (rows.start[row], 0))
            if not end:
                body = rows.start[row + 1] if rows.stop[row] > row + 1 else rows.end[row]
                end = start + len(source[start:body].rstrip().removesuffix(b":"))
            index = rows.evidence[row]
            origin = syntax.starts[syntax.evidence[index][1] - 1]
            first = len(source[origin:start].decode())
            known = self.parts[row] = (index, first, first + len(source[start:end].decode()))
        return known
