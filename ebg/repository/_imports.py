"""Names bound by import statements, read from their text."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Imported", "imported_names"]

_COMMENT = re.compile(r"#[^\n]*")
# Possessive, so that a long run of blanks costs no more than its length.
_FROM = re.compile(r"from\s*+(\.[.\s]*+)?([^\W\d][\w.]*+)?\s*+import\s*+\(?([^)]*+)\)?\s*+\Z")
_IMPORT = re.compile(r"import\s+(.*)\Z", re.DOTALL)


class Imported(NamedTuple):
    """A bound name and what it stands for."""

    name: str
    target: str
    """Dotted module or module and name; without leading dots for relative imports."""
    relative: bool


def imported_names(statement: str) -> list[Imported]:
    """Return what an `import` or `from ... import` statement binds; stars and broken statements bind nothing."""
    text = _COMMENT.sub("", statement).replace("\\\n", " ").replace("\\\r\n", " ")
    found = _FROM.match(text)
    if found is not None:
        dots, module, names = found.groups()
        prefix = f"{module}." if module else ""
        return [Imported(alias, prefix + name, dots is not None) for name, alias in _aliases(names) if name != "*"]
    found = _IMPORT.match(text)
    if found is None:
        return []
    return [
        Imported(alias.partition(".")[0], name if alias != name else name.partition(".")[0], relative=False)
        for name, alias in _aliases(found[1])
    ]


def _aliases(names: str) -> list[tuple[str, str]]:
    """Return (name, bound name) of a comma-separated list with `as` clauses."""
    pairs = []
    for item in names.split(","):
        words = item.split()
        if words:
            pairs.append((words[0], words[-1]))
    return pairs
