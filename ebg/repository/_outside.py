"""Which imports lead out of the project: what a call into them reaches is an effect, a call inside is not."""

from __future__ import annotations

from collections.abc import Sequence

from ebg.repository._facts import FileFacts
from ebg.repository._file import PYTHON
from ebg.repository._names_facts import Import, NameFacts
from ebg.repository._resolve_modules import Modules

__all__ = ["Outside"]


class Outside:
    """Tells names of the project from others, as linking does."""

    def __init__(self, facts: Sequence[FileFacts]) -> None:
        self._numbers: dict[int, int] = {}
        absolute: set[str] = set()
        paths: list[str] = []
        for index, fact in enumerate(facts):
            if fact.language in PYTHON:
                self._numbers[index] = len(paths)
                paths.append(fact.path)
            if isinstance(fact.names, NameFacts):
                imports = [Import._make(row) for row in fact.names.imports]
                absolute.update(row.module for row in imports if row.module and not row.level)
        self._modules = Modules(paths)
        self._modules.learn_own_name(sorted(absolute))
        self._known: dict[tuple[str, str], bool] = {}
        self._folders = [path.rpartition("/")[0] for path in paths]

    def holds(self, file: int, name: str) -> bool:
        """Return whether a dotted name that a file imports is not of the project.

        Args:
            file: index of the importing file.
            name: a module, or something in one.
        """
        number = self._numbers[file]
        key = (self._folders[number], name)
        known = self._known.get(key)
        if known is None:
            parts = name.split(".")
            known = self._known[key] = all(
                self._modules.find(number, ".".join(parts[:count]), 0) is None for count in range(1, len(parts) + 1)
            )
        return known
