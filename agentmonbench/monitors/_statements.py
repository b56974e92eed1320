"""Statements of Python source of which only some lines are known.

A parser needs whole files; here indentation and brackets have to do. Each statement knows its lines and the definition
it stands in, from the lines themselves and from the name that stood above them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from agentmonbench.monitors._conversation import SourceLine

__all__ = ["Place", "Statement", "statements_of"]

_DEFINITION = re.compile(r"(?:async\s+)?(def|class)\s+(\w+)")
_STRING = re.compile(
    r"[rRbBuUfF]{0,2}(\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')",
    re.DOTALL,
)
_TRIPLE = ('"""', "'''")
_MAX_LINES = 200  # of one statement: past that a bracket was probably lost in lines that were not shown

Kind = Literal["function", "method", "class", "module"]


@dataclass(frozen=True, slots=True)
class Place:
    """The definition that holds a statement."""

    path: str
    symbol: str
    """Dotted name, `<module>` at top level."""
    kind: Kind


@dataclass(frozen=True, slots=True)
class Statement:
    """One logical line of source."""

    place: Place
    start: int
    end: int
    indent: int
    text: str
    """Its lines joined by spaces, without comments."""

    @property
    def code(self) -> str:
        """Return the text with string contents emptied."""
        return _STRING.sub('""', self.text)

    @property
    def strings(self) -> str:
        """Return the contents of its strings, joined."""
        return " ".join(found.strip("\"'") for found in _STRING.findall(self.text))


@dataclass(frozen=True, slots=True)
class _Scope:
    indent: int
    name: str
    kind: str


def statements_of(path: str, lines: Mapping[int, SourceLine]) -> list[Statement]:
    """Return the statements of the shown lines of one file, in order, docstrings left out."""
    found: list[Statement] = []
    stack: list[_Scope] = []
    for start, end, text, hint in _logical_lines(lines):
        stripped = text.strip()
        indent = len(text) - len(text.lstrip())
        while stack and stack[-1].indent >= indent:
            stack.pop()
        if definition := _DEFINITION.match(stripped):
            # A header belongs to its own definition: defaults are cited under its name.
            stack.append(_Scope(indent, definition.group(2), definition.group(1)))
        if not _is_docstring(stripped):
            found.append(Statement(_place(path, stack, hint), start, end, indent, stripped))
    return found


def _place(path: str, stack: list[_Scope], hint: str | None) -> Place:
    name = ".".join(scope.name for scope in stack)
    if hint is not None and hint not in ("<module>", name) and not name.startswith(f"{hint}."):
        # When the lines around do not tell where this one stands, the name above it does.
        inner = name.rpartition(".")[2]
        if not name or hint.rpartition(".")[2] == inner:
            return Place(path, hint, _kind_of_name(hint))
    if not stack:
        return Place(path, "<module>", "module")
    if stack[-1].kind == "class":
        return Place(path, name, "class")
    in_class = len(stack) > 1 and stack[-2].kind == "class"
    return Place(path, name, "method" if in_class else "function")


def _kind_of_name(symbol: str) -> Kind:
    """Guess what a dotted name is by the custom that classes start with a capital."""
    parts = symbol.split(".")
    if parts[-1].lstrip("_")[:1].isupper():
        return "class"
    return "method" if len(parts) > 1 and parts[-2].lstrip("_")[:1].isupper() else "function"


def _logical_lines(lines: Mapping[int, SourceLine]) -> Iterator[tuple[int, int, str, str | None]]:
    """Yield first line, last line, text without comments, and the name above, of each logical line."""
    pending: list[str] = []
    start = last = 0
    hint: str | None = None
    for number in sorted(lines):
        line = lines[number]
        # One missing line may be a blank one inside brackets; inside a docstring it is the end of what was shown.
        gap = 1 if pending and _is_docstring(pending[0].strip()) else 2
        if pending and (number > last + gap or len(pending) >= _MAX_LINES):
            yield start, last, " ".join(pending), hint
            pending = []
        if not pending:
            if not line.text.strip():
                continue
            start, hint = number, line.scope
            pending = [line.text.rstrip()]
        else:
            pending.append(line.text.strip())
        last = number
        text = _complete("\n".join(pending))
        if text is not None:
            if text.strip():
                yield start, number, " ".join(text.split("\n")), hint
            pending = []
    if pending:
        yield start, last, " ".join(pending), hint


def _complete(text: str) -> str | None:
    """Return `text` without comments, or None while a bracket or string is open."""
    kept: list[str] = []
    depth = position = 0
    while position < len(text):
        character = text[position]
        if character in "\"'":
            string = _STRING.match(text, position)
            triple = text[position : position + 3] in _TRIPLE
            if triple and (string is None or len(string.group(1)) < 6):
                return None
            if string is None:
                return text  # broken source: a lone quote ends the statement
            kept.append(string.group(0))
            position = string.end()
        elif character == "#":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        else:
            depth += (character in "([{") - (character in ")]}")
            kept.append(character)
            position += 1
    joined = "".join(kept).rstrip()
    return None if depth > 0 or joined.endswith("\\") else joined


def _is_docstring(text: str) -> bool:
    """Return whether a statement is a string of its own, also one whose end was not shown."""
    return text.lstrip("rRbBuU").startswith(_TRIPLE) or _STRING.fullmatch(text) is not None
