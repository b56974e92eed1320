"""Files of a folder or of a mapping, in a fixed order, with a reason for each that cannot be had.

Links are never followed, so no loop and no way out of the folder exists; only regular files are opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ebg.errors import SourceError
from ebg.model import Excluded
from ebg.repository._admission import MAX_FILE_BYTES, tool_folder

__all__ = ["Listing", "list_source"]


class Listing(NamedTuple):
    """The files of a source."""

    paths: list[str]
    """Relative paths with forward slashes, sorted."""
    read: Callable[[str], bytes]
    """Return the bytes of a path; at most one byte more than the largest admitted file. Raises OSError."""
    excluded: list[Excluded]
    """What is no readable file, or lies in folders that are never entered (one entry a folder, ending in `/`)."""


def list_source(source: str | Path | Mapping[str, bytes]) -> Listing:
    """List a folder, one file, or a mapping of paths to bytes.

    Raises:
        SourceError: nothing is there, or a path of a mapping is absolute or not canonical.
    """
    if isinstance(source, Mapping):
        return _list_mapping(source)
    root = Path(source)
    if root.is_file():
        return Listing([root.name], lambda _: _read(root), [])
    if not root.is_dir():
        raise SourceError(f"{str(source)!r} is neither a folder nor a file")
    paths: list[str] = []
    excluded: list[Excluded] = []
    for path, reason in _walk(root):
        if reason is None:
            paths.append(path)
        else:
            excluded.append(Excluded(path, reason))
    paths.sort()
    return Listing(paths, lambda path: _read(root / path), excluded)


def _list_mapping(source: Mapping[str, bytes]) -> Listing:
    excluded: dict[str, Excluded] = {}
    paths = []
    for path in sorted(source):
        parts = path.split("/")
        if not path or "\\" in path or "\0" in path or any(part in ("", ".", "..") for part in parts):
            raise SourceError(f"{path!r} is no relative path with forward slashes")
        for depth, part in enumerate(parts[:-1], 1):
            reason = tool_folder(part)
            if reason is not None:
                folder = "/".join(parts[:depth]) + "/"
                excluded[folder] = Excluded(folder, reason)
                break
        else:
            paths.append(path)
    return Listing(paths, source.__getitem__, list(excluded.values()))


def _walk(root: Path) -> Iterator[tuple[str, str | None]]:
    """Yield each file with the reason why it cannot be read, or None."""
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(root / folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as exc:
            yield folder or "./", f"folder not readable: {exc.strerror}"
            continue
        for entry in entries:
            path = folder + entry.name
            try:
                path.encode()
            except UnicodeEncodeError:
                yield path.encode("utf-8", "backslashreplace").decode(), "name is not UTF-8"
                continue
            reason = _entry_reason(entry)
            if reason is None and entry.is_dir(follow_symlinks=False):
                folders.append(path + "/")
            elif reason is not None and entry.is_dir(follow_symlinks=False):
                yield path + "/", reason
            else:
                yield path, reason


def _entry_reason(entry: os.DirEntry[str]) -> str | None:
    try:
        if entry.is_symlink():
            return "symbolic link"
        if entry.is_dir(follow_symlinks=False):
            in_environment = os.path.lexists(os.path.join(entry.path, "pyvenv.cfg"))
            return tool_folder(entry.name) or ("installed dependencies folder" if in_environment else None)
        return None if entry.is_file(follow_symlinks=False) else "not a regular file"
    except OSError as exc:
        return f"not readable: {exc.strerror}"


def _read(path: Path) -> bytes:
    # A file may have been replaced by a pipe or a link since it was listed: do not block, do not follow.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(0, "not a regular file")
        return _read_up_to(file.read, MAX_FILE_BYTES + 1)


def _read_up_to(read: Callable[[int], bytes | None], limit: int) -> bytes:
    parts = []
    while limit > 0 and (part := read(limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)
