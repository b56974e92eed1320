"""The run directory: one folder that holds everything a run produced, readable with jq and a spreadsheet.

    manifest.json      settings (compared on resume), versions and data fingerprints (recorded)
    predictions.jsonl  one record a prediction, appended and synced the moment it exists; put in order at the end
    judgments.jsonl    one record a judge and prediction, appended like predictions
    scores.csv         tidy: one row per example and metric
    summary.csv        one row per monitor, method, subset and metric
    details.jsonl      what the scorer saw: matched gold and cited evidence, for the report
    report.html        one self-contained page

Tables and the report are made from this folder alone, at any later time. It holds gold once it is scored: it belongs to
the scorer's side and is never given to a monitor.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from agentmonbench._files import JsonLines, dump_json
from agentmonbench.errors import DataError, UsageError
from agentmonbench.examples import SubsetName
from ebg._files import write_text

__all__ = ["SCHEMA_VERSION", "Key", "RunDirectory", "load", "settings_difference"]

if TYPE_CHECKING:
    from agentmonbench._frames import RunFrames

SCHEMA_VERSION = 1
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,119}")


class Key(NamedTuple):
    """What a prediction is about; the order of keys is the order of every file in the run directory."""

    subset: SubsetName
    example: str
    method: str
    monitor: str
    repeat: int = 0

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Key:
        """Return the key of a stored record."""
        return cls(record["subset"], record["example_id"], record["method"], record["monitor"], record["repeat"])


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting that two runs do not share."""

    key: str
    stored: object
    asked: object


def settings_difference(stored: object, asked: object, prefix: str = "") -> list[Difference]:
    """Return the leaves in which two JSON values differ, in key order, with dotted keys."""
    if isinstance(stored, Mapping) and isinstance(asked, Mapping):
        found: list[Difference] = []
        for key in sorted({*stored, *asked}):
            found += settings_difference(stored.get(key), asked.get(key), f"{prefix}.{key}" if prefix else str(key))
        return found
    return [] if stored == asked else [Difference(prefix, stored, asked)]


class RunDirectory:
    """One run on disk. Use as a context manager to write: it holds the folder's lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.predictions_log = JsonLines(path / "predictions.jsonl")
        self.judgments_log = JsonLines(path / "judgments.jsonl")
        self.details_log = JsonLines(path / "details.jsonl")
        self._lock: int | None = None

    def __enter__(self) -> RunDirectory:
        self.path.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            os.close(lock)
            raise UsageError(f"another process is writing {self.path}; wait for it or choose another --name") from exc
        self._lock = lock
        return self

    def __exit__(self, *exc: object) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def manifest(self) -> dict[str, Any]:
        """Return the stored manifest.

        Raises:
            DataError: when the folder holds no readable manifest.
        """
        path = self.path / "manifest.json"
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as exc:
            raise DataError(f"{self.path} is no run directory: it has no manifest.json") from exc
        except ValueError as exc:
            raise DataError(f"{path}: not JSON ({exc})") from exc
        if not isinstance(value, dict) or value.get("schema_version") != SCHEMA_VERSION:
            raise DataError(f"{path}: schema_version must be {SCHEMA_VERSION}")
        return value

    def start(self, settings: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[Key, dict[str, Any]]:
        """Begin or resume: write or compare the manifest and return the predictions that are already there.

        Args:
            settings: everything that changes a prediction or a score; must be equal on resume.
            facts: what else a reader wants to know (versions); recorded by the first start only.

        Raises:
            UsageError: when the folder holds a run with other settings; every differing key is named.
        """
        path = self.path / "manifest.json"
        if path.exists():
            different = settings_difference(self.manifest()["settings"], json.loads(dump_json(settings)))
            if different:
                lines = "\n".join(f"  {item.key}: {item.stored!r} there, {item.asked!r} asked" for item in different)
                raise UsageError(
                    f"{self.path} holds a run with other settings:\n{lines}\n"
                    "Use the settings of that run, or another --name."
                )
        else:
            manifest = {"schema_version": SCHEMA_VERSION, "settings": settings, **facts}
            write_text(path, json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n")
        self.predictions_log.repair()
        return self.predictions()

    def predictions(self) -> dict[Key, dict[str, Any]]:
        """Return the stored predictions by key; when a key was run again, the last one."""
        return {Key.of(record): record for record in self.predictions_log}

    def finish(self, records: Mapping[Key, Mapping[str, Any]]) -> None:
        """Put the finished predictions in key order, so that equal runs have equal bytes whatever the order of work."""
        write_text(self.predictions_log.path, "".join(dump_json(records[key]) + "\n" for key in sorted(records)))

    @staticmethod
    def check_name(name: str) -> str:
        """Return `name` if it can name a run folder.

        Raises:
            UsageError: otherwise.
        """
        if not NAME.fullmatch(name):
            raise UsageError(
                f"--name {name!r}: use letters, digits and . _ + - (at most 120), starting with a letter or digit"
            )
        return name


def load(path: str | os.PathLike[str]) -> RunFrames:
    """Return a run as pandas frames: `predictions`, `scores`, `judgments`, `shown` (needs the extra `hf`).

    Raises:
        DataError: when the folder is no run, or was never scored.
    """
    from agentmonbench._frames import load_frames

    return load_frames(RunDirectory(Path(path)))
