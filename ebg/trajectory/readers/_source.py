"""Where a transcript comes from: lines, one JSON document, a folder, an archive, plain text or a table.

Lines are streamed and never held: a reader sees one at a time with its place in the file. A document, a member of an
archive and a line have size limits, so that memory stays bounded whatever the file holds.
"""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, cast

from ebg.errors import TranscriptError
from ebg.trajectory.readers._json import BrokenJson, Parsed, parse_json

__all__ = ["MAX_DOCUMENT", "MAX_LINE", "Line", "Shape", "Source", "open_zstd"]

Shape = Literal["lines", "document", "folder", "archive", "text", "table"]

MAX_LINE = 64 * 1024 * 1024
MAX_DOCUMENT = 256 * 1024 * 1024
MAX_STREAM = 8 * 1024 * 1024 * 1024
"""Decompressed bytes read of one file."""
_MAX_LISTED = 100_000
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZIP_ZSTD = 93
_LOCAL_HEADER = 30
_CHUNK = 1 << 20
_SMALL = 16 * 1024 * 1024
_MAX_RATIO = 100
"""Members larger than `_SMALL` that are packed tighter than this are refused."""


class Line(NamedTuple):
    """One line of a file and its place."""

    number: int
    """1-based."""
    start: int
    end: int
    """Half-open byte range in the (decompressed) file, line end included."""
    data: bytes
    """Without the line end; empty when the line is longer than `MAX_LINE`."""
    oversized: bool = False


class Source:
    """A transcript at a path; cheap until something is read."""

    def __init__(self, path: str | Path, *, name: str | None = None) -> None:
        self.path = Path(path)
        self.name = name or self.path.name
        """Name of the file in references."""
        self.digests: dict[str, str] = {}
        """SHA-256 by name of everything read to its end."""
        self.notes: tuple[str, ...] = ()
        """What had to be mended to read the document."""
        self._document: Parsed | None = None
        if not self.path.exists():
            raise TranscriptError(f"{self.path}: no such file or folder")

    @property
    def is_folder(self) -> bool:
        """Whether the source is a folder."""
        return self.path.is_dir()

    def head(self, size: int = 4096) -> bytes:
        """Return the first bytes, decompressed."""
        with self.open() as stream:
            return stream.read(size)

    def open(self) -> IO[bytes]:
        """Open the file, decompressed if it is zstd."""
        try:
            stream = self.path.open("rb")
        except OSError as exc:
            raise TranscriptError(f"{self.path}: {exc.strerror or exc}") from exc
        magic = stream.read(4)
        stream.seek(0)
        return open_zstd(stream, str(self.path)) if magic == _ZSTD_MAGIC else stream

    def lines(self, *, blank: bool = False) -> Generator[Line, None, None]:
        """Yield the lines that are not blank, or with `blank` all lines."""
        digest = hashlib.sha256()
        start = number = 0
        with self.open() as stream:
            while data := stream.readline(MAX_LINE + 1):
                digest.update(data)
                number += 1
                end = start + len(data)
                oversized = len(data) > MAX_LINE and not data.endswith(b"\n")
                if oversized:
                    while rest := stream.readline(_CHUNK):
                        digest.update(rest)
                        end += len(rest)
                        if rest.endswith(b"\n"):
                            break
                if end > MAX_STREAM:
                    raise TranscriptError(f"{self.path}: more than {MAX_STREAM:,} bytes")
                text = b"" if oversized else data.rstrip(b"\r\n")
                if blank or oversized or text.strip():
                    yield Line(number, start, end, text, oversized)
                start = end
        self.digests[self.name] = digest.hexdigest()

    def document(self) -> Parsed:
        """Return the whole file as one JSON value.

        Raises:
            TranscriptError: when it is too large.
            BrokenJson: when it is no JSON.
        """
        if self._document is None:
            data = self.read_bytes()
            self._document = parse_json(data)
            self.notes = self._document.notes
        return self._document

    def single(self) -> Any:
        """Return the one JSON value that the file is, or None when it is lines, or no JSON at all."""
        lines = self.lines()
        first, second = next(lines, None), next(lines, None)
        lines.close()
        if second is not None and first is not None and _is_json(first.data):
            return None
        try:
            return self.document().value
        except BrokenJson:
            return None

    def read_bytes(self) -> bytes:
        """Return the whole file; at most `MAX_DOCUMENT` bytes."""
        with self.open() as stream:
            data = stream.read(MAX_DOCUMENT + 1)
        if len(data) > MAX_DOCUMENT:
            raise TranscriptError(
                f"{self.path}: a single document of more than {MAX_DOCUMENT:,} bytes; only JSONL is streamed"
            )
        self.digests[self.name] = hashlib.sha256(data).hexdigest()
        return data

    def names(self) -> list[str]:
        """Return the files below a folder, or the members of an archive, sorted."""
        if self.is_folder:
            names: list[str] = []
            for folder, _, files in os.walk(self.path):
                below = (Path(folder) / file for file in files)
                names.extend(item.relative_to(self.path).as_posix() for item in below if not item.is_symlink())
                if len(names) > _MAX_LISTED:
                    raise TranscriptError(f"{self.path}: more than {_MAX_LISTED:,} files")
            return sorted(names)
        with _archive(self.path) as archive:
            return sorted(archive.namelist())

    def child(self, name: str) -> Source:
        """Return a file below a folder, named in references by its path inside the folder."""
        return Source(self.path / name, name=name)

    def member(self, name: str) -> bytes:
        """Return one member of a ZIP archive; also of method 93 (zstd), which Python reads only from 3.14 on."""
        with _archive(self.path) as archive:
            info = archive.getinfo(name)
            if info.file_size > MAX_DOCUMENT:
                raise TranscriptError(f"{self.path}!{name}: more than {MAX_DOCUMENT:,} bytes")
            if info.file_size > _SMALL and info.file_size > _MAX_RATIO * info.compress_size:
                raise TranscriptError(f"{self.path}!{name}: compressed more than {_MAX_RATIO} times; looks like a bomb")
            try:
                data = _zstd_member(self.path, info) if info.compress_type == _ZIP_ZSTD else archive.read(info)
            except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as exc:
                raise TranscriptError(f"{self.path}!{name}: cannot be read: {exc}") from exc
        self.digests[f"{self.name}!{name}"] = hashlib.sha256(data).hexdigest()
        return data


