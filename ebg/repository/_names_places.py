"""Where in a file something stands: its scope, branch and evidence, found from its first byte.

What stands in the header of a definition (decorators, defaults, annotations, bases) runs in the scope around the
definition, so it is placed there; its evidence still belongs to the definition.
"""

from __future__ import annotations

import builtins
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple

from tree_sitter import Node

from ebg.repository._names_expressions import Expression, ExpressionReader
from ebg.repository._syntax import LOAD, PythonSyntax

__all__ = ["CallNode", "Places"]

END: Final = 1 << 60
"""A position after the end of every file."""

_EXCLUSIVE = frozenset(("if", "elif", "match"))
_LOOPS = frozenset(("for", "while"))


_WORD = re.compile(rb"[\w\x80-\xff]+|\*")
_BUSY_BUILTINS = (
    *("NotImplementedError", "dict", "enumerate", "filter", "frozenset", "getattr", "iter", "list", "map", "max"),
    *("min", "next", "reversed", "set", "sorted", "super", "tuple", "type", "zip"),
)
"""What linking looks at: results and arguments that can be followed, and the mark of abstract methods."""
_IDLE_BUILTINS = frozenset(name.encode() for name in set(dir(builtins)) - set(_BUSY_BUILTINS))


class CallNode(NamedTuple):
    """A call expression of the file; calls sort by first byte, outer before inner."""

    start: int
    negative_end: int
    end: int
    callee_end: int
    callee: bytes
    row: int
    node: Node


_call_node = partial(tuple.__new__, CallNode)


class Places:
    """The places of one file, and the reader of its expressions."""

    def __init__(self, syntax: PythonSyntax) -> None:
        self.syntax = syntax
        self.source = syntax.source
        rows = syntax.statements
        self._starts, self._ends = rows.start, rows.end
        self.branches: list[tuple[int, int, bool, int, int]] = []
        """Rows of `Branching`."""
        effective = self._read_branches()
        self.outer_branch = self._branches_of_definitions(effective)
        """Branch of the enclosing scope that each scope's definition stands in, or -1."""
        self.scope = rows.scope.copy()
        """Scope in which each row runs."""
        self.branch = [effective[branch] if branch >= 0 else -1 for branch in rows.branch]
        """Branch of that scope around each row, or -1."""
        self.evidence = rows.evidence
        self.plain_arguments: dict[bytes, tuple[tuple[str, Expression], ...]] = {}
        """What lists of arguments without calls and literals give, by their text: many are written again and again."""
        for number, scope in enumerate(syntax.scopes):
            for row in (*scope.decorators, scope.row):
                if row >= 0:
                    self.scope[row] = scope.parent
                    self.branch[row] = self.outer_branch[number]
        self.calls = self._read_calls()
        numbers = {call.end: number for number, call in enumerate(self.calls)}
        self.reader = ExpressionReader(self.source, numbers)

    def _read_calls(self) -> list[CallNode]:
        """Return the calls by first byte, outer before inner; the index is the number of the call.

        Calls of builtins that neither call nor return what they are given are left out (a fifth of all calls), unless
        the file may bind their names to something else.
        """
        source, captures = self.source, self.syntax.captures
        names = {source[start:end] for start, end, role in self.syntax.names if role != LOAD}
        imports = b"".join([source[node.start_byte : node.end_byte] for node in captures.get("import", ())])
        names.update(_WORD.findall(imports))
        idle = frozenset() if b"*" in names else _IDLE_BUILTINS - names
        found = []
        for node in captures.get("call", ()):
            start = node.start_byte
            callee_end = node.children[0].end_byte
            callee = source[start:callee_end]
            if callee not in idle:
                row = self.row(start)
                if row >= 0:
                    found.append(_call_node((start, -node.end_byte, node.end_byte, callee_end, callee, row, node)))
        found.sort()
        return found

    def row(self, position: int) -> int:
        """Return the row that owns a byte, or -1 (before the first, or inside a definition that was left out)."""
        row = bisect_right(self._starts, position) - 1
        return row if row >= 0 and position < self._ends[row] else -1

    def rows(self, positions: Iterable[int]) -> Iterator[int]:
        """Yield the row that owns each of some ascending positions, or -1; cheaper than asking for each."""
        starts, ends = self._starts, self._ends
        row, last = -1, len(starts) - 1
        following = starts[0] if starts else END
        for position in positions:
            while position >= following:
                row += 1
                following = starts[row + 1] if row < last else END
            yield row if row >= 0 and position < ends[row] else -1

    def text(self, node: Node) -> str:
        """Return the text of a node as a shared string."""
        return self.reader.words[self.source[node.start_byte : node.end_byte]]

    def read(self, node: Node | None) -> Expression:
        """Return the expression of a node."""
        return self.reader.read(node)

    def _read_branches(self) -> list[int]:
        """Read the branches; return the branch that counts for each.

        What always runs when its parent runs (`with`, the body of `try`, `finally`) is no branch of its own.
        """
        rows = self.syntax.statements
        effective: list[int] = []
        for number, branch in enumerate(self.syntax.branches):
            kind = rows.kind[branch.control]
            parent = effective[branch.parent] if branch.parent >= 0 else -1
            certain = branch.label == "finally" or (branch.label == "body" and kind in ("with", "try"))
            effective.append(parent if certain else number)
            loop = kind in _LOOPS and branch.label == "body"
            first, last = (rows.start[branch.control], rows.end[branch.control]) if loop else (0, 0)
            self.branches.append((parent, branch.control, kind in _EXCLUSIVE, first, last))
        return effective

    def _branches_of_definitions(self, effective: list[int]) -> list[int]:
        """Find, for each scope, the innermost branch of its parent around it."""
        rows, branches, scopes = self.syntax.statements, self.syntax.branches, self.syntax.scopes
        found = [-1] * len(scopes)
        if not branches:
            return found
        regions = []
        for number, branch in enumerate(branches):
            first = branch.clause if branch.clause >= 0 else branch.control
            if branch.label == "else" and branch.clause < 0:
                # The `else` that an `elif` stands in; the next branch is the body of the `elif`.
                first = branches[number + 1].control
            regions.append((rows.start[first], -rows.end[first], number))
        regions.sort()
        stack: list[tuple[int, int]] = []
        following = 0
        for number, scope in enumerate(scopes):
            if scope.row < 0:
                continue
            start = rows.start[scope.row]
            while following < len(regions) and regions[following][0] <= start:
                first, negative_end, branch_number = regions[following]
                while stack and stack[-1][0] <= first:
                    stack.pop()
                stack.append((-negative_end, branch_number))
                following += 1
            while stack and stack[-1][0] <= start:
                stack.pop()
            if stack and rows.scope[branches[stack[-1][1]].control] == scope.parent:
                found[number] = effective[stack[-1][1]]
        return found
