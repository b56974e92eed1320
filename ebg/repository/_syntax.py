"""One Python file as tables: scopes, statements in document order, names, and the evidence that statements make.

Every statement, clause header and decorator is a *row*. Rows are sorted by their first byte, so the row that owns a
byte is the last one that starts at or before it (`PythonSyntax.owner`); no tree is climbed and nothing recurses. A
definition's name, parameters, annotations, defaults, bases and decorators belong to the definition's own scope: they
are its header. Line ends are taken from the last statement inside, not from the syntax tree, so comments that trail a
block do not belong to it.

Evidence follows specification part 2.2 (ebg-method).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from ebg.model import ScopeKind
from ebg.repository._grammar import STATEMENTS, Parsed, parse
from ebg.repository._lines import line_starts, normal_newlines
from ebg.repository._repair import balanced

__all__ = [
    "AUGMENT",
    "DEFINITION",
    "DELETE",
    "LOAD",
    "MODULE",
    "STORE",
    "Branch",
    "Name",
    "PythonScope",
    "PythonSyntax",
    "Statements",
    "read_python",
]

MODULE = "<module>"

# Roles of a name.
LOAD, STORE, AUGMENT, DELETE, DEFINITION = range(5)

_ROLES = (("store", STORE), ("augment", AUGMENT), ("delete", DELETE), ("definition", DEFINITION))
_DEFINITIONS = {"function", "class"}
_CONTROLS = {"if", "for", "while", "with", "try", "match"}
_KINDS = tuple(dict.fromkeys(STATEMENTS.values()))
_CLAUSES = {"elif", "else", "except", "finally", "case"}
_HEADED = _DEFINITIONS | _CONTROLS | _CLAUSES
_OVERLOAD = re.compile(rb"@\s*(?:[\w.]+\.)?overload\s*\Z")


class Name(NamedTuple):
    """An occurrence of an identifier that can mean a variable.

    Attribute names and keywords of calls are not in the table: `a.b(c=d)` has the names `a` and `d`.
    """

    start: int
    end: int
    role: int
    """LOAD, STORE, AUGMENT (`x += 1`), DELETE or DEFINITION (the name after `def` or `class`). Names in `import`,
    `global` and `nonlocal` statements are LOAD: look at the kind of their statement. Parameters are STORE in the
    header of their function. Targets of comprehensions are STORE too: see `PythonSyntax.captures["comprehension"]`."""


class Branch(NamedTuple):
    """One block of a control statement: what must be taken to get there."""

    control: int
    """Row of the `if`, `elif`, `for`, `while`, `with`, `try` or `match` statement."""
    label: str
    """`body`, `else`, `finally`, or `except` and `case` followed by the row of the clause."""
    parent: int
    """The branch that the control stands in, or -1 at the top of its scope. An `elif` stands in the `else` branch of
    the test before it."""
    clause: int
    """Row of the `else`, `except`, `finally` or `case` clause, or -1."""


@dataclass(slots=True)
class PythonScope:
    """A module, class or function definition."""

    symbol: str
    kind: ScopeKind
    """`module`, `class`, `function`, or `method` for a function whose parent is a class."""
    parent: int
    """Number of the enclosing scope; -1 for the module."""
    row: int
    """Row of the definition; -1 for the module."""
    node: Node
    """The `module`, `class_definition` or `function_definition`."""
    first_line: int
    """First line of the definition, decorators included."""
    last_line: int
    header_last: int
    """Last line of the signature, which begins with `first_line`."""
    decorators: tuple[int, ...] = ()
    """Rows of the decorators."""


@dataclass(slots=True)
class Statements:
    """Columns of the rows, all of one length."""

    start: list[int] = field(default_factory=list)
    """First byte. Strictly increasing but for broken code."""
    end: list[int] = field(default_factory=list)
    """End byte of the whole node, blocks included."""
    kind: list[str] = field(default_factory=list)
    """A value of `_grammar.STATEMENTS`, or `error` for text that does not parse."""
    first: list[int] = field(default_factory=list)
    """First line."""
    last: list[int] = field(default_factory=list)
    """Last line of the row itself: of the header for whatever has a block."""
    scope: list[int] = field(default_factory=list)
    """Number of the owning scope in `PythonSyntax.scopes`; for a definition and its decorators the scope it opens."""
    stop: list[int] = field(default_factory=list)
    """First row after everything inside: the blocks of a control or definition, the block of a clause."""
    branch: list[int] = field(default_factory=list)
    """Innermost branch around the row in its scope, or -1. Of a clause: the branch around its control."""
    evidence: list[int] = field(default_factory=list)
    """Index into `PythonSyntax.evidence`. Rows on one line share one evidence; a clause whose body begins on its own
    line has that statement's evidence."""


