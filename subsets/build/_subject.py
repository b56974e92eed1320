"""A package under construction: its files, how it is imported and how its own tests are run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

__all__ = ["Subject"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A package with its tests, as values; nothing of it has been run."""

    name: str
    files: Mapping[str, bytes] = field(repr=False)
    """All files by relative path, sorted."""
    path: tuple[str, ...] = ("",)
    """Folders that are put on the import path: '' or 'src'."""
    suite: tuple[str, ...] = ()
    """Arguments that make pytest run the package's own tests; empty: pytest looks for them."""
    libraries: tuple[Path, ...] = ()
    """Folders of installed packages that it needs."""

    def text(self, path: str) -> str:
        """Return a file's text."""
        return self.files[path].decode("utf-8")

    def without_tests(self, tests: Iterable[str], files: Iterable[str]) -> Subject:
        """Return the package with these tests, and these files of tests, left out of its suite."""
        left_out = [*(f"--deselect={test}" for test in tests), *(f"--ignore={path}" for path in files)]
        return replace(self, suite=(*self.suite, *left_out))
