"""Which rows of a file define a name, and which names a row reads.

A *key* is what a definition defines: a variable `x`, an attribute `x.a`, or `x.*`, anything about the value of `x` that
is not the binding (`x.append(1)`, `x[k] = v`). Assignments define strongly: what was before is gone. Augmented
assignments and changes of a value define weakly: what was before still counts. Parameters are definitions in the
header of their function. Names of comprehensions and lambdas stay inside them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from ebg.repository._imports import Imported, imported_names
from ebg.repository._syntax import AUGMENT, DEFINITION, LOAD, STORE, PythonSyntax

__all__ = ["CHAIN", "INSTANCE_NAMES", "MUTATORS", "CallSite", "Flow", "read_flow"]

CHAIN = re.compile(
    rb"[^\W\d]\w*(?:\.[^\W\d]\w*)*".replace(rb"\w", rb"[\w\x80-\xff]").replace(rb"[^\W\d]", rb"[A-Za-z_\x80-\xff]")
)
"""A dotted name; bytes above ASCII count as letters."""

INSTANCE_NAMES = frozenset([b"self", b"cls"])
MUTATORS = frozenset(
    b"add append clear discard extend insert pop remove setdefault sort update appendleft extendleft popitem popleft"
    b" reverse".split()
)  # fmt: skip


@dataclass(slots=True)
class CallSite:
    """A call, outside lambdas."""

    start: int
    callee_end: int
    end: int
    row: int


@dataclass(slots=True)
class Flow:
    """Definitions and reads of one file."""

    syntax: PythonSyntax
    definitions: dict[int, dict[bytes, list[int]]] = field(default_factory=dict)
    """Per scope and key the rows that define it, ascending; each as twice the row, plus one if it defines strongly."""
    reads: list[tuple[int, bytes]] = field(default_factory=list)
    """(first byte, name) of every variable read, by first byte."""
    first_read: list[int] = field(default_factory=list)
    """Per row the index of its first read; one more entry than rows."""
    changed: set[bytes] = field(default_factory=set)
    """Names of which some attribute or content is written somewhere in the file."""
    written: set[int] = field(default_factory=set)
    """First bytes of reads that only name what is written: `x` in `x[k] = v`, `x.a = v` and `x.append(v)`."""
    imports: dict[int, dict[str, Imported]] = field(default_factory=dict)
    """Per scope the imports that it binds."""
    nested: dict[int, set[bytes]] = field(default_factory=dict)
    """Per scope the names of functions and classes defined directly in it."""
    outer_names: dict[int, set[bytes]] = field(default_factory=dict)
    """Per scope the names that it declares `global` or `nonlocal`."""
    named_stores: dict[int, list[bytes]] = field(default_factory=dict)
    """Per row the plain names that its statement assigns, augments or deletes."""
    targets: set[int] = field(default_factory=set)
    """Rows that write or delete an attribute or an item."""
    calls: list[CallSite] = field(default_factory=list)
    """By first byte, outer before inner."""
    body_branch: dict[int, int] = field(default_factory=dict)
    """Per row of a clause the branch that it opens."""

    def reads_in(self, row: int) -> list[tuple[int, bytes]]:
        """Return the reads of a row."""
        return self.reads[self.first_read[row] : self.first_read[row + 1]]

    def reads_between(self, row: int, start: int, end: int) -> list[tuple[int, bytes]]:
        """Return the reads of a row that lie in a range of bytes."""
        low, high = self.first_read[row], self.first_read[row + 1]
        first = bisect_left(self.reads, (start, b""), low, high)
        return self.reads[first : bisect_left(self.reads, (end, b""), first, high)]

    def keys(self, read: tuple[int, bytes]) -> tuple[bytes, ...]:
        """Return the keys that a read needs."""
        start, name = read
        if name not in self.changed or start in self.written:
            return (name,)
        source = self.syntax.source
        chain = CHAIN.match(source, start)
        parts = chain[0].split(b".", 2) if chain is not None else [name]
        if len(parts) == 1:
            return (name,) if name in INSTANCE_NAMES else (name, name + b".*")
        attribute = name + b"." + parts[1]
        is_method = len(parts) == 2 and chain is not None and source[chain.end() : chain.end() + 1] == b"("
        return (name, attribute, name + b".*") if is_method and name not in INSTANCE_NAMES else (name, attribute)

    def define(self, scope: int, key: bytes, row: int, *, strong: bool) -> None:
        """Record a definition."""
        self.definitions.setdefault(scope, {}).setdefault(key, []).append(2 * row + strong)


def read_flow(syntax: PythonSyntax) -> Flow:
    """Read the definitions and reads of a file from its tables."""
    flow = Flow(syntax)
    for number, branch in enumerate(syntax.branches):
        if branch.clause >= 0:
            flow.body_branch[branch.clause] = number
    _read_imports(flow)
    _read_names(flow)
    _read_targets(flow)
    _read_calls(flow)
    for where in flow.definitions.values():
        for rows in where.values():
            rows.sort()
    return flow


def _read_imports(flow: Flow) -> None:
    rows, source = flow.syntax.statements, flow.syntax.source
    for row, kind in enumerate(rows.kind):
        if kind == "import":
            bound = imported_names(source[rows.start[row] : rows.end[row]].decode("utf-8", "replace"))
            for item in bound:
                flow.imports.setdefault(rows.scope[row], {})[item.name] = item
                flow.define(rows.scope[row], item.name.encode(), row, strong=True)


def _inner_spans(syntax: PythonSyntax) -> tuple[list[tuple[int, int, set[bytes]]], set[int]]:
    """Return the spans of comprehensions and lambdas that bind names, and the first bytes of those bindings."""
    nodes = [*syntax.captures.get("comprehension", ()), *syntax.captures.get("lambda", ())]
    if not nodes:
        return [], set()
    spans: list[tuple[int, int, set[bytes]]] = [(node.start_byte, node.end_byte, set()) for node in nodes]
    spans.sort(key=lambda span: (span[0], -span[1]))
    walrus = {node.start_byte for node in syntax.captures.get("walrus", ())}
    bound = set()
    open_spans: list[tuple[int, int, set[bytes]]] = []
    position = 0
    for start, end, role in syntax.names:
        if role != STORE or start in walrus:
            continue
        while position < len(spans) and spans[position][0] <= start:
            open_spans.append(spans[position])
            position += 1
        while open_spans and open_spans[-1][1] <= start:
            open_spans.pop()
        if open_spans:
            open_spans[-1][2].add(syntax.source[start:end])
            bound.add(start)
    return [span for span in spans if span[2]], bound


def _read_names(flow: Flow) -> None:
    syntax = flow.syntax
    rows, source = syntax.statements, syntax.source
    spans, bound = _inner_spans(syntax)
    declared = {node.start_byte for node in syntax.captures.get("declared", ())}
    row, count, upcoming = -1, len(rows.start), rows.start[0] if rows.start else len(source) + 1
    reads, first_read = flow.reads, flow.first_read
    hidden = _Hidden(spans)
    for start, end, role in syntax.names:
        while start >= upcoming:
            row += 1
            first_read.append(len(reads))
            upcoming = rows.start[row + 1] if row + 1 < count else len(source) + 1
        if row < 0:
            continue
        name = source[start:end]
        if role == LOAD:
            kind = rows.kind[row]
            if kind in ("global", "nonlocal"):
                flow.outer_names.setdefault(rows.scope[row], set()).add(name)
            elif kind != "import" and not (spans and hidden.hides(start, name)):
                reads.append((start, name))
        elif role == DEFINITION:
            scope = syntax.scopes[rows.scope[row]].parent
            flow.nested.setdefault(scope, set()).add(name)
        elif start not in bound and start not in declared:
            flow.define(rows.scope[row], name, row, strong=role != AUGMENT)
            if rows.kind[row] in ("expression", "delete"):
                flow.named_stores.setdefault(row, []).append(name)
    while len(first_read) <= count:
        first_read.append(len(reads))


class _Hidden:
    """Tells, for reads in ascending order, whether a comprehension or lambda around them binds the name."""

    def __init__(self, spans: list[tuple[int, int, set[bytes]]]) -> None:
        self.waiting = spans[::-1]
        self.around: list[tuple[int, int, set[bytes]]] = []

    def hides(self, start: int, name: bytes) -> bool:
        while self.waiting and self.waiting[-1][0] <= start:
            self.around.append(self.waiting.pop())
        if not self.around:
            return False
        self.around = [span for span in self.around if span[1] > start]
        return any(name in span[2] for span in self.around)


def _read_targets(flow: Flow) -> None:
    """Record writes of attributes and items."""
    syntax = flow.syntax
    rows, source = syntax.statements, syntax.source
    for node in syntax.captures.get("target", ()):
        start, end = node.start_byte, node.end_byte
        row = syntax.owner(start)
        if row < 0:
            continue
        if rows.kind[row] in ("expression", "delete"):
            flow.targets.add(row)
        chain = CHAIN.match(source, start)
        if chain is not None:
            flow.written.add(start)
            _change(flow, row, chain[0], whole=chain.end() == end)


def _change(flow: Flow, row: int, chain: bytes, *, whole: bool) -> None:
    """Record that `chain` is written (`whole`), or that something below it is."""
    scope = flow.syntax.statements.scope[row]
    name, *attributes = chain.split(b".")
    flow.changed.add(name)
    if attributes:
        flow.define(scope, name + b"." + attributes[0], row, strong=whole and len(attributes) == 1)
    if name not in INSTANCE_NAMES:
        flow.define(scope, name + b".*", row, strong=False)


def _read_calls(flow: Flow) -> None:
    syntax = flow.syntax
    rows, source = syntax.statements, syntax.source
    found = []
    for node in syntax.captures.get("call", ()):
        callee = node.child(0)
        if callee is not None:
            found.append((node.start_byte, -node.end_byte, callee.end_byte))
    found.sort()
    lambdas = sorted((node.start_byte, node.end_byte) for node in syntax.captures.get("lambda", ()))
    position, lambda_end = 0, -1
    row, count, upcoming = -1, len(rows.start), rows.start[0] if rows.start else len(source) + 1
    for start, negative_end, callee_end in found:
        while start >= upcoming:
            row += 1
            upcoming = rows.start[row + 1] if row + 1 < count else len(source) + 1
        while position < len(lambdas) and lambdas[position][0] <= start:
            lambda_end = max(lambda_end, lambdas[position][1])
            position += 1
        if row < 0 or start < lambda_end:
            continue
        flow.calls.append(CallSite(start, callee_end, -negative_end, row))
        dot = source.rfind(b".", start, callee_end)
        if dot >= 0 and source[dot + 1 : callee_end] in MUTATORS:
            chain = CHAIN.match(source, start, dot)
            if chain is not None and chain.end() == dot and rows.kind[row] == "expression":
                flow.written.add(start)
                _change(flow, row, chain[0], whole=False)
