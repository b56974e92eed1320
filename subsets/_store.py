"""Where the files of one subset come from: a folder or an archive, behind one small interface.

A store only lists and reads. It follows no link, opens nothing but regular files, and holds no file in memory; whether
the files make sense is for others to say. Paths are relative to the subset's `artifacts/` folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from subsets._limits import MAX_BUNDLE_FILES, MAX_FILE_BYTES
from subsets._problems import RuleBroken

__all__ = ["BUNDLES", "GOLD", "DirectoryStore", "Entry", "Kind", "Store"]

BUNDLES = "visible_bundles"
GOLD = "hidden_gold"

Kind = Literal["file", "folder", "link", "special"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that a folder holds."""

    kind: Kind
    size: int = 0


class Store(Protocol):
    """The files below one subset's `artifacts/`."""

    def kind(self, path: str) -> Kind | None:
        """Return what lies at `path`, None when there is nothing."""
        ...

    def entries(self, folder: str) -> Mapping[str, Entry]:
        """Return what lies directly in `folder` by name; empty when there is no such folder.

        Raises:
            RuleBroken: when it cannot be listed.
        """
        ...

    def files(self, folder: str) -> Mapping[str, Entry]:
        """Return everything below `folder` that is no folder, by the path inside it.

        Raises:
            RuleBroken: when there is more than `MAX_BUNDLE_FILES`, or a folder cannot be listed.
        """
        ...

    def read(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            RuleBroken: when it is no regular file, is too large or cannot be read.
        """
        ...


class DirectoryStore:
    """The files of an `artifacts/` folder on disk."""

    def __init__(self, artifacts: Path, *, ignore_bytecode: bool = False) -> None:
        """Read from `artifacts`.

        Args:
            artifacts: the folder.
            ignore_bytecode: leave `__pycache__` folders out. Installers compile every Python file of a package, also
                those of the bundled samples.
        """
        self._artifacts = artifacts
        self._ignored = frozenset({"__pycache__"}) if ignore_bytecode else frozenset[str]()

    def kind(self, path: str) -> Kind | None:
        """Return what lies at `path`, None when there is nothing."""
        try:
            return _kind_of((self._artifacts / path).lstat().st_mode)
        except OSError:
            return None

    def entries(self, folder: str) -> Mapping[str, Entry]:
        """Return what lies directly in `folder` by name; empty when there is no such folder."""
        if self.kind(folder) != "folder":
            return {}
        try:
            with os.scandir(self._artifacts / folder) as listing:
                found = {entry.name: _entry(entry) for entry in listing if entry.name not in self._ignored}
        except OSError as error:
            raise RuleBroken(f"cannot be listed: {error.strerror}") from None
        return dict(sorted(found.items()))

    def files(self, folder: str) -> Mapping[str, Entry]:
        """Return everything below `folder` that is no folder, by the path inside it."""
        found: dict[str, Entry] = {}
        pending = [""]
        folders = 0
        while pending:
            inside = pending.pop()
            folders += 1
            for name, entry in self.entries(f"{folder}/{inside}").items():
                path = f"{inside}{name}"
                if entry.kind == "folder":
                    pending.append(f"{path}/")
                else:
                    found[path] = entry
                if len(found) + len(pending) + folders > MAX_BUNDLE_FILES:
                    raise RuleBroken(f"holds more than {MAX_BUNDLE_FILES:,} files and folders")
        return dict(sorted(found.items()))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        # No link is followed and no pipe waited for, even when the file was replaced since it was listed.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(self._artifacts / path, flags)
        except OSError as error:
            raise RuleBroken(f"cannot be opened: {error.strerror}") from None
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise RuleBroken("is no regular file")
            if status.st_size > MAX_FILE_BYTES:
                raise RuleBroken(f"is larger than {MAX_FILE_BYTES:,} bytes")
            try:
                data = file.read(status.st_size + 1)
            except OSError as error:
                raise RuleBroken(f"cannot be read: {error.strerror}") from None
        if len(data) != status.st_size:
            raise RuleBroken("changes while it is read")
        return data


def _entry(entry: os.DirEntry[str]) -> Entry:
    status = entry.stat(follow_symlinks=False)
    return Entry(_kind_of(status.st_mode), status.st_size)


def _kind_of(mode: int) -> Kind:
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else "special"
