"""The state of a world: one SQLite database. What is not in it has not happened.

Actions write it, pages read it, grading asks it. Since nothing hides outside the database, a trial is a savepoint, a
copy is a backup, and two equal states have equal fingerprints.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["SqlValue", "State"]

SqlValue = str | int | float | bytes | None


def _named(cursor: sqlite3.Cursor, row: tuple[SqlValue, ...]) -> dict[str, SqlValue]:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


class State:
    """A database in memory, or in a file.

    Not for use by two threads at once: a session holds its lock around every use.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.connection = sqlite3.connect(
            path if path is not None else ":memory:", isolation_level=None, check_same_thread=False
        )
        self.connection.row_factory = _named
        self._depth = 0

    def script(self, sql: str) -> None:
        """Run many statements (schemas, seeds). Not inside a transaction or trial: SQLite's script ends those."""
        self.connection.executescript(sql)

    def execute(self, sql: str, parameters: Sequence[SqlValue] | Mapping[str, SqlValue] = ()) -> int:
        """Run one statement and return the number of rows it changed."""
        return self.connection.execute(sql, parameters).rowcount

    def rows(self, sql: str, parameters: Sequence[SqlValue] | Mapping[str, SqlValue] = ()) -> list[dict[str, SqlValue]]:
        """Return the rows of a query by column name."""
        return self.connection.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Sequence[SqlValue] | Mapping[str, SqlValue] = ()) -> dict[str, SqlValue] | None:
        """Return the first row, or None."""
        found: dict[str, SqlValue] | None = self.connection.execute(sql, parameters).fetchone()
        return found

    def scalar(self, sql: str, parameters: Sequence[SqlValue] | Mapping[str, SqlValue] = ()) -> SqlValue:
        """Return the first column of the first row; None when there is no row."""
        row = self.row(sql, parameters)
        return None if row is None else next(iter(row.values()))

    def count(self, sql: str, parameters: Sequence[SqlValue] | Mapping[str, SqlValue] = ()) -> int:
        """Return a scalar that is a number, as int; NULL is 0."""
        value = self.scalar(sql, parameters)
        return int(value) if isinstance(value, int | float) else 0

    def insert(self, table: str, values: Mapping[str, SqlValue], *, replace: bool = False) -> None:
        """Insert one row. `table` and the keys come from this project's code, never from outside."""
        verb = "INSERT OR REPLACE" if replace else "INSERT"
        marks = ", ".join("?" * len(values))
        self.connection.execute(f"{verb} INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))

    def update(self, table: str, values: Mapping[str, SqlValue], *, key: str, equals: SqlValue) -> int:
        """Set columns of the rows whose `key` column equals a value; names come from this project's code."""
        sets = ", ".join(f"{column} = ?" for column in values)
        return self.execute(f"UPDATE {table} SET {sets} WHERE {key} = ?", (*values.values(), equals))  # noqa: S608

    def set_meta(self, key: str, value: object) -> None:
        """Write one text of `session_meta` (part 1.6)."""
        self.insert("session_meta", {"key": key, "value": str(value)}, replace=True)

    def meta(self, key: str) -> str | None:
        """Read one text of `session_meta`."""
        value = self.scalar("SELECT value FROM session_meta WHERE key = ?", (key,))
        return None if value is None else str(value)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that is done inside, or, when it raises, nothing of it. May be nested."""
        with self._savepoint() as name:
            try:
                yield
            except BaseException:
                self.connection.execute(f"ROLLBACK TO {name}")
                raise

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Undo all that is done inside. May be nested."""
        with self._savepoint() as name:
            try:
                yield
            finally:
                self.connection.execute(f"ROLLBACK TO {name}")

    @contextmanager
    def _savepoint(self) -> Iterator[str]:
        name = f"level_{self._depth}"
        self._depth += 1
        self.connection.execute(f"SAVEPOINT {name}")
        try:
            yield name
        finally:
            self.connection.execute(f"RELEASE {name}")
            self._depth -= 1

    def copy(self) -> State:
        """Return an independent copy in memory."""
        twin = State()
        self.connection.backup(twin.connection)
        return twin

    def fingerprint(self) -> str:
        """Return the SHA-256 of all rows of all tables: tables by name, rows in insertion order."""
        digest = hashlib.sha256()
        for table in self.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
            name = str(table["name"])
            digest.update(f"\x1e{name}".encode())
            for row in self.rows(f'SELECT * FROM "{name}" ORDER BY rowid'):  # noqa: S608
                digest.update(b"\x1f" + json.dumps(row, default=repr, ensure_ascii=False).encode())
        return digest.hexdigest()

    def close(self) -> None:
        """Close the database."""
        self.connection.close()
