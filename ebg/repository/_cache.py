"""Facts kept between builds, by the hash of everything they depend on: those of files, and those of linking them.

One SQLite file in the given folder, so that several processes may use it at once; whatever goes wrong with it, the
build goes on without. An entry is found again only for the same text, language and rules, and the code of this package
is part of the hash, so no version ever reads what another wrote. The entries hold at most `MAX_BYTES`; those that were
not used for longest go first.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from ebg.repository._facts import Compat, FileFacts, LinkFacts

__all__ = ["MAX_BYTES", "FactsCache", "facts_key", "links_key", "user_cache_folder"]

_Facts = TypeVar("_Facts", FileFacts, LinkFacts)

MAX_BYTES = 512 * 1024 * 1024
_FILE_NAME = "facts.sqlite3"
_SECONDS_A_DAY = 86_400
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (key BLOB PRIMARY KEY, value BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS facts_used ON facts (used);
"""


def user_cache_folder() -> Path:
    """Return the folder where this user's caches belong on this system; it need not exist."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "ebg"


def facts_key(text: str, kind: str, language: str, compat: Compat | None) -> bytes:
    """Return the hash of all that the facts of a file depend on; its path is not among it."""
    digest = hashlib.blake2b(_code_digest(), digest_size=20)
    digest.update(f"{kind}\0{language}\0{compat}\0".encode())
    digest.update(text.encode())
    return digest.digest()


def links_key(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return the hash of all that linking depends on: the path of each file and the key of its facts, in order."""
    digest = hashlib.blake2b(_code_digest(), digest_size=20, person=b"links")
    for path, key in files:
        digest.update(f"{len(path.encode())}\0{path}".encode() + key)
    return digest.digest()


@cache
def _code_digest() -> bytes:
    """Return a hash of the code that makes facts: this package's modules and the versions of the parser."""
    digest = hashlib.blake2b(f"{sys.version_info[:2]}".encode(), digest_size=20)
    for package in ("tree-sitter", "tree-sitter-python", "agentmonbench"):
        with contextlib.suppress(PackageNotFoundError):
            digest.update(f"{package}={version(package)};".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


class FactsCache:
    """An open cache. When its file turns out to be unusable, it goes on with an empty one in memory."""

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._path = folder / _FILE_NAME
        self._max_bytes = max_bytes
        self._today = int(time.time()) // _SECONDS_A_DAY
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = _connect(self._path)
        except (OSError, sqlite3.Error) as exc:
            self._forsake(exc)

    def __enter__(self) -> FactsCache:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, keys: Iterable[bytes], kind: type[_Facts]) -> dict[bytes, _Facts]:
        """Return the facts of one kind that are there."""
        found: dict[bytes, _Facts] = {}
        stale = []
        with self._forgiving() as connection:
            for key in sorted(set(keys)):
                row = connection.execute("SELECT value, used FROM facts WHERE key = ?", (key,)).fetchone()
                facts = None if row is None else _load(row[0], kind)
                if facts is not None:
                    found[key] = facts
                    if row[1] != self._today:
                        stale.append((self._today, key))
            if stale:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany("UPDATE facts SET used = ? WHERE key = ?", stale)
                connection.execute("COMMIT")
        return found

    def put(self, facts: Mapping[bytes, FileFacts | LinkFacts]) -> None:
        """Keep facts, all or none of them. Those of a file should have no path."""
        rows = [(key, pickle.dumps(value, 5), self._today) for key, value in facts.items()]
        with self._forgiving() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", rows)
            connection.execute("COMMIT")
            self._shrink(connection)

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Remove the entries unused for longest until the rest fills three quarters of the limit."""
        (total,) = connection.execute("SELECT coalesce(sum(length(value)), 0) FROM facts").fetchone()
        if total <= self._max_bytes:
            return
        excess = total - self._max_bytes * 3 // 4
        doomed = []
        for rowid, size in connection.execute("SELECT rowid, length(value) FROM facts ORDER BY used, rowid"):
            if excess <= 0:
                break
            doomed.append((rowid,))
            excess -= size
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("DELETE FROM facts WHERE rowid = ?", doomed)
        connection.execute("COMMIT")
        connection.execute("PRAGMA incremental_vacuum").fetchall()

    @contextlib.contextmanager
    def _forgiving(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection
        except sqlite3.Error as exc:
            self._connection.close()
            self._forsake(exc)

    def _forsake(self, exc: Exception) -> None:
        """Leave the file for an empty cache in memory; remove it if it is no database, so that the next build can."""
        if isinstance(exc, sqlite3.DatabaseError) and not isinstance(exc, sqlite3.OperationalError):
            with contextlib.suppress(OSError):
                self._path.unlink()
        self._connection = _connect(":memory:")


def _connect(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=10, isolation_level=None)
    try:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")  # a lost cache costs one build
        connection.executescript(_SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


class _FactsUnpickler(pickle.Unpickler):
    """Makes nothing but the tuples and data classes of this library."""

    def find_class(self, module: str, name: str) -> object:
        if module.startswith(("ebg.repository.", "ebg.model")) and "." not in name:
            found = getattr(sys.modules.get(module), name, None)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no fact")


def _load(value: bytes, kind: type[_Facts]) -> _Facts | None:
    try:
        facts = _FactsUnpickler(io.BytesIO(value)).load()
    except (pickle.UnpicklingError, AttributeError, EOFError, IndexError, KeyError, TypeError, ValueError):
        return None
    return facts if isinstance(facts, kind) else None
