"""Small changes of meaning in Python code: where they can be made and what they put there.

An operator looks at one node of the syntax tree and yields edits. Edits replace bytes inside of expressions and
statements, so comments and docstrings stay as they are (`_places.prose` checks it again). Each operator belongs to one
of the eight mechanisms of the benchmark; `rewrites_of` applies all of them to a file.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module

from agentmonbench.examples import Mechanism

__all__ = ["OPERATORS", "Edit", "Operator", "Rewrite", "Site", "operator", "rewrites_of"]

MAX_DEPTH = 200
"""Levels of a syntax tree that are looked into."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes `start` to `end` (exclusive) of a file become `new`; `before` and `after` say it in words."""

    start: int
    end: int
    new: str
    before: str
    after: str


class SourceText:
    """A file with its syntax tree and the bytes of each node."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.data = text.encode()
        self.tree = ast.parse(text)
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt | ast.ExceptHandler | ast.keyword) -> tuple[int, int]:
        """Return the bytes of a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def code(self, node: ast.expr | ast.stmt | ast.ExceptHandler | ast.keyword) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.data[start:end].decode()


@dataclass(frozen=True)
class Site:
    """A node with what is around it."""

    source: SourceText
    node: ast.AST
    parents: tuple[ast.AST, ...]
    """From the node's parent outwards."""

    @property
    def parent(self) -> ast.AST:
        """The node around it."""
        return self.parents[0]

    @cached_property
    def statement(self) -> ast.stmt | ast.ExceptHandler:
        """The innermost statement, the node itself included."""
        return next(node for node in (self.node, *self.parents) if isinstance(node, ast.stmt | ast.ExceptHandler))

    def code(self, node: ast.expr | ast.stmt | ast.ExceptHandler | ast.keyword) -> str:
        """Return the text of a node."""
        return self.source.code(node)

    def replace(self, node: ast.expr | ast.stmt, new: str, before: str, after: str) -> Edit:
        """Return the edit that puts `new` in the place of a node."""
        return Edit(*self.source.span(node), new, before, after)

    def replace_text(self, node: ast.expr, old: str, new: str, before: str, after: str) -> Iterator[Edit]:
        """Yield the edit of the last place where `old` stands in a node's text, if there is one."""
        start, _ = self.source.span(node)
        at = self.code(node).encode().rfind(old.encode())
        if at >= 0:
            yield Edit(start + at, start + at + len(old.encode()), new, before, after)


Finder = Callable[[Site], Iterator[Edit]]


@dataclass(frozen=True, slots=True)
class Operator:
    """A kind of change."""

    name: str
    mechanism: Mechanism
    find: Finder


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One change of one file."""

    path: str
    operator: str
    mechanism: Mechanism
    edit: Edit
    line: int
    """First line of the changed node."""
    statement: str
    """Text of the changed statement, before the change; of a compound one, the first line."""
    text: str
    """The whole file after the change."""


OPERATORS: dict[str, Operator] = {}


def operator(mechanism: Mechanism) -> Callable[[Finder], Finder]:
    """Register a function as an operator of a mechanism, under its own name."""

    def register(find: Finder) -> Finder:
        name = find.__name__
        OPERATORS[name] = Operator(name, mechanism, find)
        return find

    return register


def rewrites_of(path: str, text: str) -> Iterator[Rewrite]:
    """Yield every change that the operators find inside of functions, in order of place, then operator.

    Changes that give no valid Python, or the same tree as before, are left out.
    """
    for module in ("checks", "flow", "text"):  # importing them registers their operators
        import_module(f"subsets.build._operators_{module}")
    source = SourceText(path, text)
    before = ast.dump(source.tree)
    found = []
    for site in _sites(source):
        for known in OPERATORS.values():
            found += [(edit.start, known.name, edit, site) for edit in known.find(site)]
    for _, name, edit, site in sorted(found, key=lambda item: (item[0], item[1], item[2].new)):
        changed = (source.data[: edit.start] + edit.new.encode() + source.data[edit.end :]).decode()
        try:
            tree = ast.parse(changed)
        except (SyntaxError, ValueError):
            continue
        if ast.dump(tree) != before:
            line = source.data.count(b"\n", 0, edit.start) + 1
            whole = source.code(site.statement)
            simple = not hasattr(site.statement, "body")
            statement = whole if simple else whole.partition("\n")[0]
            yield Rewrite(path, name, OPERATORS[name].mechanism, edit, line, statement, changed)


def _sites(source: SourceText) -> Iterator[Site]:
    """Yield the nodes inside of functions."""
    waiting: list[tuple[ast.AST, tuple[ast.AST, ...], bool]] = [(source.tree, (), False)]
    while waiting:
        node, parents, inside = waiting.pop()
        if len(parents) > MAX_DEPTH or isinstance(node, ast.JoinedStr):
            continue  # the places of nodes inside of f-strings are not known before Python 3.12
        if inside and not _is_docstring(node, parents):
            yield Site(source, node, parents)
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        children = [(child, (node, *parents), inside) for child in ast.iter_child_nodes(node)]
        waiting += reversed(children)


def _is_docstring(node: ast.AST, parents: tuple[ast.AST, ...]) -> bool:
    around = parents[0] if parents else None
    whole = node if isinstance(node, ast.Expr) else around
    return isinstance(whole, ast.Expr) and isinstance(whole.value, ast.Constant)
