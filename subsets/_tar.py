"""A strict reader of tar headers: regular files and folders in ustar, GNU and pax form, and a name for all else.

The standard library's reader is written to get through whatever it is given: in supported Python versions it takes a
damaged header for the end of the archive, walks backwards on a negative size, and reads extension headers of any
length with regular expressions that backtrack. Listing an archive that a stranger made needs less and must be bounded,
so each header is read once, checked, and costs time in proportion to its size.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Literal

from subsets._limits import MAX_HEADER_BYTES
from subsets._problems import RuleBroken

__all__ = ["TarMember", "members"]

_BLOCK = 512
_ZEROS = bytes(_BLOCK)
_OTHER_TYPES = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a named pipe",
    b"S": "a sparse file",
}


@dataclass(frozen=True, slots=True)
class TarMember:
    """One member, without its bytes."""

    name: str
    """As written; bytes that are no UTF-8 become lone surrogates."""
    kind: Literal["file", "folder", "other"]
    offset: int
    """Where its bytes begin."""
    size: int
    described: str = ""
    """What it is, when it is neither file nor folder."""


@dataclass(slots=True)
class _Extension:
    """What extension headers say about the next member."""

    name: bytes | None = None
    size: int | None = None
    sparse: bool = False


def members(file: IO[bytes]) -> Iterator[TarMember]:
    """Yield the members of the tar archive `file`, in its order.

    Raises:
        RuleBroken: at the first byte that makes no sense, naming its place.
    """
    total = file.seek(0, os.SEEK_END)
    at = 0
    extension = _Extension()
    while True:
        file.seek(at)
        header = file.read(_BLOCK)
        if header == _ZEROS:
            return
        _check_header(header, at)
        size = _octal(header[124:136], at)
        flag = header[156:157]
        offset = at + _BLOCK
        if flag in (b"x", b"g", b"L", b"K"):
            _extend(extension, flag, _body(file, size, at), at)
        else:
            size = extension.size if extension.size is not None else size
            yield _member(header, extension, offset, size)
            extension = _Extension()
        if offset + size > total:
            raise RuleBroken(f"is cut short: the member at byte {at:,} of the tar archive is longer than the rest")
        at = offset + -(-size // _BLOCK) * _BLOCK


def _member(header: bytes, extension: _Extension, offset: int, size: int) -> TarMember:
    name = extension.name
    if name is None:
        name = header[:100].partition(b"\0")[0]
        prefix = header[345:500].partition(b"\0")[0]
        if prefix and header[257:263] == b"ustar\0":
            name = prefix + b"/" + name
    flag = header[156:157]
    text = name.decode("utf-8", "surrogateescape")
    if flag == b"5" or (flag in (b"0", b"\0") and text.endswith("/")):
        return TarMember(text.removesuffix("/"), "folder", offset, size)
    if flag in (b"0", b"\0", b"7") and not extension.sparse:
        return TarMember(text, "file", offset, size)
    described = "a sparse file" if extension.sparse else _OTHER_TYPES.get(flag, f"of the unknown type {flag!r}")
    return TarMember(text, "other", offset, size, described)


def _check_header(header: bytes, at: int) -> None:
    if len(header) < _BLOCK:
        raise RuleBroken(f"is cut short: the tar archive ends at byte {at:,} without its end mark")
    stored = _octal(header[148:156], at)
    if stored != sum(header) - sum(header[148:156]) + 8 * ord(" "):
        raise RuleBroken(f"is damaged or no tar archive: the header at byte {at:,} has a wrong checksum")


def _octal(field: bytes, at: int) -> int:
    # The binary form of numbers is for sizes past 8 GiB, or negative ones; both are refused here.
    digits = field.strip(b" \0")
    if not digits or digits.strip(b"01234567"):
        raise RuleBroken(f"is damaged or no tar archive: the header at byte {at:,} has a number that is not octal")
    return int(digits, 8)


def _body(file: IO[bytes], size: int, at: int) -> bytes:
    if size > MAX_HEADER_BYTES:
        raise RuleBroken(f"has an extended header of more than {MAX_HEADER_BYTES:,} bytes at byte {at:,}")
    return file.read(size)


def _extend(extension: _Extension, flag: bytes, body: bytes, at: int) -> None:
    if flag == b"L":
        extension.name = body.rstrip(b"\0")
    elif flag in (b"x", b"g"):
        records = dict(_pax_records(body, at))
        if flag == b"g":
            # A global header may carry a comment (git archive does); it may not name or size every member.
            if {b"path", b"size"} & records.keys():
                raise RuleBroken(f"has a global header at byte {at:,} that names or sizes members")
            return
        extension.name = records.get(b"path", extension.name)
        if b"size" in records:
            extension.size = _decimal(records[b"size"], at)
        extension.sparse = any(key.startswith(b"GNU.sparse") for key in records)


def _pax_records(body: bytes, at: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the key and value of each record, `<length> <key>=<value>` and a newline, the length counting it all."""
    start = 0
    while start < len(body):
        space = body.find(b" ", start, start + 12)
        length = _decimal(body[start:space], at) if space > start else 0
        record = body[space + 1 : start + length]
        key, equals, value = record.partition(b"=")
        if not length or start + length > len(body) or not equals or not record.endswith(b"\n"):
            raise RuleBroken(f"is damaged: the extended header at byte {at:,} is no list of pax records")
        yield key, value[:-1]
        start += length


def _decimal(digits: bytes, at: int) -> int:
    if not 0 < len(digits) <= 12 or not digits.isdigit():
        raise RuleBroken(f"is damaged: the extended header at byte {at:,} has a number that is not decimal")
    return int(digits)
