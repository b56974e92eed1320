"""What names mean that come from elsewhere: imports, members of modules, star imports, builtins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ebg.repository._resolve_modules import Module
from ebg.repository._resolve_names import END
from ebg.repository._resolve_outside import BUILTINS
from ebg.repository._resolve_values import MODULE, OUTSIDE, UNKNOWN, Value, Values

if TYPE_CHECKING:
    from ebg.repository._resolve_evaluate import Evaluator

__all__ = ["Imports"]


_MOST_STARRED = 50
"""Modules that one name is looked for in through star imports."""


class Imports:
    """Follows names from module to module."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._files = evaluator.files
        self._modules = evaluator.modules
        self._stars: dict[int, Sequence[Module]] = {}

    def imported(self, file: int, number: int) -> Values:
        """Return what an import binds."""
        row = self._files[file].imports[number]
        name = row.module.partition(".")[0] if row.top else row.module
        module = self._modules.find(file, name, row.level)
        if module is None:
            if row.level:
                return (UNKNOWN,)
            return (Value(OUTSIDE, more=name if row.name is None else f"{name}.{row.name}"),)
        return (_module(module),) if row.name is None else self.member(module, row.name)

    def member(self, module: Module, name: str) -> Values:
        """Return what `module.name` may be: what the module binds, or the module below it."""
        return self._evaluator.once(("member", module, name), lambda: self._member(module, name))

    def _member(self, module: Module, name: str) -> Values:
        found = self._own(module, name) if module.file >= 0 else None
        if not found:
            below = self._modules.below(module, name)
            if below is not None:
                return (_module(below),)
        if found is None and module.file >= 0:
            found = self._starred(name, module.file, {module.file})
        return (UNKNOWN,) if found is None else found

    def _own(self, module: Module, name: str) -> Values | None:
        names = self._files[module.file]
        rows = names.bound.get((0, name))
        return None if rows is None else self._evaluator.bindings(module.file, names.reaching(rows, 0, END, -1))

    def unbound(self, name: str, file: int) -> Values:
        """Return what a name may be that its file does not bind: starred or built in."""
        found = self._starred(name, file, set()) if self._files[file].facts.stars else None
        if found is not None:
            return found
        return (Value(OUTSIDE, more=name),) if name in BUILTINS else (UNKNOWN,)

    def _starred(self, name: str, file: int, seen: set[int]) -> Values | None:
        """Look a name up in the modules that a file imports everything from, the last import first."""
        for module in self._star_sources(file):
            if module.file in seen or len(seen) > _MOST_STARRED:
                continue
            seen.add(module.file)
            exported = self._files[module.file].exported
            if name not in exported if exported is not None else name.startswith("_"):
                continue
            found = self._own(module, name)
            if found is None:
                found = self._starred(name, module.file, seen)
            if found is not None:
                return found
        return None

    def _star_sources(self, file: int) -> Sequence[Module]:
        found = self._stars.get(file)
        if found is None:
            names = self._files[file]
            rows = [names.imports[number] for number in reversed(names.facts.stars)]
            modules = [self._modules.find(file, row.module, row.level) for row in rows]
            found = self._stars[file] = [module for module in modules if module is not None and module.file >= 0]
        return found


def _module(module: Module) -> Value:
    return Value(MODULE, module.file, 0, module)
