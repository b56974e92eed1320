"""Which file an import means.

A folder with an `__init__.py` is a package and is never on the module search path itself; any other folder may be.
An absolute import is therefore looked for below

1. the import root of the importing file (the folder above its outermost package),
2. the root of the tree, then `src` and `lib` in it,
3. any other folder, if exactly one holds the module and its first name is not one of the standard library's.

Nothing outside the tree is ever found, so `import json` inside a package with a module `json` stays the standard
library's. When the root of the tree is itself a package (the tree of an installed package), its name is learned from
the imports: see `Modules.learn_own_name`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Module", "Modules"]

_IMPORTABLE = frozenset(("py", "pyi", "pyw"))
_PREFERRED_ROOTS = ("", "src", "lib")
_FEWEST_OWN_IMPORTS = 2


class Module(NamedTuple):
    """What an import found: a file, or a folder without `__init__.py` that holds modules."""

    file: int
    """Index of the file, or -1 for a folder."""
    folder: str
    """Path of the package or folder whose modules can be reached from here; empty with `file` for plain modules and
    for packages at the root of the tree."""


class Modules:
    """The modules of a tree by path and by name."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._files: dict[str, int] = {}
        """Module path (`pkg/mod`, a package without its `__init__`) -> index of the file."""
        self._packages: set[str] = set()
        self._folders: set[str] = set()
        self._paths = paths
        for index, path in enumerate(paths):
            stem, _, suffix = path.rpartition(".")
            folder, _, name = stem.rpartition("/")
            if suffix not in _IMPORTABLE:
                continue
            if name == "__init__":
                if folder not in self._packages:  # a package comes before a module and before its own stub
                    self._packages.add(folder)
                    self._files[folder] = index
            else:
                self._files.setdefault(stem, index)
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]
        self._roots = self._search_roots()
        self._own_name: str | None = None
        self._found: dict[tuple[str, str], Module | None] = {}

    def _search_roots(self) -> dict[str, list[str]]:
        roots: dict[str, list[str]] = {}
        for path in sorted(self._folders | self._files.keys()):
            folder, _, name = path.rpartition("/")
            if path and folder not in self._packages:
                roots.setdefault(name, []).append(folder)
        return roots

    def learn_own_name(self, imports: Iterable[str]) -> None:
        """Learn what the tree's root package is called, from the modules that its files import.

        Only for a tree whose root is a package. The name is the one first name of imports that all lead, below it, to
        modules of the tree, at least two different ones.
        """
        if "" not in self._packages:
            return
        below: dict[str, set[str]] = {}
        for name in imports:
            top, _, rest = name.partition(".")
            below.setdefault(top, set()).add(rest)
        fits = [
            (-len(rests), top)
            for top, rests in below.items()
            if len(rests - {""}) >= _FEWEST_OWN_IMPORTS
            and top not in sys.stdlib_module_names
            and all(self._at(rest.replace(".", "/")) is not None for rest in rests)
        ]
        self._own_name = min(fits)[1] if fits else None

    def find(self, importer: int, module: str, level: int) -> Module | None:
        """Return what `import module` means in a file, or None if it lies outside the tree.

        Args:
            importer: Index of the importing file.
            module: Dotted name; may be empty for a relative import.
            level: Number of leading dots.
        """
        path = self._paths[importer]
        folder = path.rpartition("/")[0]
        if level:
            for _ in range(level - 1):
                if not folder:
                    return None
                folder = folder.rpartition("/")[0]
            return self._at(_join(folder, module.replace(".", "/")))
        root = self._root_of(folder)
        key = (root, module)
        if key not in self._found:
            self._found[key] = self._absolute(root, module)
        return self._found[key]

    def below(self, module: Module, name: str) -> Module | None:
        """Return the module `name` inside a package or folder."""
        if module.file >= 0 and not self.is_package(module.file):
            return None
        return self._at(_join(module.folder, name))

    def is_package(self, file: int) -> bool:
        """Say whether a file is an `__init__.py`."""
        return self._paths[file].rpartition("/")[2].startswith("__init__.")

    def _at(self, path: str) -> Module | None:
        file = self._files.get(path)
        if file is not None:
            return Module(file, path if self.is_package(file) else "")
        return Module(-1, path) if path in self._folders else None

    def _root_of(self, folder: str) -> str:
        while folder in self._packages and folder:
            folder = folder.rpartition("/")[0]
        return folder

    def _absolute(self, root: str, module: str) -> Module | None:
        top, _, rest = module.partition(".")
        if top == self._own_name:
            return self._at(rest.replace(".", "/"))
        path = module.replace(".", "/")
        found = {
            candidate: at
            for candidate in self._roots.get(top, ())
            if (at := self._at(_join(candidate, path))) is not None
        }
        for candidate in (root, *_PREFERRED_ROOTS):
            if candidate in found:
                return found[candidate]
        # A folder alone proves little: `import data` does not mean the folder tests/data.
        sure = [at for at in found.values() if at.file >= 0]
        return sure[0] if len(sure) == 1 and top not in sys.stdlib_module_names else None


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and name else folder or name
