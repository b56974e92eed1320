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
from ebg.repository._grammar import STATEMENTS, parse
from ebg.repository._lines import line_starts, normal_newlines

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
    tree, captures = parse(source)
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
        error_line=_first_error(captures, starts),
    )


def _names(captures: dict[str, list[Node]]) -> list[tuple[int, int, int]]:
    roles: dict[int, int] = {}
    for capture, role in _ROLES:
        for node in captures.get(capture, ()):
            roles[node.start_byte] = role
    for capture in ("attribute", "keyword"):
        for node in captures.get(capture, ()):
            roles[node.start_byte] = -1
    role_of = roles.get
    found = [(node.start_byte, node.end_byte) for node in captures.get("name", ())]
    found.sort()
    return [(start, end, role) for start, end in found if (role := role_of(start, LOAD)) >= 0]


def _first_error(captures: dict[str, list[Node]], starts: list[int]) -> int | None:
    broken = [node.start_byte for capture in ("error", "missing") for node in captures.get(capture, ())]
    return bisect_right(starts, min(broken)) if broken else None


def _statement_errors(captures: dict[str, list[Node]]) -> Iterator[Node]:
    """Yield the errors that stand where a statement should be; others lie inside a row."""
    for node in captures.get("error", ()):
        parent = node.parent
        if parent is not None and parent.type in ("module", "block"):
            yield node


