"""Definitions of a Python file and the lines they span."""

from __future__ import annotations

import ast
from dataclasses import dataclass

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition: lines are 1-based and inclusive, decorators included."""

    kind: str
    qualified_name: tuple[str, ...]
    start: int
    end: int

    @property
    def dotted(self) -> str:
        """The name as SpecGAP writes it."""
        return ".".join(self.qualified_name)


def symbols(source: str) -> tuple[Symbol, ...]:
    """Return module, classes, functions, methods and fields, outer ones first.

    Fields are assignments to one plain name at the top of a module or class (specification part 5.2, step 9).
    """
    tree = ast.parse(source)
    found = [Symbol("module", (), 1, len(source.splitlines()))]

    def visit(node: ast.Module | _Definition, owner: tuple[str, ...], in_class: bool, in_function: bool) -> None:
        for child in node.body:
            if isinstance(child, _Definition):
                name = (*owner, child.name)
                start = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                is_class = isinstance(child, ast.ClassDef)
                kind = "class" if is_class else "method" if in_class else "function"
                found.append(Symbol(kind, name, start, child.end_lineno or start))
                visit(child, name, is_class, in_function or not is_class)
            elif not in_function and isinstance(child, ast.Assign | ast.AnnAssign):
                targets = child.targets if isinstance(child, ast.Assign) else [child.target]
                if len(targets) == 1 and isinstance(targets[0], ast.Name):
                    name = (*owner, targets[0].id)
                    found.append(Symbol("field", name, child.lineno, child.end_lineno or child.lineno))

    visit(tree, (), False, False)
    return tuple(found)


def innermost(source: str, lines: list[int]) -> Symbol:
    """Return the smallest definition that holds all `lines`; a function or method comes before a field."""
    holding = [symbol for symbol in symbols(source) if symbol.start <= min(lines) and max(lines) <= symbol.end]
    return min(holding, key=lambda symbol: (symbol.end - symbol.start, -len(symbol.qualified_name)))


def named(source: str, dotted: str) -> Symbol:
    """Return the one definition called `dotted`; the empty name is the module."""
    matches = [symbol for symbol in symbols(source) if symbol.dotted == dotted]
    if len(matches) != 1:
        raise ValueError(f"{dotted!r} names {len(matches)} definitions")
    return matches[0]


def prose(source: str) -> list[str]:
    """Return what people read in a file: docstrings and comments, in order of their kind and place."""
    import io
    import tokenize

    tree = ast.parse(source)
    owners = [node for node in ast.walk(tree) if isinstance(node, ast.Module | _Definition)]
    docstrings = [ast.get_docstring(node, clean=False) or "" for node in owners]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return docstrings + [token.string for token in tokens if token.type == tokenize.COMMENT]