def _is_json(data: bytes) -> bool:
    try:
        return isinstance(parse_json(data).value, dict | list)
    except BrokenJson:
        return False


def open_zstd(stream: IO[bytes], where: str) -> IO[bytes]:
    """Return a stream of the decompressed bytes; needs the optional package `zstandard`."""
    try:
        import zstandard
    except ImportError as exc:
        raise TranscriptError(f"{where}: compressed with zstd; install the package zstandard to read it") from exc
    reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(stream, read_across_frames=True)
    return cast("IO[bytes]", io.BufferedReader(cast("io.RawIOBase", _Checked(reader, where)), _CHUNK))


class _Checked(io.RawIOBase):
    """A decompressing stream whose errors name the file."""

    def __init__(self, reader: IO[bytes], where: str) -> None:
        self._reader = reader
        self._where = where

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        import zstandard

        try:
            data = self._reader.read(len(cast("bytearray", buffer)))
        except zstandard.ZstdError as exc:
            raise TranscriptError(f"{self._where}: broken zstd data: {exc}") from exc
        cast("bytearray", buffer)[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._reader.close()
        super().close()


def _archive(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as exc:
        raise TranscriptError(f"{path}: not a readable ZIP archive: {exc}") from exc


def _zstd_member(path: Path, info: zipfile.ZipInfo) -> bytes:
    with path.open("rb") as stream:
        stream.seek(info.header_offset)
        header = stream.read(_LOCAL_HEADER)
        if len(header) < _LOCAL_HEADER or header[:4] != b"PK\x03\x04":
            raise zipfile.BadZipFile("no local header")
        name_length, extra_length = struct.unpack("<HH", header[26:30])
        stream.seek(info.header_offset + _LOCAL_HEADER + name_length + extra_length)
        packed = io.BytesIO(stream.read(info.compress_size))
    with open_zstd(packed, f"{path}!{info.filename}") as plain:
        data = plain.read(MAX_DOCUMENT + 1)
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile("size or checksum differ")
    return data
