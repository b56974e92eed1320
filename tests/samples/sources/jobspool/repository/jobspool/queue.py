"""The queue: what producers and workers may do with jobs."""

import json
import sqlite3
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from jobspool.backoff import Backoff
from jobspool.errors import JobError, LeaseLost
from jobspool.job import DEAD, DONE, RUNNING, STATES, WAITING, Job
from jobspool.store import Store

PAYLOAD_LIMIT = 64 * 1024
_FIELDS = "id, kind, payload, state, priority, due_at, attempts, max_attempts, lease, error"


class Queue:
    """Jobs in a file that several processes may open.

    Args:
        path: The SQLite file; it is made if it is not there.
        lease_s: How long a worker may be silent about a job.
        max_attempts: Attempts of jobs that say nothing else.
        backoff: Waits between attempts.
        now: The clock, in seconds since the epoch.
    """

    def __init__(
        self,
        path: Path,
        *,
        lease_s: float = 60.0,
        max_attempts: int = 5,
        backoff: Backoff | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._store = Store(path)
        self._lease_s = lease_s
        self._max_attempts = max_attempts
        self._backoff = backoff or Backoff()
        self._now = now

    def put(
        self,
        kind: str,
        payload: Any = None,
        *,
        priority: int = 0,
        delay_s: float = 0.0,
        dedupe_key: str | None = None,
        max_attempts: int | None = None,
    ) -> int:
        """Add a job and return its id."""
        try:
            text = json.dumps(payload, ensure_ascii=False)
        except (TypeError, ValueError) as exc:
            raise JobError(f"the payload of {kind!r} can not be written as JSON: {exc}") from exc
        if len(text.encode()) > PAYLOAD_LIMIT:
            raise JobError(f"the payload of {kind!r} is larger than {PAYLOAD_LIMIT} bytes")
        attempts = self._max_attempts if max_attempts is None else max_attempts
        if attempts < 1:
            raise JobError(f"max_attempts is at least 1, not {attempts}")
        with self._store.transaction() as db:
            if dedupe_key is not None:
                query = "SELECT id FROM jobs WHERE dedupe_key = ? AND state IN (?, ?)"
                twin = db.execute(query, (dedupe_key, WAITING, RUNNING)).fetchone()
                if twin is not None:
                    return int(twin["id"])
            cursor = db.execute(
                "INSERT INTO jobs (kind, payload, priority, due_at, max_attempts, dedupe_key) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (kind, text, priority, self._now() + delay_s, attempts, dedupe_key),
            )
            return int(cursor.lastrowid or 0)

    def get(self, job_id: int) -> Job | None:
        """Return a job as it is now."""
        with self._store.transaction() as db:
            row = db.execute(f"SELECT {_FIELDS} FROM jobs WHERE id = ?", (job_id,)).fetchone()
        return None if row is None else _job(row)

    def claim(self, kinds: Sequence[str]) -> Job | None:
        """Take the next job of one of the given kinds, None if there is none."""
        now = self._now()
        marks = ", ".join("?" * len(kinds))
        with self._store.transaction() as db:
            self._expire(db, now)
            row = db.execute(
                f"SELECT id FROM jobs WHERE state = ? AND due_at <= ? AND kind IN ({marks}) "
                "ORDER BY priority DESC, due_at, id LIMIT 1",
                (WAITING, now, *kinds),
            ).fetchone()
            if row is None:
                return None
            db.execute(
                "UPDATE jobs SET state = ?, attempts = attempts + 1, lease = ?, lease_until = ? WHERE id = ?",
                (RUNNING, uuid.uuid4().hex, now + self._lease_s, row["id"]),
            )
            return _job(db.execute(f"SELECT {_FIELDS} FROM jobs WHERE id = ?", (row["id"],)).fetchone())

    def extend(self, job: Job) -> None:
        """Prolong the lease of a job that takes longer."""
        self._change(job, "lease_until = ?", self._now() + self._lease_s)

    def complete(self, job: Job) -> None:
        """Mark a claimed job as done."""
        self._change(job, "state = ?, lease = NULL, finished_at = ?, error = NULL", DONE, self._now())

    def fail(self, job: Job, error: str, *, after_s: float | None = None, permanent: bool = False) -> None:
        """Give a claimed job back after a failure; it waits for its next attempt or is dead."""
        if permanent or job.attempts >= job.max_attempts:
            self._change(job, "state = ?, lease = NULL, finished_at = ?, error = ?", DEAD, self._now(), error)
            return
        wait_s = self._backoff.delay(job.attempts) if after_s is None else after_s
        self._change(job, "state = ?, lease = NULL, due_at = ?, error = ?", WAITING, self._now() + wait_s, error)

    def release(self, job: Job) -> None:
        """Give a claimed job back as if it had never been claimed."""
        self._change(job, "state = ?, lease = NULL, attempts = attempts - 1", WAITING)

    def revive(self, job_id: int) -> bool:
        """Send a dead job back to the queue with all its attempts; False if it is not dead."""
        with self._store.transaction() as db:
            query = "UPDATE jobs SET state = ?, attempts = 0, due_at = ?, error = NULL WHERE id = ? AND state = ?"
            return db.execute(query, (WAITING, self._now(), job_id, DEAD)).rowcount == 1

    def purge(self, older_than_s: float) -> int:
        """Remove jobs that were done that long ago and return how many there were."""
        with self._store.transaction() as db:
            query = "DELETE FROM jobs WHERE state = ? AND finished_at <= ?"
            return db.execute(query, (DONE, self._now() - older_than_s)).rowcount

    def counts(self) -> dict[str, int]:
        """Return the number of jobs in every state."""
        with self._store.transaction() as db:
            rows = db.execute("SELECT state, COUNT(*) AS number FROM jobs GROUP BY state").fetchall()
        return dict.fromkeys(STATES, 0) | {row["state"]: row["number"] for row in rows}

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _change(self, job: Job, assignments: str, *values: object) -> None:
        with self._store.transaction() as db:
            query = f"UPDATE jobs SET {assignments} WHERE id = ? AND lease = ?"
            if db.execute(query, (*values, job.id, job.lease)).rowcount != 1:
                raise LeaseLost(f"job {job.id} is no longer leased to this worker")

    def _expire(self, db: sqlite3.Connection, now: float) -> None:
        db.execute(
            "UPDATE jobs SET state = CASE WHEN attempts >= max_attempts THEN ? ELSE ? END, lease = NULL, "
            "finished_at = CASE WHEN attempts >= max_attempts THEN ? END, error = 'lease expired' "
            "WHERE state = ? AND lease_until <= ?",
            (DEAD, WAITING, now, RUNNING, now),
        )


def _job(row: sqlite3.Row) -> Job:
    return Job(**{**dict(row), "payload": json.loads(row["payload"])})
