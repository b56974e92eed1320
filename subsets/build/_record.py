"""What a build has done, so that the same command goes on: one line for each finished source, and files beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agentmonbench._files import JsonLines

__all__ = ["BuildLog", "Outcome"]

VERSION = 1
"""Of the builders: a log of another version is not gone on with."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one source."""

    source: str
    settings: Mapping[str, Any]
    """What the result depends on besides the source."""
    ids: tuple[str, ...]
    counts: Mapping[str, int]
    """How many changes or conditions came through each step."""
    reason: str | None
    """Why it gave no example, or None."""
    seconds: float


class BuildLog:
    """The log of one kind of build below an output folder."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder = folder / "construction"
        self._lines = JsonLines(self.folder / f"{kind}.jsonl")
        if self.folder.is_dir():
            self._lines.repair()

    def done(self, settings: Mapping[str, Any]) -> dict[str, Outcome]:
        """Return the sources that were finished with these settings."""
        found = {}
        for line in self._lines:
            if line["settings"] == self._stamped(settings):
                line["ids"] = tuple(line["ids"])
                found[line["source"]] = Outcome(**line)
        return found

    def add(self, outcome: Outcome) -> None:
        """Note a finished source."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lines.append({**asdict(outcome), "settings": self._stamped(outcome.settings)})

    def keep(self, example_id: str, files: Mapping[str, str]) -> None:
        """Keep the files that show how an example was made."""
        for path, text in files.items():
            target = self.folder / example_id / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")

    def _stamped(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {**settings, "version": VERSION}
