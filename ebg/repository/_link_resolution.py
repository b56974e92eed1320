"""How a target was found: the tag of a `calls` relation.

| tag | the call |
|---|---|
| exact | the reference's rules find the same scope (names and imports, nothing else) |
| constructor | makes an instance of a class |
| nested | calls a function that is defined inside the caller or around it |
| inherited | goes through `self`, `cls` or `super()` to a base class |
| reexport | names a function through imports that the reference's rules do not follow |
| typed | goes through the value of a variable, attribute, parameter or result, a decorator, or a protocol |

For the reference only scopes with a behavior exist; here a call is exact as well when its rules find nothing among
those, and this one target among all scopes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ebg.model import Resolution
from ebg.repository._link_reached import Reached
from ebg.repository._resolve_names import FileNames
from ebg.repository._resolve_reference import ReferenceRules
from ebg.repository._resolve_values import Scope

__all__ = ["Resolutions"]

_MAKING = frozenset(("__init__", "__new__", "__post_init__"))


class Resolutions:
    """Tags the calls of a tree."""

    def __init__(self, files: Sequence[FileNames], rules: ReferenceRules) -> None:
        self._files = files
        self._rules = rules
        self._exact: dict[tuple[int, int, str], tuple[int, str] | None] = {}

    def of(self, reached: Reached, target: Scope) -> Resolution:
        """Return the tag of one target of a call."""
        row = self._files[target[0]].scopes[target[1]]
        label = reached.chain
        if label and self._reference(reached.file, reached.scope, label) == (target[0], row.symbol):
            return "exact"
        last = row.symbol.rpartition(".")[2]
        if row.kind == "class" or (last in _MAKING and reached.label.rpartition(".")[2] != last):
            return "constructor"
        if reached.is_call and target[0] == reached.file and self._is_around(reached.file, row.parent, reached.scope):
            return "nested"
        return self._by_callee(reached, target) if reached.is_call else "typed"

    def _by_callee(self, reached: Reached, target: Scope) -> Resolution:
        """Tag a call that is no construction and not nested."""
        if reached.label.startswith("super("):
            return "inherited"
        row = self._files[target[0]].scopes[target[1]]
        root, *rest = reached.chain.split(".")
        if root in ("self", "cls") and rest == [row.symbol.rpartition(".")[2]]:
            return "inherited"
        is_global = self._files[reached.file].variable(reached.scope, root).owner <= 0
        return "reexport" if is_global and target[0] != reached.file and row.parent == 0 else "typed"

    def _reference(self, file: int, scope: int, label: str) -> tuple[int, str] | None:
        key = (file, scope, label)
        if key not in self._exact:
            found = self._rules.candidates(file, scope, label)
            found = found or self._rules.candidates(file, scope, label, all_scopes=True)
            self._exact[key] = found[0] if len(found) == 1 else None
        return self._exact[key]

    def _is_around(self, file: int, function: int, scope: int) -> bool:
        scopes = self._files[file].scopes
        if function <= 0 or scopes[function].kind == "class":
            return False
        while scope > 0 and scope != function:
            scope = scopes[scope].parent
        return scope == function