@dataclass(slots=True)
class PythonSyntax:
    """The tables of one file."""

    source: bytes
    """UTF-8 text with normal newlines; offsets are those of the original UTF-8 text."""
    starts: list[int]
    """Byte offset of each line."""
    captures: dict[str, list[Node]]
    """Nodes by capture name (`_grammar`), unsorted; use `nodes`."""
    scopes: list[PythonScope]
    """In document order, the module first. A symbol defined twice has two entries."""
    statements: Statements
    branches: list[Branch]
    names: list[tuple[int, int, int]]
    """Rows of `Name`, by first byte (plain tuples: there are several a line)."""
    evidence: list[tuple[str, int, int]]
    """Distinct (symbol, first line, last line), in final order: by lines, then casefolded symbol, then symbol."""
    error_line: int | None
    """First line that does not parse, or None."""

    def line(self, offset: int) -> int:
        """Return the 1-based line of a byte offset."""
        return bisect_right(self.starts, offset)

    def owner(self, offset: int) -> int:
        """Return the row that owns a byte, or -1 before the first."""
        return bisect_right(self.statements.start, offset) - 1

    def nodes(self, capture: str) -> list[Node]:
        """Return the nodes of a capture by first byte, outer before inner."""
        return sorted(self.captures.get(capture, ()), key=lambda node: (node.start_byte, -node.end_byte))

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def read_python(source: bytes) -> PythonSyntax:
    """Read UTF-8 Python source, whole or broken, into tables. Never raises for any text."""
    source = normal_newlines(source)
    (tree, captures), error = _parse(source)
    captures = _without_overloads(source, captures)
    starts = line_starts(source)
    reader = _Reader(source, starts, tree.root_node, captures)
    reader.read()
    return PythonSyntax(
        source=source,
        starts=starts,
        captures=captures,
        scopes=reader.scopes,
        statements=reader.rows,
        branches=reader.branches,
        names=_names(captures),
        evidence=reader.sorted_evidence(),
        error_line=None if error is None else bisect_right(starts, error),
    )


def _parse(source: bytes) -> tuple[Parsed, int | None]:
    """Parse a file; a broken one also with its brackets balanced, if that leaves more definitions.

    Returns:
        What was parsed, and the offset of the first error or None.
    """
    parsed = parse(source)
    if not parsed.tree.root_node.has_error:
        return parsed, None
    repaired = balanced(source)
    again = parsed if repaired == source else parse(repaired)
    if _definition_count(again) > _definition_count(parsed):
        return again, next(offset for offset, (old, new) in enumerate(zip(source, repaired, strict=True)) if old != new)
    broken = [node.start_byte for name in ("error", "missing") for node in parsed.captures.get(name, ())]
    return parsed, min(broken, default=0)


def _definition_count(parsed: Parsed) -> int:
    return sum(len(parsed.captures.get(kind, ())) for kind in _DEFINITIONS)


