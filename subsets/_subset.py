"""A subset of the benchmark: its examples in a fixed order, their gold by a separate call, and what is wrong with any.

Invariants: an `Example` that was handed out holds no reference to its `Subset`; one broken example never keeps another
from being loaded; files are read when an example is asked for and are not kept.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from agentmonbench.errors import UsageError
from agentmonbench.examples import Example, Gold, SubsetName
from subsets._bundle import read_bundle
from subsets._gold import read_gold
from subsets._limits import MAX_BUNDLE_BYTES, MAX_FILE_BYTES
from subsets._paths import path_fault
from subsets._problems import BundleError, Ledger, Problem, RuleBroken
from subsets._store import BUNDLES, GOLD, Entry, Store

__all__ = ["Subset"]


class Subset:
    """The examples of `specgap`, `silentswap` or `feedbacktrace` in one source. Made by `subsets.load`."""

    def __init__(
        self, name: SubsetName, source: str, store: Store, ids: Sequence[str], *, notes: Sequence[Problem] = ()
    ) -> None:
        self.name = name
        self.source = source
        """Where the data came from, as asked for."""
        self.ids: tuple[str, ...] = tuple(ids)
        """Ids of all examples, the broken ones included: the order of samples.json when there is one, else sorted."""
        self.notes: tuple[Problem, ...] = tuple(notes)
        """What was seen and left alone while looking for examples, such as stray folders."""
        self._store = store
        self._known = frozenset(self.ids)

    def __repr__(self) -> str:
        return f"<Subset {self.name}: {len(self)} examples from {self.source!r}>"

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, example_id: object) -> bool:
        return example_id in self._known

    def __iter__(self) -> Iterator[Example]:
        """Yield the examples in the order of `ids`, reading each when it is reached.

        Raises:
            BundleError: at the first broken example. To go on past it, walk over `ids` and call `example` for each.
        """
        for example_id in self.ids:
            yield self.example(example_id)

    def __getitem__(self, key: str | int) -> Example:
        """Return the example with this id, or at this position."""
        return self.example(self.ids[key] if isinstance(key, int) else key)

    def example(self, example_id: str) -> Example:
        """Return what a monitor may see of one example.

        Raises:
            UsageError: the id is unknown; the message lists the ids.
            BundleError: the visible bundle breaks rules; the error holds all of them.
        """
        ledger = self._bundle_ledger(example_id)
        example = self._read_example(ledger)
        if example is None:
            raise BundleError(f"example {example_id}", ledger.errors)
        return example

    def gold(self, example_id: str) -> Gold:
        """Return the gold of one example. Only scorers call this.

        Raises:
            UsageError: the id is unknown; the message lists the ids.
            BundleError: the gold file breaks rules or does not fit the visible bundle; the error holds all of them.
        """
        ledger = self._gold_ledger(example_id)
        gold = self._read_gold(ledger, self._read_example(self._bundle_ledger(example_id)))
        if gold is None:
            raise BundleError(f"the gold of {example_id}", ledger.errors)
        return gold

    def gold_json(self, example_id: str) -> str:
        """Return the gold file of one example as it is, unknown keys and nulls included.

        Raises:
            UsageError, BundleError: as `gold` does.
        """
        self.gold(example_id)
        return self._store.read(f"{GOLD}/{example_id}.json").decode()

    def problems_of(self, example_id: str) -> tuple[Problem, ...]:
        """Return every broken rule of one example, of its visible bundle and of its gold; empty when it is sound."""
        visible, hidden = self._bundle_ledger(example_id), self._gold_ledger(example_id)
        self._read_gold(hidden, self._read_example(visible))
        return (*visible.problems, *hidden.problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every broken rule of every example, and the notes. Reads all of the data at each call."""
        return (*self.notes, *(problem for example_id in self.ids for problem in self.problems_of(example_id)))

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 (hex) over path, size and content of every file of the selected examples, gold included."""
        total = hashlib.sha256(b"agentmonbench-data-1\n")
        for example_id in self.ids:
            paths = [*self._listing(f"{BUNDLES}/{example_id}"), f"{GOLD}/{example_id}.json"]
            for path in paths:
                try:
                    data = self._store.read(path)
                    line = f"{len(data)} {hashlib.sha256(data).hexdigest()}"
                except RuleBroken as broken:
                    line = f"unreadable: {broken}"
                total.update(f"{path!r} {line}\n".encode())
        return total.hexdigest()

    def _listing(self, folder: str) -> list[str]:
        try:
            return [f"{folder}/{path}" for path in self._store.files(folder)]
        except RuleBroken as broken:
            return [f"{folder}: {broken}"]

    def _bundle_ledger(self, example_id: str) -> Ledger:
        self._check_known(example_id)
        return Ledger(self.name, example_id, folder=f"{BUNDLES}/{example_id}/")

    def _gold_ledger(self, example_id: str) -> Ledger:
        self._check_known(example_id)
        return Ledger(self.name, example_id, folder=f"{GOLD}/")

    def _check_known(self, example_id: str) -> None:
        if example_id not in self._known:
            raise UsageError(unknown_id(example_id, self.name, self.ids))

    def _read_example(self, ledger: Ledger) -> Example | None:
        example_id = str(ledger.example)
        folder = f"{BUNDLES}/{example_id}"
        kind = self._store.kind(folder)
        if kind != "folder":
            ledger.error("", "is missing" if kind is None else "is no folder")
            return None
        try:
            entries = self._store.files(folder)
        except RuleBroken as broken:
            ledger.error("", str(broken))
            return None
        files: dict[str, bytes] = {}
        for path in _readable(entries, ledger):
            try:
                files[path] = self._store.read(f"{folder}/{path}")
            except RuleBroken as broken:
                ledger.error(path, str(broken))
        return read_bundle(files, ledger, unread=entries.keys() - files.keys())

    def _read_gold(self, ledger: Ledger, example: Example | None) -> Gold | None:
        file = f"{ledger.example}.json"
        kind = self._store.kind(f"{GOLD}/{file}")
        if kind != "file":
            ledger.error(file, "is missing" if kind is None else "is no regular file")
            return None
        try:
            data = self._store.read(f"{GOLD}/{file}")
        except RuleBroken as broken:
            ledger.error(file, str(broken))
            return None
        return read_gold(data, ledger, example)


def _readable(entries: Mapping[str, Entry], ledger: Ledger) -> list[str]:
    """Return the paths that may be read; the others, with why not, go to the ledger."""
    readable = []
    for path, entry in entries.items():
        if entry.kind != "file":
            ledger.error(path, "is a symbolic link" if entry.kind == "link" else "is no regular file")
        elif fault := path_fault(path):
            ledger.error(path, fault)
        elif entry.size > MAX_FILE_BYTES:
            ledger.error(path, f"is larger than {MAX_FILE_BYTES:,} bytes")
        else:
            readable.append(path)
    if sum(entries[path].size for path in readable) > MAX_BUNDLE_BYTES:
        ledger.error("", f"the files have more than {MAX_BUNDLE_BYTES:,} bytes together")
        return []
    return readable


def unknown_id(example_id: str, name: str, ids: Sequence[str]) -> str:
    """Return the message for an id that is not there: the nearest ids first, then all of them."""
    near = difflib.get_close_matches(example_id, ids, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"unknown {name} example {example_id!r}{hint} Valid ids: {', '.join(ids)}"
