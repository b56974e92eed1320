"""CSV text becomes a header and numbered records."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from rowgate.errors import HeaderError, ImportFailure
from rowgate.schema import Schema, header_key

DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class Header:
    """Where each column of the schema stands, and which titles belong to no column."""

    positions: dict[str, int]
    ignored: tuple[str, ...]
    width: int


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of one record and the line of the file on which it starts."""

    line: int
    cells: list[str]

    def cell(self, position: int | None) -> str:
        """Return a cell; one that is not there is empty."""
        return "" if position is None or position >= len(self.cells) else self.cells[position]


def decode(content: bytes) -> str:
    """Return the text of a file in UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = content.count(b"\n", 0, exc.start) + 1
        raise ImportFailure(f"line {line} is not UTF-8; save the file as 'CSV UTF-8'") from exc


def records(text: str) -> Iterator[Record]:
    """Yield the records that are not blank, the header first."""
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(DELIMITERS, key=first.count))
    start = 1
    for cells in rows:
        if any(cell.strip() for cell in cells):
            yield Record(start, cells)
        start = rows.line_num + 1


def match_header(record: Record, schema: Schema) -> Header:
    """Find the columns of the schema among the titles, or raise HeaderError."""
    columns = schema.by_header()
    positions: dict[str, int] = {}
    ignored = []
    for position, title in enumerate(record.cells):
        column = columns.get(header_key(title))
        if column is None:
            ignored.append(title.strip())
        elif column.name in positions:
            raise HeaderError(f"two columns for {column.name!r}")
        else:
            positions[column.name] = position
    missing = [column.name for column in schema.columns if column.required and column.name not in positions]
    if missing:
        raise HeaderError(f"missing columns: {', '.join(missing)}")
    return Header(positions, tuple(ignored), len(record.cells))