def _names(captures: dict[str, list[Node]]) -> list[tuple[int, int, int]]:
    roles = dict.fromkeys([node.start_byte for node in captures.get("attribute", ())], -1)
    roles.update(dict.fromkeys([node.start_byte for node in captures.get("keyword", ())], -1))
    for capture, role in _ROLES:
        roles.update(dict.fromkeys([node.start_byte for node in captures.get(capture, ())], role))
    role_of = roles.get
    found = [(node.start_byte, node.end_byte) for node in captures.get("name", ())]
    found.sort()
    return [(start, end, role) for start, end in found if (role := role_of(start, LOAD)) >= 0]


def _statement_errors(captures: dict[str, list[Node]]) -> Iterator[Node]:
    """Yield the errors that stand where a statement should be; others lie inside a row."""
    for node in captures.get("error", ()):
        parent = node.parent
        if parent is not None and parent.type in ("module", "block"):
            yield node


def _without_overloads(source: bytes, captures: dict[str, list[Node]]) -> dict[str, list[Node]]:
    """Return the captures without those in definitions decorated with `overload`: they are declarations, no code."""
    if b"overload" not in source:
        return captures
    spans = []
    for node in captures.get("decorator", ()):
        definition = node.parent
        is_overload = _OVERLOAD.match(source, node.start_byte, node.end_byte) is not None
        if is_overload and definition is not None and definition.named_children[-1].type == "function_definition":
            spans.append((definition.start_byte, definition.end_byte))
    if not spans:
        return captures
    spans.sort()
    firsts = [first for first, _ in spans]

    def outside(node: Node) -> bool:
        position = bisect_right(firsts, node.start_byte) - 1
        return position < 0 or node.start_byte >= spans[position][1]

    return {name: [node for node in nodes if outside(node)] for name, nodes in captures.items()}


@dataclass(slots=True)
class _Frame:
    """An open definition, control or clause."""

    end: int
    row: int
    scope: int
    symbol: str
    branch: int
    """Branch of the statements directly inside."""
    last_line: int
    """Last line of the statements inside so far."""
    control: int = -1
    """For a control: the row that its next `else` belongs to (the last `elif`, or the statement)."""
    outer: int = -1
    """For a control: the branch that `control` stands in."""


