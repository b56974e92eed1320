"""Answers that were paid for, by the content of their request: nothing is asked twice.

The key is a hash over everything that can change an answer: model, endpoint, messages, options, repeat. Keys of
providers are no part of it. Errors, refusals and empty answers are not kept.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agentmonbench.errors import UsageError
from agentmonbench.monitors._protocol import Reply, Usage

__all__ = ["ASKED_AGAIN", "AnswerCache", "asked_again", "request_key"]

_VERSION = 1
_KEPT_REASONS = {None, "stop", "length", "end_turn", "eos"}

ASKED_AGAIN: ContextVar[bool] = ContextVar("asked_again", default=False)
"""Whether kept answers are passed over because they led nowhere."""


@contextmanager
def asked_again(again: bool) -> Iterator[None]:
    """Have every request within the block sent, if `again`, and its answer kept in place of the old one."""
    token = ASKED_AGAIN.set(again)
    try:
        yield
    finally:
        ASKED_AGAIN.reset(token)


def request_key(request: Mapping[str, Any]) -> str:
    """Return the hash of a request's canonical JSON."""
    canonical = json.dumps([_VERSION, request], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


class AnswerCache:
    """A SQLite file of answers. Several processes may share one.

    Raises:
        UsageError: when the file is something else.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._database = sqlite3.connect(path, timeout=30.0, isolation_level=None)
            # A killed process loses nothing with a write-ahead log.
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        except sqlite3.Error as error:
            raise UsageError(f"{path}: not a cache of answers: {error}") from error

    def get(self, key: str) -> Reply | None:
        """Return the kept answer, marked as cached, or None."""
        row = self._database.execute("SELECT reply FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            values = json.loads(row[0])
            usage = Usage(**values.pop("usage"))
            return Reply(**{**values, "usage": usage, "cached": True, "latency_s": 0.0, "retries": 0})
        except (ValueError, TypeError, KeyError):
            return None  # written by another version: asked again and overwritten

    def put(self, key: str, reply: Reply) -> None:
        """Keep an answer, unless it is one that should be asked for again."""
        if not reply.text.strip() or reply.finish_reason not in _KEPT_REASONS:
            return
        text = json.dumps(asdict(reply), ensure_ascii=True, sort_keys=True)
        self._database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, text))

    def close(self) -> None:
        """Close the file."""
        self._database.close()
