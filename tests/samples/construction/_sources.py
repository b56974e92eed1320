"""The sources of the samples, read once."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).resolve().parent.parent / "sources"
PACKAGES = ("sluice", "strata", "rowgate", "jobspool")
"""In the order of the examples: the n-th package gives sg_00n, ss_00n and ft_00n_long."""

PROVENANCE = "Written and checked by the project's authors; not taken from any other repository or session."


@dataclass(frozen=True)
class Source:
    """One package with everything that is made from it."""

    name: str
    number: int

    @property
    def folder(self) -> Path:
        """Where the source lies."""
        return SOURCES / self.name

    @property
    def recordings(self) -> Path:
        """Where outputs of really executed commands are kept."""
        return self.folder / "recorded"

    @cached_property
    def document(self) -> str:
        """The complete task document."""
        return (self.folder / "document.md").read_text(encoding="utf-8")

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The package before any change: text by path, sorted."""
        root = self.folder / "repository"
        paths = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}

    def table(self, name: str) -> dict[str, Any]:
        """Read one of the TOML descriptions."""
        return tomllib.loads((self.folder / name).read_text(encoding="utf-8"))

    def recorded(self, name: str) -> list[dict[str, Any]]:
        """Read one of the recordings."""
        recorded: list[dict[str, Any]] = json.loads((self.recordings / name).read_text(encoding="utf-8"))
        return recorded


def all_sources() -> tuple[Source, ...]:
    """Return the sources in the order of their examples."""
    return tuple(Source(name, number) for number, name in enumerate(PACKAGES, start=1))
