"""An example as one row of a table, and back: nothing is lost on the way (specification part 1.8)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from agentmonbench.examples import Document, Example
from ebg.trajectory.events import TraceEvent

if TYPE_CHECKING:
    import pyarrow

__all__ = ["example_schema", "from_row", "gold_schema", "to_row"]

# A row is what JSON would call an object: its values have the types of `example_schema`.
Row = Mapping[str, Any]


def to_row(example: Example) -> dict[str, object]:
    """Return the visible side of an example as plain values.

    A file's content is `text` when it is UTF-8, and `bytes` otherwise; the other one is None.
    """
    document = example.document
    return {
        "id": example.id,
        "subset": example.subset,
        "document": {"path": document.path, "text": document.text} if document else None,
        "files": [_file(path, data) for path, data in example.files.items()],
        "events": [
            {
                "event_type": event.event_type,
                "turn_number": event.turn_number,
                "content": event.content,
                "evidence_id": event.evidence_id,
                "tool_name": event.tool_name,
            }
            for event in example.events
        ],
        "cutoff_turn": example.cutoff_turn,
    }


def from_row(row: Row) -> Example:
    """Return the example that a row of `to_datasets`, or of an exported folder, was made of."""
    document = row["document"]
    files = {
        file["path"]: file["bytes"] if file["text"] is None else file["text"].encode() for file in row["files"] or ()
    }
    return Example(
        id=row["id"],
        subset=row["subset"],
        document=Document(document["path"], document["text"]) if document else None,
        files=MappingProxyType(files),
        events=tuple(TraceEvent(**event) for event in row["events"] or ()),
        cutoff_turn=row["cutoff_turn"],
    )


def example_schema() -> pyarrow.Schema:
    """Return the columns of visible rows; the same for all subsets."""
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    event = {
        "event_type": text,
        "turn_number": number,
        "content": text,
        "evidence_id": text,
        "tool_name": text,
    }
    return pa.schema(
        {
            "id": text,
            "subset": text,
            "document": pa.struct({"path": text, "text": text}),
            "files": pa.list_(pa.struct({"path": text, "text": text, "bytes": pa.binary()})),
            "events": pa.list_(pa.struct(event)),
            "cutoff_turn": number,
        }
    )


def gold_schema() -> pyarrow.Schema:
    """Return the columns of gold rows. Gold is one JSON text: columns would add keys that an example does not have."""
    import pyarrow as pa

    return pa.schema({"id": pa.string(), "subset": pa.string(), "gold": pa.string()})


def _file(path: str, data: bytes) -> dict[str, object]:
    try:
        return {"path": path, "text": data.decode("utf-8"), "bytes": None}
    except UnicodeDecodeError:
        return {"path": path, "text": None, "bytes": data}
