"""Text of a file: UTF-8 unless a Python coding cookie says otherwise. A byte order mark stays in the text."""

from __future__ import annotations

import codecs
import re

__all__ = ["UndecodableError", "decode"]

# PEP 263: in the first two lines, and the first must be a comment or blank for the second to count.
_COOKIE = re.compile(rb"\A(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")


class UndecodableError(Exception):
    """The bytes are no text in the encoding that they claim."""


def decode(data: bytes, *, python: bool) -> str:
    """Return the text of a file.

    Encodings that are not plain text encodings (`zip`, `rot13`, `idna`...) count as unknown: a file must not choose a
    codec that decompresses or otherwise runs away.

    Raises:
        UndecodableError: with what was wrong, for `Excluded.reason`.
    """
    name = _encoding(data) if python else "utf-8"
    try:
        text = data.decode(name)
    except UnicodeDecodeError as exc:
        raise UndecodableError(f"not {name} text: byte 0x{data[exc.start]:02x} at offset {exc.start}") from exc
    if text.isascii() or not _has_surrogate(text):
        return text
    raise UndecodableError(f"not {name} text: unpaired surrogates")


def _encoding(data: bytes) -> str:
    found = _COOKIE.match(data.removeprefix(codecs.BOM_UTF8)[:1024])
    if found is None:
        return "utf-8"
    name = found[1].decode("ascii", "replace")
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        raise UndecodableError(f"unknown encoding {name!r}") from None
    if not codec._is_text_encoding or codec.name in _STATEFUL:
        raise UndecodableError(f"unknown encoding {name!r}")
    if data.startswith(codecs.BOM_UTF8) and codec.name != "utf-8":
        raise UndecodableError(f"byte order mark of UTF-8 with encoding {name!r}")
    # `utf-8-sig` would drop the mark, and the text must stay what is in the file.
    return "utf-8" if codec.name == "utf-8-sig" else codec.name


# Not ASCII supersets or not for files: Python source cannot be written in them.
_STATEFUL = {"utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-7", "idna", "punycode",
             "unicode_escape", "raw_unicode_escape", "raw-unicode-escape", "unicode-escape", "undefined", "mbcs",
             "oem"}  # fmt: skip


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
