"""SWE-chat tables: the conversations of many sessions as rows of a Parquet file (part 5 of transcripts.md).

Needs the optional package pyarrow. Only the columns that are read are loaded, in batches. The names of the columns are
those seen in public code; others are given by `COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ebg.errors import TranscriptError
from ebg.trajectory.events import RecordRef, Session
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._contents import as_text
from ebg.trajectory.readers._registry import Reader
from ebg.trajectory.readers._source import Shape, Source

if TYPE_CHECKING:
    import pyarrow.parquet

__all__ = ["COLUMNS", "READER", "column_names"]

COLUMNS: dict[str, str] = {
    "session": "session_id",
    "turn": "turn_number",
    "kind": "turn_type",
    "role": "role",
    "agent": "agent",
    "tool": "tool_name",
    "arguments": "tool_input_json",
    "text": "content",
}
"""Our name of a column -> its name in the table."""
_NEEDED = ("session", "kind", "text")
_FILE = "conversations"


def column_names(source: Source) -> list[str]:
    """Return the columns of a Parquet file; empty when pyarrow is not there."""
    try:
        return list(_table(source).schema_arrow.names)
    except TranscriptError:
        return []


def _knows(shape: Shape, item: object) -> bool:
    names = item if isinstance(item, list) else []
    if shape == "folder":
        return any(name.endswith(".parquet") and _FILE in name for name in names)
    return shape == "table" and {COLUMNS[key] for key in _NEEDED} <= set(names)


def _read(source: Source) -> Iterator[Session]:
    files = [source]
    if source.is_folder:
        files = [source.child(name) for name in source.names() if name.endswith(".parquet") and _FILE in name]
    for file in files:
        yield from _read_table(file)


READER = Reader("swe-chat", _knows, _read)


def _table(source: Source) -> pyarrow.parquet.ParquetFile:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as exc:
        raise TranscriptError(f"{source.path}: Parquet tables need the package pyarrow") from exc
    try:
        return pyarrow.parquet.ParquetFile(source.path)
    except (OSError, pyarrow.ArrowException) as exc:
        raise TranscriptError(f"{source.path}: not a readable Parquet file: {exc}") from exc


def _read_table(source: Source) -> Iterator[Session]:
    """Yield the sessions; one is finished when all rows that carry its id have been seen."""
    table = _table(source)
    present = set(table.schema_arrow.names)
    missing = [COLUMNS[key] for key in _NEEDED if COLUMNS[key] not in present]
    if missing:
        raise TranscriptError(f"{source.path}: no column {missing}; it has {sorted(present)}")
    left: dict[str, int] = {}
    for row in _rows(table, [COLUMNS["session"]]):
        name = as_text(row[COLUMNS["session"]])
        left[name] = left.get(name, 0) + 1
    wanted = [name for name in COLUMNS.values() if name in present]
    open_sessions: dict[str, SessionBuilder] = {}
    for number, row in enumerate(_rows(table, wanted)):
        values = {key: row.get(name) for key, name in COLUMNS.items()}
        name = as_text(values["session"])
        builder = open_sessions.get(name)
        if builder is None:
            agent = as_text(values["agent"]) or "unknown"
            builder = open_sessions[name] = SessionBuilder(format="swe-chat", agent=agent, id=name)
        _add(builder, values, RecordRef(source.name, line=number + 1))
        left[name] -= 1
        if left[name] == 0:
            yield open_sessions.pop(name).build()


def _rows(table: pyarrow.parquet.ParquetFile, columns: list[str]) -> Iterator[Mapping[str, Any]]:
    for batch in table.iter_batches(batch_size=4096, columns=columns):
        yield from batch.to_pylist()


def _add(builder: SessionBuilder, values: Mapping[str, Any], ref: RecordRef) -> None:
    kind, text = as_text(values["kind"]), as_text(values["text"])
    builder.record(ref, label=kind, raw=text)
    match kind:
        case "user_prompt":
            builder.event("human", "prompt", text)
        case "assistant_response":
            builder.event("model", "message", text)
        case "thinking":
            builder.reasoning(text)
        case "tool_use":
            builder.tool_call(as_text(values["tool"]) or "tool", values["arguments"] or text)
        case "tool_result":
            builder.tool_result(text, "unknown")
        case _ if values["role"] in ("system", "metadata") or "metadata" in kind:
            builder.skip(f"bookkeeping: {kind}")
