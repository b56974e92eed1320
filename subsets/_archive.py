"""Read one archive of the release (`<subset>.tar.gz`) without unpacking it into any folder.

The stream is inflated once, under limits, into an unnamed temporary file that vanishes with the process; the index of
members is checked as a whole, and a member's bytes are read from its offset when they are asked for. Nothing is ever
written under a name that the archive chose. An archive with a link, a device, an escaping or doubled path is refused
whole, with all of its faults.
"""

from __future__ import annotations

import tempfile
import threading
import weakref
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from subsets._limits import (
    MAX_ARCHIVE_BYTES,
    MAX_ARCHIVE_MEMBERS,
    MAX_BUNDLE_FILES,
    MAX_COMPRESSION_RATIO,
    MAX_FILE_BYTES,
    MAX_GZIP_MEMBERS,
    RATIO_FREE_BYTES,
)
from subsets._paths import path_fault
from subsets._problems import BundleError, Ledger, RuleBroken
from subsets._store import Entry, Kind
from subsets._tar import TarMember, members

__all__ = ["ArchiveStore"]

_CHUNK = 256 * 1024


# The children of each folder by name: the member of a file, None for a folder.
_Tree = dict[str, dict[str, TarMember | None]]


class ArchiveStore:
    """The files below `<subset>/artifacts/` in a gzipped tar archive."""

    def __init__(self, path: Path, subset: str) -> None:
        """Index the archive.

        Args:
            path: the `.tar.gz` file.
            subset: name of the folder in it to read; other folders are checked and then left alone.

        Raises:
            BundleError: when the archive is damaged, breaks a limit, or has an unsafe member.
        """
        self._spool = tempfile.TemporaryFile(prefix="agentmonbench-")  # noqa: SIM115  # it lives as long as the store
        # Closed when the store is collected, so that no loop over many archives holds files open.
        weakref.finalize(self, self._spool.close)
        self._lock = threading.Lock()
        ledger = Ledger(subset)
        try:
            with path.open("rb") as packed:
                _inflate(packed, self._spool)
            self._folders = _tree(_index(self._spool, path.name, ledger), f"{subset}/artifacts/")
        except RuleBroken as broken:
            ledger.error(path.name, str(broken))
        except OSError as error:
            ledger.error(path.name, f"cannot be read: {error.strerror or error}")
        if ledger.errors:
            raise BundleError(f"the archive {path}", ledger.errors)

    @property
    def is_empty(self) -> bool:
        """Whether the archive has nothing below the subset's `artifacts/`."""
        return not self._folders

    def kind(self, path: str) -> Kind | None:
        """Return what lies at `path`, None when there is nothing."""
        folder, _, name = path.rpartition("/")
        siblings = self._folders.get(folder, {})
        if name not in siblings:
            return None
        return "folder" if siblings[name] is None else "file"

    def entries(self, folder: str) -> Mapping[str, Entry]:
        """Return what lies directly in `folder` by name; empty when there is no such folder."""
        children = self._folders.get(folder, {})
        return {
            name: Entry("folder") if child is None else Entry("file", child.size)
            for name, child in sorted(children.items())
        }

    def files(self, folder: str) -> Mapping[str, Entry]:
        """Return everything below `folder` that is no folder, by the path inside it."""
        found: dict[str, Entry] = {}
        pending = [folder]
        while pending:
            inside = pending.pop()
            for name, child in self._folders.get(inside, {}).items():
                if child is None:
                    pending.append(f"{inside}/{name}")
                else:
                    found[f"{inside}/{name}"[len(folder) + 1 :]] = Entry("file", child.size)
                if len(found) + len(pending) > MAX_BUNDLE_FILES:
                    raise RuleBroken(f"holds more than {MAX_BUNDLE_FILES:,} files and folders")
        return dict(sorted(found.items()))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        folder, _, name = path.rpartition("/")
        member = self._folders.get(folder, {}).get(name)
        if member is None:
            raise RuleBroken("is no file of the archive")
        if member.size > MAX_FILE_BYTES:
            raise RuleBroken(f"is larger than {MAX_FILE_BYTES:,} bytes")
        with self._lock:
            self._spool.seek(member.offset)
            return self._spool.read(member.size)


def _inflate(packed: IO[bytes], spool: IO[bytes]) -> None:
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    read = written = 0
    streams = 1
    try:
        while chunk := packed.read(_CHUNK):
            read += len(chunk)
            while chunk:
                if stream.eof:
                    if not chunk.strip(b"\0"):  # padding after the last stream
                        break
                    streams += 1
                    if streams > MAX_GZIP_MEMBERS:
                        raise RuleBroken(f"joins more than {MAX_GZIP_MEMBERS:,} gzip streams")
                    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
                data = stream.decompress(chunk, _CHUNK)
                written += len(data)
                if written > MAX_ARCHIVE_BYTES:
                    raise RuleBroken(f"unpacks to more than {MAX_ARCHIVE_BYTES:,} bytes")
                if written > RATIO_FREE_BYTES and written > MAX_COMPRESSION_RATIO * read:
                    raise RuleBroken(f"unpacks to more than {MAX_COMPRESSION_RATIO} times its size")
                spool.write(data)
                chunk = stream.unused_data if stream.eof else stream.unconsumed_tail
    except zlib.error:
        raise RuleBroken(f"is damaged or no gzip file, near byte {read:,}") from None
    if not stream.eof:
        raise RuleBroken("is cut short: the gzip stream has no end")


def _index(spool: IO[bytes], archive: str, ledger: Ledger) -> dict[str, TarMember]:
    index: dict[str, TarMember] = {}
    folders: set[str] = set()
    for count, member in enumerate(members(spool), start=1):
        if count > MAX_ARCHIVE_MEMBERS:
            raise RuleBroken(f"has more than {MAX_ARCHIVE_MEMBERS:,} members")
        path = member.name.removeprefix("./")
        if member.kind == "folder" and path in {"", "."}:
            continue
        if member.kind == "other":
            ledger.error(archive, f"member {member.name!r} is {member.described}, which is not allowed")
        elif fault := path_fault(path):
            ledger.error(archive, f"member {member.name!r} {fault}")
        elif path in index or (path in folders and member.kind == "file"):
            ledger.error(archive, f"member {member.name!r} occurs twice")
        elif member.kind == "folder":
            folders.add(path)
        else:
            index[path] = member
    return index


def _tree(index: Mapping[str, TarMember], root: str) -> _Tree:
    tree: _Tree = {}
    for path, member in index.items():
        if path.startswith(root):
            folder, _, name = path[len(root) :].rpartition("/")
            _add_folder(tree, folder)
            if tree[folder].setdefault(name, member) is None:
                raise RuleBroken(f"has {path!r} both as a file and as a folder")
    return tree


def _add_folder(tree: _Tree, folder: str) -> None:
    """Make sure of a folder and of those above it, up to the root, which is called ''."""
    added = []
    while folder not in tree:
        tree[folder] = {}
        if folder:
            added.append(folder)
            folder = folder.rpartition("/")[0]
    for folder in added:
        parent, _, name = folder.rpartition("/")
        if tree[parent].setdefault(name, None) is not None:
            raise RuleBroken(f"has {folder!r} both as a file and as a folder")
