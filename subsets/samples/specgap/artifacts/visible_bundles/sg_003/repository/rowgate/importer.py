"""The import: every row is either clean or explained."""

from dataclasses import dataclass
from typing import Any

from rowgate.coerce import coerce
from rowgate.errors import ImportFailure, TooManyProblems
from rowgate.problems import CellError, Problem
from rowgate.reader import Header, Record, decode, match_header, records
from rowgate.schema import Schema


@dataclass(frozen=True, slots=True)
class Result:
    """Clean rows in the order of the file, and everything that was wrong with the others."""

    rows: list[dict[str, Any]]
    problems: list[Problem]
    ignored_columns: tuple[str, ...]


def import_csv(content: bytes, schema: Schema, *, max_problems: int = 1000) -> Result:
    """Read a CSV file; ImportFailure means that it can not be used as a whole."""
    source = records(decode(content))
    first = next(source, None)
    if first is None:
        raise ImportFailure("the file is empty")
    header = match_header(first, schema)
    rows, problems = [], []
    seen: dict[str, dict[Any, int]] = {column.name: {} for column in schema.columns if column.unique}
    for record in source:
        row, found = _read(record, header, schema)
        found += _repeated(record, row, seen)
        problems += found
        if len(problems) > max_problems:
            raise TooManyProblems(problems)
        if found:
            continue
        for name, lines in seen.items():
            lines[row[name]] = record.line
        rows.append(row)
    return Result(rows, problems, header.ignored)


def _read(record: Record, header: Header, schema: Schema) -> tuple[dict[str, Any], list[Problem]]:
    row: dict[str, Any] = {}
    problems = []
    if len(record.cells) > header.width:
        problems.append(Problem(record.line, "", "too many cells", f"{len(record.cells)} instead of {header.width}"))
    for column in schema.columns:
        try:
            row[column.name] = coerce(column, record.cell(header.positions.get(column.name)))
        except CellError as exc:
            problems.append(Problem(record.line, column.name, exc.kind, exc.detail))
    return row, problems


def _repeated(record: Record, row: dict[str, Any], seen: dict[str, dict[Any, int]]) -> list[Problem]:
    return [
        Problem(record.line, name, "not unique", f"{row[name]} was in line {lines[row[name]]}")
        for name, lines in seen.items()
        if row.get(name) is not None and row[name] in lines
    ]
