"""Write examples in the layout of the release. Nothing else writes it, and what it writes is checked first."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel

from agentmonbench.errors import UsageError
from agentmonbench.examples import SUBSETS, Example, Gold, SubsetName
from ebg.trajectory.events import TraceEvent
from subsets._bundle import MANIFEST, REPOSITORY, TRACE, read_bundle
from subsets._gold import read_gold
from subsets._json import dump_json, parse_json
from subsets._paths import id_fault
from subsets._problems import BundleError, Ledger
from subsets._sources import ALLOW_LIST
from subsets._store import BUNDLES, GOLD

__all__ = ["bundle_files", "gold_file", "write"]


def write(
    folder: str | os.PathLike[str],
    examples: Iterable[tuple[Example, Gold | Mapping[str, object]]],
    *,
    overwrite: bool = False,
) -> None:
    """Add examples and their gold to `folder`, which need not exist, and their ids to its `samples.json`.

    Each example is written as a whole or not at all, and before the next one is taken from `examples`, so a builder
    may pass a generator and be stopped at any time.

    Args:
        folder: the root, which gets `<subset>/artifacts/...`.
        examples: pairs of the visible side and the gold, of any subsets.
        overwrite: replace examples that are there already.

    Raises:
        BundleError: an example or its gold breaks a rule; nothing of it is written.
        UsageError: an example is there already.
    """
    root = Path(folder)
    for example, gold in examples:
        _write_one(root, example, gold, overwrite=overwrite)


def bundle_files(example: Example) -> dict[str, bytes]:
    """Return the files of the visible bundle by path, the manifest first."""
    files: dict[str, bytes] = {}
    if example.document is not None:
        files[example.document.path] = example.document.text.encode()
    files.update({REPOSITORY + path: data for path, data in sorted(example.files.items())})
    if example.subset == "feedbacktrace":
        files[TRACE] = dump_json({"input_id": example.id, "events": [_event(event) for event in example.events]})
    manifest: dict[str, object] = {
        "input_id": example.id,
        "benchmark": example.subset,
        "visible_files": sorted(files),
    }
    if example.cutoff_turn is not None:
        manifest["cutoff_turn"] = example.cutoff_turn
    return {MANIFEST: dump_json(manifest), **files}


def gold_file(gold: Gold | Mapping[str, object]) -> bytes:
    """Return the gold file; a model gives the keys that it was made from, unknown ones included."""
    return dump_json(gold.model_dump(mode="json", exclude_unset=True) if isinstance(gold, BaseModel) else dict(gold))


def _event(event: TraceEvent) -> dict[str, object]:
    keys = ("event_type", "turn_number", "content", "evidence_id", "tool_name")
    return {key: value for key in keys if (value := getattr(event, key)) is not None}


def _write_one(root: Path, example: Example, gold: Gold | Mapping[str, object], *, overwrite: bool) -> None:
    if fault := id_fault(example.id):
        raise UsageError(f"{example.id!r} {fault}")
    files, hidden = bundle_files(example), gold_file(gold)
    _check(example, files, hidden)
    artifacts = root / example.subset / "artifacts"
    bundle, gold_path = artifacts / BUNDLES / example.id, artifacts / GOLD / f"{example.id}.json"
    if not overwrite and (bundle.exists() or gold_path.exists()):
        raise UsageError(f"{example.subset} example {example.id!r} is in {os.fspath(root)!r} already")
    partial = bundle.with_name(f".{example.id}.tmp")
    for left in (partial, bundle):
        if left.exists():
            shutil.rmtree(left)
    for path, data in files.items():
        target = partial / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    partial.replace(bundle)
    _replace(gold_path, hidden)
    _replace(root / ALLOW_LIST, _extended_list(root / ALLOW_LIST, example))


def _check(example: Example, files: Mapping[str, bytes], hidden: bytes) -> None:
    visible = Ledger(example.subset, example.id, folder=f"{BUNDLES}/{example.id}/")
    gold = Ledger(example.subset, example.id, folder=f"{GOLD}/")
    read_gold(hidden, gold, read_bundle(files, visible))
    if problems := (*visible.errors, *gold.errors):
        raise BundleError(f"example {example.id}", problems)


def _extended_list(path: Path, example: Example) -> bytes:
    lists: dict[SubsetName, list[str]] = {name: [] for name in SUBSETS}
    known = parse_json(path.read_bytes()) if path.exists() else {}
    if isinstance(known, dict):
        lists.update(known)
    if example.id not in lists[example.subset]:
        lists[example.subset] = [*lists[example.subset], example.id]
    return dump_json(lists)


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.tmp")
    partial.write_bytes(data)
    partial.replace(path)
