"""Schemas: the columns that a file should have."""

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from rowgate.errors import SchemaError

TYPES = ("text", "integer", "decimal", "date", "boolean", "choice")


@dataclass(frozen=True, slots=True)
class Column:
    """One column; limits and choices matter only for the types that have them."""

    name: str
    type: str = "text"
    required: bool = False
    unique: bool = False
    default: Any = None
    aliases: list[str] = field(default_factory=list)
    formats: list[str] = field(default_factory=lambda: ["%Y-%m-%d"])
    choices: list[str] = field(default_factory=list)
    places: int | None = None
    minimum: int | None = None
    maximum: int | None = None

    def __post_init__(self) -> None:
        if self.type not in TYPES:
            raise SchemaError(f"{self.name}: unknown type {self.type!r}; known: {', '.join(TYPES)}")
        if self.required and self.default is not None:
            raise SchemaError(f"{self.name}: a required column has no default")
        if self.type == "choice" and not self.choices:
            raise SchemaError(f"{self.name}: no choices")


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns in the order in which rows and reports show them."""

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        spellings = [header_key(text) for column in self.columns for text in (column.name, *column.aliases)]
        doubled = sorted({text for text in spellings if spellings.count(text) > 1})
        if doubled:
            raise SchemaError(f"names and aliases that mean several columns: {', '.join(doubled)}")

    def by_header(self) -> dict[str, Column]:
        """Return the columns by every spelling that may stand in a header."""
        return {header_key(text): column for column in self.columns for text in (column.name, *column.aliases)}


def load_schema(path: Path) -> Schema:
    """Read a TOML file with one table for each column."""
    known = {item.name for item in fields(Column)}
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("columns", [])
    except tomllib.TOMLDecodeError as exc:
        raise SchemaError(f"{path.name}: {exc}") from exc
    for table in tables:
        unknown = sorted(set(table) - known)
        if unknown or "name" not in table:
            raise SchemaError(f"{path.name}: {', '.join(unknown) or 'a column without name'}")
    return Schema(tuple(Column(**table) for table in tables))


def header_key(text: str) -> str:
    """Return the form in which headers are compared."""
    return "".join(character for character in text.casefold() if character.isalnum())
