"""The exact record behind an event: the line or the JSON value that its reference names."""

from __future__ import annotations

import json
from pathlib import Path

from agentmonbench.errors import DataError
from ebg.trajectory.events import RecordRef
from ebg.trajectory.readers import Source

__all__ = ["record_text"]

_MAX_BYTES = 64 * 1024 * 1024


def record_text(transcript: Path, ref: RecordRef) -> str:
    """Return the record as it stands in its file; a value inside a JSON document is laid out anew.

    Args:
        transcript: the path that was read, a file or a folder.
        ref: the reference of an event of it.

    Raises:
        DataError: when the record is not there, because the file has changed since it was read.
    """
    archive, _, member = ref.file.partition("!")
    source = _source(transcript, archive)
    if ref.line is not None:
        return _line(source, ref)
    data = source.member(member) if member else source.read_bytes()
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if not ref.pointer:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    for part in ref.pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            raise DataError(f"{ref.file}: nothing is at {ref.pointer!r}; has the file changed?")
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _source(transcript: Path, name: str) -> Source:
    """Return the file of a reference: below the transcript when it is a folder, else beside it."""
    folder = transcript if transcript.is_dir() else transcript.parent
    path = transcript if not transcript.is_dir() and name == transcript.name else folder / name
    if not path.resolve().is_relative_to(folder.resolve()) and path != transcript:
        raise DataError(f"{name!r} leads out of {folder}")
    return Source(path, name=name)


def _line(source: Source, ref: RecordRef) -> str:
    if ref.byte_end - ref.byte_start > _MAX_BYTES:
        raise DataError(f"{ref.file}:{ref.line} is longer than {_MAX_BYTES:,} bytes")
    with source.open() as stream:
        left = ref.byte_start
        while left and (piece := stream.read(min(left, 1 << 20))):
            left -= len(piece)
        data = stream.read(ref.byte_end - ref.byte_start)
    if not data:
        raise DataError(f"{ref.file}:{ref.line} is not there; has the file changed?")
    return data.decode("utf-8", "replace").rstrip("\r\n")
