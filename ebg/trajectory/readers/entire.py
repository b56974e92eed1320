"""Entire checkpoints: folders of metadata with the agents' own transcripts inside (part 4 of transcripts.md).

The same session is stored again and again as it grows; the longest transcript of each session id is read. The agent is
found by content: the label is not reliable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ebg.errors import TranscriptError
from ebg.trajectory.events import Gap, RecordRef, Session
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_list, as_mapping, as_text
from ebg.trajectory.readers._json import BrokenJson
from ebg.trajectory.readers._registry import Reader, read_transcripts
from ebg.trajectory.readers._source import Shape, Source

__all__ = ["READER"]

_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}-(?=.)")
"""Early versions put the date before the agent's own session id."""
_TRANSCRIPTS = ("full.jsonl", "full.json", "full.md")


def _knows(shape: Shape, item: object) -> bool:
    if shape == "folder":
        names = as_list(item)
        found = {name.rsplit("/", 1)[0] if "/" in name else "" for name in names if name.endswith(_TRANSCRIPTS)}
        return any((f"{folder}/metadata.json" if folder else "metadata.json") in names for folder in found)
    return shape == "document" and isinstance(item, dict) and "checkpoint_id" in item and "strategy" in item


class _Stored(NamedTuple):
    session_id: str
    folder: str
    file: str
    size: int
    metadata: Mapping[str, Any]


def _read(source: Source) -> Iterator[Session]:
    if source.is_folder:
        yield from _read_folder(source)
        return
    document = as_mapping(source.document().value)
    builder = SessionBuilder(
        format="entire", agent="unknown", id=as_text(document.get("session_id") or document.get("checkpoint_id"))
    )
    builder.took(source)
    builder.record(RecordRef(source.name), label="metadata", raw=dict(document), time=document.get("created_at"))
    files = as_list(document.get("files_touched"))
    builder.event(
        "harness", "checkpoint", "\n".join(map(as_text, files)), meta={"checkpoint": document.get("checkpoint_id")}
    )
    builder.branch = as_text(document.get("branch")) or None
    sessions = [as_mapping(item) for item in as_list(document.get("sessions"))]
    for name in [as_text(item.get("transcript")) for item in sessions] or ["full.jsonl"]:
        builder.gap("missing_transcript", f"the transcript {name} is not in this file")
    yield builder.build()


READER = Reader("entire", _knows, _read)


def _read_folder(source: Source) -> Iterator[Session]:
    stored: dict[str, _Stored] = {}
    names = set(source.names())
    for name in sorted(names):
        folder, _, file = name.rpartition("/")
        place = f"{folder}/metadata.json" if folder else "metadata.json"
        if file not in _TRANSCRIPTS or place not in names:
            continue
        metadata = _metadata(source, place)
        session_id = _DATE.sub("", as_text(metadata.get("session_id"))) or folder or source.path.name
        found = _Stored(session_id, folder, name, (source.path / name).stat().st_size, metadata)
        if session_id not in stored or found.size > stored[session_id].size:
            stored[session_id] = found
    for item in stored.values():
        for session in read_transcripts(source.path / item.file):
            missing = () if session.events else (Gap("empty_transcript", f"{item.file} holds no event"),)
            yield replace(
                session,
                branch=session.branch or as_text(item.metadata.get("branch")) or None,
                gaps=(*session.gaps, *missing),
                files={
                    f"{item.folder}/{name}" if item.folder else name: digest for name, digest in session.files.items()
                },
            )


def _metadata(source: Source, name: str) -> Mapping[str, Any]:
    try:
        return as_mapping(source.child(name).document().value)
    except (BrokenJson, TranscriptError):
        return {}
