"""Stored runs as the analyses read them: records, and the very data that they were made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

import subsets
from agentmonbench.errors import DataError
from agentmonbench.loop import Record
from agentmonbench.runs import Key, RunDirectory

__all__ = ["StoredRun", "open_run", "records_of"]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run folder with its subsets."""

    folder: RunDirectory
    subsets: Mapping[str, subsets.Subset]
    records: Mapping[Key, Record]
    """In key order."""


def open_run(path: Path, source: str | None = None) -> StoredRun:
    """Return a run with the data that it was made from.

    Args:
        path: the run folder.
        source: where the data lies now; None for where the manifest says that it was.

    Raises:
        DataError: when the folder is no run, or the data is not what the run saw.
        UsageError: when the source cannot be found.
    """
    folder = RunDirectory(path)
    manifest = folder.manifest()
    loaded: dict[str, subsets.Subset] = {}
    try:
        wanted = [
            (name, source or manifest["sources"][name], setting["ids"], setting["fingerprint"])
            for name, setting in manifest["settings"]["subsets"].items()
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: the manifest does not say what was run ({error!r})") from None
    for name, place, ids, fingerprint in wanted:
        loaded[name] = subsets.load(name, place, ids=ids)
        if loaded[name].fingerprint != fingerprint:
            raise DataError(f"{place}: the data of {name} is not what {path} was run on; say --source where that lies")
    return StoredRun(folder, loaded, records_of(folder))


def records_of(folder: RunDirectory) -> dict[Key, Record]:
    """Return the predictions of a run in key order.

    Raises:
        DataError: when a line is no record.
    """
    try:
        return {key: Record.model_validate(value) for key, value in sorted(folder.predictions().items())}
    except (KeyError, TypeError, ValidationError) as error:
        raise DataError(f"{folder.predictions_log.path}: a line is no prediction ({type(error).__name__})") from None
