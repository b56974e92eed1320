"""Where a change is: definitions of a Python file, the lines of a swap, and what people read in a file.

Lines are 1-based and inclusive. Rules follow specification part 5.2, step 9.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

__all__ = ["Symbol", "changed_lines", "innermost", "line_ranges", "named", "prose", "symbols"]

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

    Fields are assignments to one plain name at the top of a module or class.
    """
    tree = ast.parse(source)
    found = [Symbol("module", (), 1, len(source.splitlines()))]
    waiting: list[tuple[ast.AST, tuple[str, ...], bool, bool]] = [(tree, (), False, False)]
    while waiting:
        node, owner, in_class, in_function = waiting.pop()
        inner: list[tuple[ast.AST, tuple[str, ...], bool, bool]] = []
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _Definition):
                name = (*owner, child.name)
                start = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                is_class = isinstance(child, ast.ClassDef)
                kind = "class" if is_class else "method" if in_class else "function"
                found.append(Symbol(kind, name, start, child.end_lineno or start))
                inner.append((child, name, is_class, in_function or not is_class))
            elif isinstance(child, ast.Assign | ast.AnnAssign) and not in_function:
                targets = child.targets if isinstance(child, ast.Assign) else [child.target]
                if len(targets) == 1 and isinstance(targets[0], ast.Name):
                    name = (*owner, targets[0].id)
                    found.append(Symbol("field", name, child.lineno, child.end_lineno or child.lineno))
            elif isinstance(child, ast.If | ast.Try | ast.With | ast.For | ast.While | ast.ExceptHandler):
                inner.append((child, owner, in_class, in_function))
        waiting += reversed(inner)
    return tuple(found)


def innermost(source: str, lines: Iterable[int]) -> Symbol:
    """Return the smallest definition that holds all `lines`; a function or method comes before a field."""
    places = sorted(lines)
    holding = [symbol for symbol in symbols(source) if symbol.start <= places[0] and places[-1] <= symbol.end]
    return min(holding, key=lambda symbol: (symbol.end - symbol.start, -len(symbol.qualified_name)))


def named(source: str, dotted: str) -> Symbol:
    """Return the one definition called `dotted`; the empty name is the module.

    Raises:
        ValueError: there is none, or more than one.
    """
    matches = [symbol for symbol in symbols(source) if symbol.dotted == dotted]
    if len(matches) != 1:
        raise ValueError(f"{dotted!r} names {len(matches)} definitions")
    return matches[0]


def changed_lines(before: str, alone: str, together: str) -> list[int]:
    """Return the lines of `together` that one swap put there.

    For a pure deletion it is the line that is now at its place.

    Args:
        before: the file as it was.
        alone: the file with this swap only.
        together: the file with all swaps.
    """
    old, new, all_swapped = before.splitlines(), alone.splitlines(), together.splitlines()
    added: list[int] = []
    for tag, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag in ("insert", "replace"):
            added.extend(range(start, end))
        elif tag == "delete":
            added.append(min(start, len(new) - 1))
    moved = {
        block.a + offset: block.b + offset
        for block in SequenceMatcher(None, new, all_swapped, autojunk=False).get_matching_blocks()
        for offset in range(block.size)
    }
    return sorted({moved[line] + 1 for line in added})


def line_ranges(lines: Iterable[int]) -> list[dict[str, int]]:
    """Join neighbouring lines into ranges."""
    ranges: list[dict[str, int]] = []
    for line in sorted(lines):
        if ranges and ranges[-1]["end"] == line - 1:
            ranges[-1]["end"] = line
        else:
            ranges.append({"start": line, "end": line})
    return ranges


def prose(source: str) -> list[str]:
    """Return what people read in a file: docstrings and comments, in order of their kind and place."""
    owners = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Module | _Definition)]
    docstrings = [ast.get_docstring(node, clean=False) or "" for node in owners]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return docstrings + [token.string for token in tokens if token.type == tokenize.COMMENT]