@dataclass(slots=True)
class _Frame:
    """An open definition, control or clause."""

    end: int
    row: int
    scope: int
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
        self.rows = Statements()
        self.branches: list[Branch] = []
        last_line = len(starts) if starts[-1] < len(source) else max(len(starts) - 1, 1)
        self.scopes = [PythonScope(MODULE, "module", -1, -1, root, 1, last_line, 1)]
        self.found: dict[tuple[str, int, int], int] = {}
        self.defined: dict[int, Node] = {}
        self.sorted_rows = self._sorted_rows(captures)
        self.stack = [_Frame(len(source) + 1, -1, 0, -1, 0)]
        self.decorators: list[int] = []

    def _sorted_rows(self, captures: dict[str, list[Node]]) -> list[tuple[int, int, str]]:
        found = [
            (node.start_byte, -node.end_byte, kind)
            for kind in dict.fromkeys(STATEMENTS.values())
            for node in captures.get(kind, ())
        ]
        found.extend((node.start_byte, -node.end_byte, "error") for node in _statement_errors(captures))
        found.sort()
        for kind in ("function", "class"):
            for node in captures.get(kind, ()):
                self.defined[node.start_byte] = node
        return found

    def read(self) -> None:
        """Fill the tables."""
        skip_until = -1
        for position, (start, negative_end, kind) in enumerate(self.sorted_rows):
            if start < skip_until:
                continue
            while start >= self.stack[-1].end:
                self._close()
            if kind == "error" and self._inside(position + 1) < -negative_end:
                continue
            if self.decorators and kind not in ("decorator", *_DEFINITIONS):
                self._settle_decorators()
            if kind == "function" and self._is_overload():
                self._drop_decorators()
                skip_until = -negative_end
                continue
            self._add(position, start, -negative_end, kind)
        self._settle_decorators()
        while len(self.stack) > 1:
            self._close()
        if not self.found and self.source.strip():
            self._whole_file()

    def sorted_evidence(self) -> list[tuple[str, int, int]]:
        """Return the evidence in final order and renumber the rows to it."""
        order = sorted(self.found, key=lambda key: (key[1], key[2], key[0].casefold(), key[0]))
        number = {key: index for index, key in enumerate(order)}
        moved = [number[key] for key in self.found]
        self.rows.evidence = [moved[index] for index in self.rows.evidence]
        return order

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _add(self, position: int, start: int, end: int, kind: str) -> None:
        frame = self.stack[-1]
        if kind == "decorator":
            self.decorators.append(len(self.rows.start))
            self._row(start, end, kind, scope=frame.scope, branch=frame.branch, last=self._line(end - 1))
        elif kind in _DEFINITIONS:
            self._define(position, start, end, kind)
        elif kind in _CLAUSES:
            self._clause(position, start, end, kind)
        elif kind in _CONTROLS:
            row = self._row(
                start,
                end,
                kind,
                scope=frame.scope,
                branch=frame.branch,
                last=self._header_last(position, start, end, kind),
            )
            self._evidence(row)
            inner = self._branch(row, "body", frame.branch, -1)
            self.stack.append(
                _Frame(end, row, frame.scope, inner, self.rows.last[row], control=row, outer=frame.branch)
            )
        else:
            row = self._row(
                start, end, kind, scope=frame.scope, branch=frame.branch, last=self._line(max(end - 1, start))
            )
            self._evidence(row)
            frame.last_line = max(frame.last_line, self.rows.last[row])

    def _define(self, position: int, start: int, end: int, kind: str) -> None:
        frame = self.stack[-1]
        parent = self.scopes[frame.scope]
        node = self.defined[start]
        name_node = node.child_by_field_name("name")
        name = "" if name_node is None else self.source[name_node.start_byte : name_node.end_byte].decode()
        symbol = name if parent.row < 0 else f"{parent.symbol}.{name}"
        scope_kind: ScopeKind = "class" if kind == "class" else "method" if parent.kind == "class" else "function"
        decorators = tuple(self.decorators)
        self.decorators = []
        number = len(self.scopes)
        header_last = self._header_last(position, start, end, kind)
        row = self._row(start, end, kind, scope=number, branch=-1, last=header_last)
        first_line = self.rows.first[decorators[0]] if decorators else self.rows.first[row]
        self.scopes.append(
            PythonScope(symbol, scope_kind, frame.scope, row, node, first_line, header_last, header_last, decorators)
        )
        for decorator in decorators:
            self.rows.scope[decorator] = number
            self.rows.branch[decorator] = -1
            self._evidence(decorator)
        self._evidence(row)
        self.stack.append(_Frame(end, row, number, -1, header_last))

    def _clause(self, position: int, start: int, end: int, kind: str) -> None:
        frame = self.stack[-1]
        first, control, outer = self._line(start), frame.control, frame.outer
        if control < 0:  # a clause without its control, in broken code
            outer = frame.branch
        before = frame.last_line
        last = self._header_last(position, start, end, kind)
        row = self._row(start, end, kind, scope=frame.scope, branch=outer, last=last)
        body_line = self._body_line(position, end)
        if kind == "elif":
            self._gap(row, before + 1, first - 1)
            self._evidence(row)
            if control >= 0:
                self.rows.branch[row] = outer = self._branch(control, "else", outer, -1)
            inner = self._branch(row, "body", outer, -1)
            frame.control, frame.outer = row, outer
        else:
            if kind != "case":
                gap = self._gap(row, before + 1, body_line - 1)
                self.rows.evidence[row] = gap if gap >= 0 and body_line > first else self._number(row, first, last)
            else:
                self._evidence(row)
            label = kind if kind in ("else", "finally") else f"{kind} {row}"
            inner = frame.branch if control < 0 else self._branch(control, label, outer, row)
        self.stack.append(_Frame(end, row, frame.scope, inner, last))

    def _row(self, start: int, end: int, kind: str, *, scope: int, branch: int, last: int) -> int:
        rows = self.rows
        rows.start.append(start)
        rows.end.append(end)
        rows.kind.append(kind)
        rows.first.append(self._line(start))
        rows.last.append(last)
        rows.scope.append(scope)
        rows.stop.append(len(rows.start))
        rows.branch.append(branch)
        rows.evidence.append(-1)
        return len(rows.start) - 1

    def _branch(self, control: int, label: str, parent: int, clause: int) -> int:
        self.branches.append(Branch(control, label, parent, clause))
        return len(self.branches) - 1

    def _close(self) -> None:
        frame = self.stack.pop()
        outer = self.stack[-1]
        self.rows.stop[frame.row] = len(self.rows.start)
        if self.rows.kind[frame.row] in _DEFINITIONS:
            self.scopes[frame.scope].last_line = frame.last_line
        outer.last_line = max(outer.last_line, frame.last_line)

    # -- decorators ---------------------------------------------------------------------------------------------------

    def _is_overload(self) -> bool:
        rows = self.rows
        return any(_OVERLOAD.match(self.source, rows.start[row], rows.end[row]) for row in self.decorators)

    def _drop_decorators(self) -> None:
        first = self.decorators[0]
        self.decorators = []
        rows = self.rows
        for column in (
            rows.start, rows.end, rows.kind, rows.first, rows.last, rows.scope, rows.stop, rows.branch, rows.evidence
        ):  # fmt: skip
            del column[first:]

    def _settle_decorators(self) -> None:
        """Give decorators that no definition follows (broken code) to the scope they stand in."""
        for row in self.decorators:
            self._evidence(row)
        self.decorators = []

    # -- lines and evidence -------------------------------------------------------------------------------------------

    def _line(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def _inside(self, position: int) -> int:
        """Return the first byte of the row at `position`, or a byte after the file."""
        return self.sorted_rows[position][0] if position < len(self.sorted_rows) else len(self.source) + 1

    def _body_start(self, position: int, end: int) -> int:
        """Return the first byte of the body of the row at `position`, or its end if it has none."""
        following = position + 1
        if self.sorted_rows[position][2] == "match" and following < len(self.sorted_rows):
            following += self.sorted_rows[following][2] == "case"
        return min(self._inside(following), end)

    def _body_line(self, position: int, end: int) -> int:
        body = self._body_start(position, end)
        return self._line(body) if body < end else self._line(end - 1) + 1

    def _header_last(self, position: int, start: int, end: int, kind: str) -> int:
        """Return the line before the body, or the body's own line if the header reaches into it."""
        body = self._body_start(position, end)
        if body >= end:
            return self._line(max(end - 1, start))
        line = self._line(body)
        shared = self.source[max(self.starts[line - 1], start) : body].strip()
        if kind == "match" and self._inside(position + 1) >= self.starts[line - 1]:
            shared = b""
        return max(line if shared else line - 1, self._line(start))

    def _evidence(self, row: int) -> None:
        self.rows.evidence[row] = self._number(row, self.rows.first[row], self.rows.last[row])

    def _number(self, row: int, first: int, last: int) -> int:
        key = (self.scopes[self.rows.scope[row]].symbol, first, last)
        return self.found.setdefault(key, len(self.found))

    def _gap(self, row: int, first: int, last: int) -> int:
        """Make evidence of the lines between two clauses unless they are blank; return its number or -1."""
        if last < first:
            return -1
        end = self.starts[last] if last < len(self.starts) else len(self.source)
        if not self.source[self.starts[first - 1] : end].strip():
            return -1
        return self._number(row, first, last)

    def _whole_file(self) -> None:
        """Make one evidence of a file in which nothing parses, so that it stays visible."""
        row = self._row(0, len(self.source), "error", scope=0, branch=-1, last=self.scopes[0].last_line)
        self._evidence(row)
