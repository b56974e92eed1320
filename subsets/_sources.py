"""Find the data of a subset: the bundled samples, a folder, an archive or the Hub."""

from __future__ import annotations

import os
from collections import Counter
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
    subset = _subset_name(name)
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}; it must be at least 1")
    text = os.fspath(source)
    text = full_address(text) if text.startswith(HUB_PREFIX) else text
    place = _locate(subset, text)
    ledger = Ledger(subset)
    known = _allowed_ids(place, subset, ledger)
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
    lists: Path
    """The folder that may have an allow-list."""
    cached: bool = False
    """Whether that folder is the Hub library's cache, in which every file is a link."""


def _subset_name(name: str) -> SubsetName:
    for known in SUBSETS:
        if known == name:
            return known
    raise UsageError(f"unknown subset {name!r}. Valid subsets: {', '.join(SUBSETS)}")


def _locate(subset: SubsetName, text: str) -> _Place:
    if text == "sample":
        return _Place(DirectoryStore(SAMPLES / subset / "artifacts", ignore_bytecode=True), SAMPLES)
    if text.startswith(HUB_PREFIX):
        archive = download(subset, text)
        return _Place(_open_archive(archive, subset), archive.parent, cached=True)
    path = Path(text)
    if path.is_dir():
        return _locate_in_folder(subset, path)
    if path.is_file() and path.name.endswith((".tar.gz", ".tgz")):
        return _Place(_open_archive(path, subset), path.parent)
    what = "is a file of another kind" if path.is_file() else "does not exist"
    raise UsageError(f"the source {text!r} {what}. A source is {KINDS_OF_SOURCE}")


def _locate_in_folder(subset: SubsetName, folder: Path) -> _Place:
    if (folder / subset / "artifacts").is_dir():
        _refuse_links(subset, folder, folder / subset)
        return _Place(DirectoryStore(folder / subset / "artifacts"), folder)
    # A subset's own folder is known by its name: its artifacts alone do not say which subset they are.
    if folder.resolve().name == subset and (folder / "artifacts").is_dir():
        _refuse_links(subset, folder, folder / "artifacts")
        return _Place(DirectoryStore(folder / "artifacts"), folder.resolve().parent)
    archive = folder / f"{subset}.tar.gz"
    if archive.is_file():
        return _Place(_open_archive(archive, subset), folder)
    raise UsageError(
        f"the folder {os.fspath(folder)!r} holds no {subset}: it has neither {subset}/artifacts nor {subset}.tar.gz, "
        f"and is no folder {subset!r} with artifacts"
    )


def _refuse_links(subset: SubsetName, source: Path, below: Path) -> None:
    """Refuse a source whose layout, from `below` down to the folders of examples, goes through a symbolic link."""
    ledger = Ledger(subset)
    artifacts = below if below.name == "artifacts" else below / "artifacts"
    for part in (below, artifacts, artifacts / BUNDLES, artifacts / GOLD):
        if part.is_symlink():
            ledger.error(part.relative_to(source).as_posix(), "is a symbolic link; the release layout has none")
    if ledger.errors:
        raise BundleError(f"the source {os.fspath(source)!r}", dict.fromkeys(ledger.errors))


def _open_archive(path: Path, subset: SubsetName) -> ArchiveStore:
    store = ArchiveStore(path, subset)
    if store.is_empty:
        raise UsageError(
            f"the archive {os.fspath(path)!r} holds no {subset}: nothing in it is below {subset}/artifacts"
        )
    return store


def _allowed_ids(place: _Place, subset: str, ledger: Ledger) -> list[str] | None:
    path = place.lists / ALLOW_LIST
    if not path.exists():
        return None
    path = path.resolve() if place.cached else path
    try:
        lists = parse_json(DirectoryStore(path.parent).read(path.name))
    except RuleBroken as broken:
        ledger.error(ALLOW_LIST, str(broken))
        return []
    ids = lists.get(subset) if isinstance(lists, dict) else None
    if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
        ledger.error(ALLOW_LIST, f"has no array of ids under {subset!r}")
        return []
    for item, count in Counter(ids).items():
        if fault := id_fault(item):
            ledger.error(ALLOW_LIST, f"{item!r} {fault}")
        if count > 1:
            ledger.error(ALLOW_LIST, f"lists {item!r} {count} times")
    return ids


def _found_ids(store: Store, ledger: Ledger) -> list[str]:
    """Return the ids of all bundles and gold files, sorted; an example with one of the two is there, and broken."""
    found = set()
    for folder, kind, suffix in ((BUNDLES, "folder", ""), (GOLD, "file", ".json")):
        try:
            entries = store.entries(folder)
        except RuleBroken as broken:
            ledger.error(folder, str(broken))
            continue
        for name, entry in entries.items():
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
