"""The readers, and which of them a transcript belongs to: by content, never by name (part 13 of transcripts.md).

A reader says of single records whether it knows them. Every reader looks at the first records of a file; the one that
knows them reads it. When several know different records, or none knows any, what was seen is listed and nothing is
guessed.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from ebg.errors import TranscriptError
from ebg.trajectory.events import RecordRef, Session
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._json import BrokenJson, parse_json
from ebg.trajectory.readers._source import MAX_LINE, Shape, Source

__all__ = [
    "Reader",
    "Record",
    "detect_format",
    "elements",
    "json_lines",
    "read_transcript",
    "read_transcripts",
    "reader_names",
]

BUILT_IN = (
    # The order decides between readers that know the very same records: the narrower ones come first.
    "model_input",
    "claude_code",
    "codex",
    "codex_exec",
    "gemini_cli",
    "swe_agent",
    "mini_swe_agent",
    "openhands",
    "openhands_v1",
    "inspect_ai",
    "atif",
    "otel",
    "entire",
    "swe_chat",
    "chat",
    "aider",
)
ENTRY_POINTS = "ebg.readers"
_PROBED = 60
_MAX_PROBED_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Reader:
    """One transcript format. Others add theirs as an entry point of the group `ebg.readers`."""

    name: str
    knows: Callable[[Shape, object], bool]
    """Whether a record is of this format. The item is a JSON value for `lines` and `document`, the sorted names for
    `folder` and `archive`, the first text for `text`, the column names for `table`."""
    read: Callable[[Source], Iterator[Session]]
    """Yield the sessions of a transcript."""


class Record(NamedTuple):
    """A JSON object of a transcript, its place and its raw form."""

    value: Mapping[str, object]
    ref: RecordRef
    raw: object


def reader_names() -> tuple[str, ...]:
    """Return the names of all formats that can be read, those of other packages last."""
    return tuple(reader.name for reader in _readers())


def read_transcript(path: str | Path, format: str | None = None, *, session: str | None = None) -> Session:  # noqa: A002
    """Read one agent session, of any known format.

    Args:
        path: a file or folder.
        format: name of the format; found by content when None.
        session: id of the session, for files that hold several.

    Raises:
        TranscriptError: when the format is unknown or mixed, the file is broken beyond reading, or it holds several
            sessions and none or an unknown one is named.
    """
    sessions = read_transcripts(path, format)
    if session is not None:
        found = next((item for item in sessions if item.id == session), None)
        if found is None:
            raise TranscriptError(f"{path}: no session {session!r}; `read_transcripts` yields those there are")
        return found
    first = next(sessions, None)
    if first is None:
        raise TranscriptError(f"{path}: holds no session")
    others = [item.id for item in itertools.islice(sessions, 20)]
    if others:
        raise TranscriptError(f"{path}: holds several sessions; name one of {[first.id, *others]}")
    return first


def read_transcripts(path: str | Path, format: str | None = None) -> Iterator[Session]:  # noqa: A002
    """Yield every session of a file or folder, one at a time; arguments and errors as for `read_transcript`."""
    source = Source(path)
    if format is None:
        reader = _detect(source)
    else:
        known = {reader.name: reader for reader in _readers()}
        if format not in known:
            raise TranscriptError(f"unknown format {format!r}; known are {', '.join(known)}")
        reader = known[format]
    try:
        yield from reader.read(source)
    except BrokenJson as exc:
        raise TranscriptError(f"{source.path}: not JSON as {reader.name} has it: {exc}") from exc


def detect_format(path: str | Path) -> str:
    """Return the name of the format of a transcript; errors as for `read_transcript`."""
    return _detect(Source(path)).name


def json_lines(source: Source, builder: SessionBuilder) -> Iterator[Record]:
    """Yield the JSON objects of a JSONL file; lines that cannot be read are counted and become gaps."""
    for line in source.lines():
        ref = RecordRef(source.name, line=line.number, byte_start=line.start, byte_end=line.end)
        if line.oversized:
            builder.lost_record(ref, "oversized_record", f"line {line.number} is longer than {MAX_LINE:,} bytes")
            continue
        try:
            parsed = parse_json(line.data)
        except BrokenJson as exc:
            builder.lost_record(ref, "broken_line", f"line {line.number} is no JSON: {exc}")
            continue
        if not isinstance(parsed.value, dict):
            builder.record(ref, label=type(parsed.value).__name__, raw=line.data)
            continue
        yield Record(parsed.value, ref, line.data)
        builder.end_record()
        for note in parsed.notes:
            builder.gap(note, f"line {line.number} was mended to read it")
    builder.end_record()
    builder.took(source)


def elements(items: Iterable[object], file: str, pointer: str) -> Iterator[Record]:
    """Yield the objects of a list inside a JSON document; anything else in it is wrapped as `value`."""
    for index, item in enumerate(items):
        value = item if isinstance(item, dict) else {"value": item}
        yield Record(value, RecordRef(file, pointer=f"{pointer}/{index}"), item)


def _readers() -> Iterator[Reader]:
    from importlib.metadata import entry_points

    names = set()
    for module in BUILT_IN:
        reader: Reader = import_module(f"ebg.trajectory.readers.{module}").READER
        names.add(reader.name)
        yield reader
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        if point.name not in names:
            yield point.load()


def _detect(source: Source) -> Reader:
    readers = tuple(_readers())
    seen: list[str] = []
    for shape, items in _probes(source):
        known = {
            reader.name: frozenset(i for i, item in enumerate(items) if reader.knows(shape, item)) for reader in readers
        }
        best = max(known.values(), key=len)
        if best:
            strangers = [name for name, found in known.items() if not found <= best]
            if strangers:
                counts = ", ".join(f"{len(found)} of {name}" for name, found in known.items() if found)
                raise TranscriptError(
                    f"{source.path}: records of several formats: {counts} (of {len(items)} looked at)"
                )
            return next(reader for reader in readers if known[reader.name] == best)
        seen.extend(f"{shape}: {_describe(item)}" for item in items[:3])
    formats = ", ".join(reader.name for reader in readers)
    raise TranscriptError(f"{source.path}: unknown format. Seen: {'; '.join(seen) or 'nothing'}. Known: {formats}")


def _probes(source: Source) -> Iterator[tuple[Shape, list[object]]]:
    """Yield what the transcript may be, most likely first."""
    if source.is_folder:
        yield "folder", [source.names()]
        return
    head = source.head()
    if not head.strip():
        return
    if head.startswith(b"PK\x03\x04"):
        yield "archive", [source.names()]
    elif head.startswith(b"PAR1"):
        from ebg.trajectory.readers.swe_chat import column_names

        yield "table", [column_names(source)]
    elif head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        yield from _json_probes(source)
    else:
        yield "text", [head.decode("utf-8", errors="replace")]


def _json_probes(source: Source) -> Iterator[tuple[Shape, list[object]]]:
    items: list[object] = []
    size = count = 0
    for line in itertools.islice(source.lines(), _PROBED):
        count += 1
        size += len(line.data)
        with contextlib.suppress(BrokenJson):
            items.append(parse_json(line.data).value)
        if not items or size > _MAX_PROBED_BYTES:
            break  # the first line is broken: a pretty document, or lines that are tried below
    if count > 1 and items:
        yield "lines", items
        return
    document: list[object] = []
    with contextlib.suppress(BrokenJson, TranscriptError):  # too large for one document: it may still be lines
        document.append(source.document().value)
    if document:
        yield "document", document
    if not items:
        for line in itertools.islice(source.lines(), _PROBED):
            with contextlib.suppress(BrokenJson):
                items.append(parse_json(line.data).value)
    yield "lines", items


def _describe(item: object) -> str:
    if isinstance(item, dict):
        kinds = [f"{key}={item[key]!r}" for key in ("type", "kind", "role", "event") if isinstance(item.get(key), str)]
        return "object with " + ", ".join([*kinds, *(repr(key) for key in list(item)[:8])])[:200]
    if isinstance(item, list):
        return f"list of {len(item)}" + (f", first {_describe(item[0])}" if item and isinstance(item[0], dict) else "")
    return f"{type(item).__name__} {str(item)[:60]!r}"
