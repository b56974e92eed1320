"""Grading queries in a sandbox: one SELECT, nothing written, nothing outside the database, an end in any case.

The original runs the query as it comes (specification sentinelbench 2.5). Here the connection gets an authorizer that
knows only reading and a list of harmless functions, a limit on the steps of SQLite's machine, on wall time and on the
length of values. Queries that depend on the machine's clock or on chance are refused: they would not be reproducible.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from worlds.errors import SqlRefused
from worlds.state import SqlValue, State

__all__ = ["MAX_SECONDS", "MAX_STEPS", "MAX_VALUE_BYTES", "evaluate", "is_true"]

MAX_STEPS = 5_000_000
"""Instructions of SQLite's virtual machine. The largest original query needs some thousands."""
MAX_SECONDS = 5.0
MAX_VALUE_BYTES = 10_000_000
MAX_SQL_CHARS = 100_000
_STEPS_PER_CHECK = 1_000

_FUNCTIONS = frozenset(
    [
        "abs",
        "avg",
        "cast",
        "coalesce",
        "count",
        "date",
        "datetime",
        "format",
        "glob",
        "group_concat",
        "hex",
        "ifnull",
        "iif",
        "instr",
        "json",
        "json_array",
        "json_array_length",
        "json_each",
        "json_extract",
        "json_group_array",
        "json_object",
        "json_quote",
        "json_tree",
        "json_type",
        "json_valid",
        "julianday",
        "length",
        "like",
        "lower",
        "ltrim",
        "max",
        "min",
        "nullif",
        "printf",
        "quote",
        "replace",
        "round",
        "row_number",
        "rtrim",
        "sign",
        "strftime",
        "substr",
        "substring",
        "sum",
        "time",
        "total",
        "trim",
        "typeof",
        "unicode",
        "unixepoch",
        "upper",
        "rank",
        "dense_rank",
        "lag",
        "lead",
        "first_value",
        "last_value",
        "nth_value",
        "ntile",
        "likely",
        "unlikely",
        "->",
        "->>",
    ]
)
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
# json_each and json_tree are virtual tables, which SQLite creates for the query (SQLITE_CREATE_VTABLE is not asked then).  # noqa: E501
_CLOCKS = re.compile(r"\bcurrent_(date|time|timestamp)\b|'\s*now\s*'", re.IGNORECASE)


def _authorize(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:  # noqa: ARG001
    if action in _READING:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


@contextmanager
def _confined(connection: sqlite3.Connection, *, max_steps: int, max_seconds: float) -> Iterator[list[str]]:
    """Confine a connection; yields a list that says what limit was hit, if any."""
    hit: list[str] = []
    left = max_steps
    deadline = time.monotonic() + max_seconds

    def check() -> int:
        nonlocal left
        left -= _STEPS_PER_CHECK
        if left < 0:
            hit.append(f"more than {max_steps} steps")
        elif time.monotonic() > deadline:
            hit.append(f"more than {max_seconds:g} seconds")
        return int(bool(hit))

    length = connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.set_authorizer(_authorize)
    connection.set_progress_handler(check, _STEPS_PER_CHECK)
    try:
        yield hit
    finally:
        connection.set_progress_handler(None, 0)
        connection.set_authorizer(None)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, length)


def evaluate(state: State, sql: str, *, max_steps: int = MAX_STEPS, max_seconds: float = MAX_SECONDS) -> SqlValue:
    """Return the first column of the first row of a query; None when there is no row.

    Raises:
        SqlRefused: `refused` not one harmless SELECT; `limit` it did not end in time; `error` SQLite's own complaint.
    """
    if len(sql) > MAX_SQL_CHARS:
        raise SqlRefused(f"longer than {MAX_SQL_CHARS} characters", code="refused")
    if found := _CLOCKS.search(sql):
        raise SqlRefused(f"depends on the machine's clock ({found[0]}); times are in session_meta", code="refused")
    with _confined(state.connection, max_steps=max_steps, max_seconds=max_seconds) as hit:
        try:
            row = state.row(sql)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            text = str(error)
            if hit:
                raise SqlRefused(f"did not end: {hit[0]}", code="limit") from error
            denied = ("not authorized", "prohibited", "one statement", "too big")
            raise SqlRefused(text, code="refused" if any(word in text for word in denied) else "error") from error
    if row is None:
        return None
    return next(iter(row.values()))


def is_true(state: State, sql: str) -> bool:
    """Say whether a query's value is true: `bool` of the first column of the first row (part 2.4).

    Raises:
        SqlRefused: see `evaluate`.
    """
    return bool(evaluate(state, sql))
