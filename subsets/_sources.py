"""Find the data of a subset: the bundled samples, a folder, an archive, an exported folder or the Hub."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from agentmonbench.errors import UsageError
from agentmonbench.examples import SUBSETS, SubsetName
from subsets._archive import ArchiveStore
from subsets._hub import HUB_PREFIX, download, full_address
from subsets._json import parse_json
from subsets._paths import id_fault
from subsets._problems import BundleError, Ledger, RuleBroken
from subsets._store import BUNDLES, GOLD, DirectoryStore, Store
from subsets._subset import Subset, unknown_id

__all__ = ["load"]

SAMPLES = Path(__file__).parent / "samples"
ALLOW_LIST = "samples.json"
KINDS_OF_SOURCE = (
    "'sample', a folder in the release layout, an archive <subset>.tar.gz or a folder that holds it, "
    f"or '{HUB_PREFIX}OWNER/NAME@REVISION'"
)


def load(
    name: str,
    source: str | os.PathLike[str] = "sample",
    *,
    ids: Iterable[str] | None = None,
    limit: int | None = None,
) -> Subset:
    """Open a subset. Examples are read, and checked, when they are asked for.

    Args:
        name: `specgap`, `silentswap` or `feedbacktrace`.
        source: `"sample"` for the bundled samples; a folder in the release layout (the root with `<subset>/artifacts`,
            or the subset's own folder); a `<subset>.tar.gz`, or a folder that holds it; or
            `"hub:OWNER/NAME@REVISION"` (`"hub:"` alone means the pinned release, `subsets.RELEASE`).
            A `samples.json` beside the subset's folder or archive says which examples there are, and their order.
        ids: only these examples, in the subset's own order.
        limit: only the first so many, after `ids`.

    Raises:
        UsageError: the name, source, an id or the limit is wrong; the message lists what would be right.
        DataError: the source as a whole cannot be used: an unsafe archive, a broken samples.json, no examples.
    """
    if name not in SUBSETS:
        raise UsageError(f"unknown subset {name!r}. Valid subsets: {', '.join(SUBSETS)}")
    subset: SubsetName = next(known for known in SUBSETS if known == name)
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}; it must be at least 1")
    text = os.fspath(source)
    text = full_address(text) if text.startswith(HUB_PREFIX) else text
    place = _locate(subset, text)
    ledger = Ledger(subset)
    known = _allowed_ids(place.allow_list, subset, ledger)
    found = _found_ids(place.store, ledger)
    if known is None:
        known = found
    else:
        for stray in sorted(set(found) - set(known)):
            ledger.note(f"{BUNDLES}/{stray}", f"is ignored: {ALLOW_LIST} does not list it")
    if ledger.errors or not known:
        if not ledger.errors:
            ledger.error(f"{BUNDLES}/", "holds no example")
        raise BundleError(f"the source {text!r}", ledger.errors)
    return Subset(subset, text, place.store, _select(subset, known, ids, limit), notes=ledger.problems)


class _Place(NamedTuple):
    store: Store
    allow_list: Path | None


def _locate(subset: SubsetName, text: str) -> _Place:
    if text == "sample":
        return _Place(DirectoryStore(SAMPLES / subset / "artifacts", ignore_bytecode=True), _list_in(SAMPLES))
    if text.startswith(HUB_PREFIX):
        archive = download(subset, text)
        return _archive_place(archive, subset)
    path = Path(text)
    if path.is_dir():
        return _locate_in_folder(subset, path)
    if path.is_file() and path.name.endswith((".tar.gz", ".tgz")):
        return _archive_place(path, subset)
    what = "is a file of another kind" if path.is_file() else "does not exist"
    raise UsageError(f"the source {text!r} {what}. A source is {KINDS_OF_SOURCE}")


def _locate_in_folder(subset: SubsetName, folder: Path) -> _Place:
    # A subset's own folder is known by its name: its artifacts alone do not say which subset they are.
    own = folder.resolve().name == subset
    for artifacts, root in ((folder / subset / "artifacts", folder), (folder / "artifacts", folder.parent)):
        if artifacts.is_dir() and (own or root == folder):
            for part in (artifacts.parent, artifacts, artifacts / BUNDLES, artifacts / GOLD):
                if part != folder and part.is_symlink():
                    rule = "is a symbolic link; the release layout has none"
                    ledger = Ledger(subset)
                    ledger.error(os.path.relpath(part, folder), rule)
                    raise BundleError(f"the source {os.fspath(folder)!r}", ledger.errors)
            return _Place(DirectoryStore(artifacts), _list_in(root))
    archive = folder / f"{subset}.tar.gz"
    if archive.is_file():
        return _archive_place(archive, subset)
    raise UsageError(
        f"the folder {os.fspath(folder)!r} holds no {subset}: it has neither {subset}/artifacts nor {subset}.tar.gz, "
        f"and is no folder {subset!r} with artifacts"
    )


def _archive_place(path: Path, subset: SubsetName) -> _Place:
    store = ArchiveStore(path, subset)
    if store.is_empty:
        raise UsageError(
            f"the archive {os.fspath(path)!r} holds no {subset}: nothing in it is below {subset}/artifacts"
        )
    return _Place(store, _list_in(path.parent))


def _list_in(folder: Path) -> Path | None:
    path = folder / ALLOW_LIST
    return path if path.is_file() else None


def _allowed_ids(path: Path | None, subset: str, ledger: Ledger) -> list[str] | None:
    if path is None:
        return None
    try:
        lists = parse_json(DirectoryStore(path.resolve().parent).read(path.resolve().name))
    except RuleBroken as broken:
        ledger.error(ALLOW_LIST, str(broken))
        return []
    ids = lists.get(subset) if isinstance(lists, dict) else None
    if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
        ledger.error(ALLOW_LIST, f"has no array of ids under {subset!r}")
        return []
    for item in ids:
        if fault := id_fault(item):
            ledger.error(ALLOW_LIST, f"{item!r} {fault}")
    if len(set(ids)) != len(ids):
        ledger.error(ALLOW_LIST, f"lists {next(item for item in ids if ids.count(item) > 1)!r} more than once")
    return ids


def _found_ids(store: Store, ledger: Ledger) -> list[str]:
    """Return the ids of all bundles and gold files, sorted; an example with one of the two is there, and broken."""
    found = set()
    for folder, kind, suffix in ((BUNDLES, "folder", ""), (GOLD, "file", ".json")):
        for name, entry in store.entries(folder).items():
            stem = name.removesuffix(suffix)
            if entry.kind == kind and name.endswith(suffix) and id_fault(stem) is None:
                found.add(stem)
            else:
                ledger.note(f"{folder}/{name}", "is ignored: it is no example")
    return sorted(found)


def _select(subset: str, known: Sequence[str], ids: Iterable[str] | None, limit: int | None) -> Sequence[str]:
    if ids is not None:
        wanted = dict.fromkeys(ids)
        for example_id in wanted:
            if example_id not in known:
                raise UsageError(unknown_id(example_id, subset, known))
        known = [example_id for example_id in known if example_id in wanted]
    return known[:limit]