class _Reader:
    """The pass over the sorted rows that keeps a stack of open frames."""

    def __init__(self, source: bytes, starts: list[int], root: Node, captures: dict[str, list[Node]]) -> None:
        self.source = source
        self.starts = starts
        self.branches: list[Branch] = []
        last_line = len(starts) if starts[-1] < len(source) else max(len(starts) - 1, 1)
        self.scopes = [PythonScope(MODULE, "module", -1, -1, root, 1, last_line, 1)]
        self.found: dict[tuple[str, int, int], int] = {}
        self.defined = {node.start_byte: node for kind in _DEFINITIONS for node in captures.get(kind, ())}
        self.rows = self._rows(captures)
        self.stack = [_Frame(len(source) + 1, -1, 0, MODULE, -1, 0)]
        self.decorators: list[int] = []

    def _rows(self, captures: dict[str, list[Node]]) -> Statements:
        found = [(node.start_byte, -node.end_byte, kind) for kind in _KINDS for node in captures.get(kind, ())]
        if "error" in captures:
            errors = {(node.start_byte, -node.end_byte, "error") for node in _statement_errors(captures)}
            found.extend(errors)
            found.sort()
            # An error with statements inside is as good as a block: they stand for themselves.
            after = [*[row[0] for row in found], len(self.source) + 1][1:]
            found = [row for row, start in zip(found, after, strict=True) if row not in errors or start >= -row[1]]
        else:
            found.sort()
        count, starts = len(found), self.starts
        first = [bisect_right(starts, row[0]) for row in found]
        return Statements(
            start=[row[0] for row in found],
            end=[-row[1] for row in found],
            kind=[row[2] for row in found],
            first=first,
            last=first[:],
            scope=[0] * count,
            stop=list(range(1, count + 1)),
            branch=[-1] * count,
            evidence=[-1] * count,
        )

    def read(self) -> None:
        """Fill the tables."""
        rows, starts, found = self.rows, self.starts, self.found
        row_start, row_end, first, last = rows.start, rows.end, rows.first, rows.last
        scope_of, branch_of, evidence = rows.scope, rows.branch, rows.evidence
        frame = self.stack[-1]
        for row, kind in enumerate(rows.kind):
            start = row_start[row]
            while start >= frame.end:
                frame = self._close(row)
            if kind in _HEADED:
                if self.decorators and kind not in _DEFINITIONS:
                    self._settle_decorators()
                frame = self._open(row, kind, frame)
                continue
            scope_of[row] = frame.scope
            branch_of[row] = frame.branch
            if row_end[row] > start:
                last[row] = bisect_right(starts, row_end[row] - 1)
            if kind == "decorator":
                self.decorators.append(row)
                continue
            if self.decorators:
                self._settle_decorators()
            evidence[row] = found.setdefault((frame.symbol, first[row], last[row]), len(found))
            frame.last_line = max(frame.last_line, last[row])
        self._settle_decorators()
        while len(self.stack) > 1:
            self._close(len(row_start))
        if not found and self.source.strip():
            self._whole_file()

    def sorted_evidence(self) -> list[tuple[str, int, int]]:
        """Return the evidence in final order and renumber the rows to it."""
        order = sorted(self.found, key=lambda key: (key[1], key[2], key[0].casefold(), key[0]))
        number = {key: index for index, key in enumerate(order)}
        moved = [number[key] for key in self.found]
        self.rows.evidence = [moved[index] for index in self.rows.evidence]
        return order

    # -- frames -------------------------------------------------------------------------------------------------------

    def _open(self, row: int, kind: str, frame: _Frame) -> _Frame:
        end = self.rows.end[row]
        if kind in _DEFINITIONS:
            inner = self._define(row, kind, frame)
        else:
            self.rows.scope[row] = frame.scope
            self.rows.branch[row] = frame.branch
            last = self.rows.last[row] = self._header_last(row)
            inner = _Frame(end, row, frame.scope, frame.symbol, frame.branch, last)
            if kind in _CLAUSES:
                self._clause(row, kind, frame, inner)
            else:
                self._evidence(row, frame.symbol)
                inner.control, inner.outer = row, frame.branch
                inner.branch = self._branch(row, "body", frame.branch, -1)
        self.stack.append(inner)
        return inner

    def _define(self, row: int, kind: str, frame: _Frame) -> _Frame:
        rows = self.rows
        parent = self.scopes[frame.scope]
        node = self.defined[rows.start[row]]
        name_node = node.child_by_field_name("name")
        name = "" if name_node is None else self.source[name_node.start_byte : name_node.end_byte].decode()
        symbol = name if parent.row < 0 else f"{parent.symbol}.{name}"
        scope_kind: ScopeKind = "class" if kind == "class" else "method" if parent.kind == "class" else "function"
        decorators = tuple(self.decorators)
        self.decorators = []
        number = len(self.scopes)
        last = rows.last[row] = self._header_last(row)
        first_line = rows.first[decorators[0]] if decorators else rows.first[row]
        self.scopes.append(PythonScope(symbol, scope_kind, frame.scope, row, node, first_line, last, last, decorators))
        for header in (*decorators, row):
            rows.scope[header] = number
            rows.branch[header] = -1
            self._evidence(header, symbol)
        return _Frame(rows.end[row], row, number, symbol, -1, last)

    def _clause(self, row: int, kind: str, frame: _Frame, inner: _Frame) -> None:
        """Place a clause of the control that is open in `frame`; without one (broken code) it is a plain block."""
        rows = self.rows
        control, outer = frame.control, frame.outer if frame.control >= 0 else frame.branch
        first, before = rows.first[row], frame.last_line
        rows.branch[row] = outer
        if kind == "elif":
            self._gap(frame.symbol, before + 1, first - 1)
            self._evidence(row, frame.symbol)
            if control >= 0:
                rows.branch[row] = outer = self._branch(control, "else", outer, -1)
            inner.branch = self._branch(row, "body", outer, -1)
            frame.control, frame.outer = row, outer
            return
        if kind == "case":
            self._evidence(row, frame.symbol)
        else:
            body_line = self._body_line(row)
            gap = self._gap(frame.symbol, before + 1, body_line - 1)
            if gap >= 0 and body_line > first:
                rows.evidence[row] = gap
            else:
                self._evidence(row, frame.symbol)
        if control >= 0:
            label = kind if kind in ("else", "finally") else f"{kind} {row}"
            inner.branch = self._branch(control, label, outer, row)

    def _branch(self, control: int, label: str, parent: int, clause: int) -> int:
        self.branches.append(Branch(control, label, parent, clause))
        return len(self.branches) - 1

    def _close(self, row: int) -> _Frame:
        """Close the innermost frame before `row`; return the one around it."""
        frame = self.stack.pop()
        outer = self.stack[-1]
        self.rows.stop[frame.row] = row
        if self.rows.kind[frame.row] in _DEFINITIONS:
            self.scopes[frame.scope].last_line = frame.last_line
        outer.last_line = max(outer.last_line, frame.last_line)
        return outer

    def _settle_decorators(self) -> None:
        """Give decorators that no definition follows (broken code) to the scope they stand in."""
        for row in self.decorators:
            self._evidence(row, self.scopes[self.rows.scope[row]].symbol)
        self.decorators = []

    # -- lines and evidence -------------------------------------------------------------------------------------------

    def _line(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def _body_start(self, row: int) -> int:
        """Return the first byte of the body of a row, or its end if it has none."""
        rows = self.rows
        following = row + 1
        if rows.kind[row] == "match" and following < len(rows.start) and rows.kind[following] == "case":
            following += 1
        return min(rows.start[following], rows.end[row]) if following < len(rows.start) else rows.end[row]

    def _body_line(self, row: int) -> int:
        body, end = self._body_start(row), self.rows.end[row]
        return self._line(body) if body < end else self._line(end - 1) + 1

    def _header_last(self, row: int) -> int:
        """Return the line before the body, or the body's own line if the header reaches into it."""
        rows = self.rows
        start, end, body = rows.start[row], rows.end[row], self._body_start(row)
        if body >= end:
            return self._line(max(end - 1, start))
        line = self._line(body)
        shared = self.source[max(self.starts[line - 1], start) : body].strip()
        if rows.kind[row] == "match" and rows.start[row + 1] >= self.starts[line - 1]:
            shared = b""  # a case with its body on its line
        return max(line if shared else line - 1, rows.first[row])

    def _evidence(self, row: int, symbol: str) -> None:
        key = (symbol, self.rows.first[row], self.rows.last[row])
        self.rows.evidence[row] = self.found.setdefault(key, len(self.found))

    def _gap(self, symbol: str, first: int, last: int) -> int:
        """Make evidence of the lines between two clauses unless they are blank; return its number or -1."""
        if last < first:
            return -1
        end = self.starts[last] if last < len(self.starts) else len(self.source)
        if not self.source[self.starts[first - 1] : end].strip():
            return -1
        return self.found.setdefault((symbol, first, last), len(self.found))

    def _whole_file(self) -> None:
        """Make one evidence of a file in which nothing parses, so that it stays visible."""
        rows = self.rows
        columns: list[tuple[list[int], int]] = [
            (rows.start, 0), (rows.end, len(self.source)), (rows.first, 1), (rows.last, self.scopes[0].last_line),
            (rows.scope, 0), (rows.stop, 1), (rows.branch, -1), (rows.evidence, -1),
        ]  # fmt: skip
        for column, value in columns:
            column.append(value)
        rows.kind.append("error")
        self._evidence(0, MODULE)
