"""The reference's own rules for calls (specification part 3.1 to 3.3, ebg-method): names and imports, nothing else.

They serve two ends: `compat="reference"` builds relations from them alone, and in the default graph a call that they
resolve to the same scope is marked `exact`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from ebg.repository._names_expressions import IMPORTED
from ebg.repository._names_facts import Import
from ebg.repository._resolve_names import FileNames
from ebg.repository._syntax import MODULE

__all__ = ["ReferenceFile", "ReferenceRules"]

_SOURCE_FOLDERS = frozenset(("src", "lib"))


class ReferenceFile(NamedTuple):
    """What the rules ask of a file."""

    path: str
    names: FileNames
    behaving: Set[str]
    """Symbols that own a behavior: no other scope exists for the rules."""


class ReferenceRules:
    """Resolves dotted labels of calls to (file, symbol) by the reference's rules."""

    def __init__(self, files: Sequence[ReferenceFile]) -> None:
        self.files = files
        self._by_path: dict[str, int] = {}
        self._by_name: dict[str, list[int]] = {}
        self._by_suffix: dict[str, list[int]] = {}
        self._imports: dict[tuple[int, int], dict[str, list[Import]]] = {}
        self._numbers: dict[int, dict[str, int]] = {}
        self._once: dict[int, frozenset[str]] = {}
        for index, file in enumerate(files):
            self._by_path[file.path] = index
            for name in _module_names(file.path):
                self._by_name.setdefault(name, []).append(index)
            dotted = _dotted(file.path)
            while dotted:
                self._by_suffix.setdefault(dotted, []).append(index)
                dotted = dotted.partition(".")[2]
            for scope, name, _, _, _, _, _, value, _, _, _ in file.names.facts.bindings:
                if type(value) is tuple and value[0] == IMPORTED:
                    names = self._imports.setdefault((index, scope), {})
                    names.setdefault(name, []).append(file.names.imports[value[1]])

    def is_source(self, file: int, scope: int) -> bool:
        """Say whether calls are looked for in a scope: it owns a behavior and its symbol is defined once."""
        symbols = self._once.get(file)
        if symbols is None:
            seen: set[str] = set()
            again: set[str] = set()
            for row in self.files[file].names.scopes:
                (again if row.symbol in seen else seen).add(row.symbol)
            symbols = self._once[file] = frozenset((seen - again) & self.files[file].behaving)
        return self.files[file].names.scopes[scope].symbol in symbols

    def scope_number(self, file: int, symbol: str) -> int:
        """Return the number of the first definition of a symbol."""
        return self._scope_numbers(file)[symbol]

    def _scope_numbers(self, file: int) -> dict[str, int]:
        numbers = self._numbers.get(file)
        if numbers is None:
            numbers = self._numbers[file] = {}
            for number, row in enumerate(self.files[file].names.scopes):
                numbers.setdefault(row.symbol, number)
        return numbers

    def candidates(self, file: int, scope: int, label: str, *, all_scopes: bool = False) -> list[tuple[int, str]]:
        """Return the scopes (file, symbol) that a call's dotted label may mean, in order of the rules.

        Args:
            file: the caller's file.
            scope: the caller.
            label: the callee.
            all_scopes: take scopes that own no behavior for scopes, too.
        """
        caller = self.files[file].names.scopes[scope].symbol
        first, _, rest = label.partition(".")
        found: list[tuple[int, str]] = []
        if not rest:
            enclosing = "" if caller == MODULE else caller.rpartition(".")[0]
            while enclosing:
                found.append((file, f"{enclosing}.{label}"))
                enclosing = enclosing.rpartition(".")[0]
            found += [(file, label), (file, f"{label}.__init__")]
            for row in self.imported(file, scope, label):
                module = self.module(file, row.module, row.level) if row.name is not None else None
                if module is not None:
                    found += [(module, str(row.name)), (module, f"{row.name}.__init__")]
        elif first in ("self", "cls"):
            owner = caller.rpartition(".")[0]
            found.append((file, f"{owner}.{rest}" if owner else rest))
        elif bindings := self.imported(file, scope, first):
            for row in bindings:
                found.extend(self._through_import(file, row, rest))
        else:
            found.append((file, label))
        if all_scopes:
            return [item for item in dict.fromkeys(found) if item[1] in self._scope_numbers(item[0])]
        return [item for item in dict.fromkeys(found) if item[1] in self.files[item[0]].behaving]

    def _through_import(self, file: int, row: Import, rest: str) -> Iterator[tuple[int, str]]:
        if row.name is None:
            module = self.module(file, row.module, row.level)
            symbol = rest
        else:
            module = self.module(file, row.module, row.level)
            symbol = f"{row.name}.{rest}"
            below = self.module(file, f"{row.module}.{row.name}" if row.module else row.name, row.level)
            if below is not None:
                yield from ((below, rest), (below, f"{rest}.__init__"))
        if module is not None:
            yield from ((module, symbol), (module, f"{symbol}.__init__"))

    def imported(self, file: int, scope: int, name: str) -> list[Import]:
        """Return the imports that bind a name at the top of the file or in the scope itself."""
        found = self._imports.get((file, 0), {}).get(name, [])
        return found if scope == 0 else [*found, *self._imports.get((file, scope), {}).get(name, ())]

    def module(self, file: int, name: str, level: int) -> int | None:
        """Return the file of a module: by exact name, else by a unique suffix; relative names by path."""
        if level:
            folder = self.files[file].path.split("/")[:-level]
            if len(self.files[file].path.split("/")) < level:
                return None
            stem = "/".join([*folder, *name.split(".")] if name else folder)
            for path in (f"{stem}.py", f"{stem}/__init__.py" if stem else "__init__.py"):
                if path in self._by_path:
                    return self._by_path[path]
            return None
        exact = self._by_name.get(name, [])
        if exact:
            return exact[0] if len(exact) == 1 else None
        suffixed = self._by_suffix.get(name, [])
        return suffixed[0] if len(suffixed) == 1 else None


def _dotted(path: str) -> str:
    return path.rpartition(".")[0].replace("/", ".").removesuffix("__init__").removesuffix(".")


def _module_names(path: str) -> list[str]:
    name = _dotted(path)
    first, _, rest = name.partition(".")
    return [name, rest] if first in _SOURCE_FOLDERS and rest else [name]
