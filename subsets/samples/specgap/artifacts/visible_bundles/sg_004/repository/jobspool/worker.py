"""Workers: they take jobs and call handlers."""

import logging
from collections.abc import Callable
from typing import Any

from jobspool.errors import LeaseLost, Permanent, Retry
from jobspool.job import Job
from jobspool.queue import Queue

Handler = Callable[[Any], object]
log = logging.getLogger(__name__)


class Worker:
    """Runs the jobs of one queue, one after the other."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._handlers: dict[str, Handler] = {}

    def handles(self, kind: str) -> Callable[[Handler], Handler]:
        """Register the decorated function as the handler of a kind."""
        if kind in self._handlers:
            raise ValueError(f"two handlers for {kind!r}")

        def register(handler: Handler) -> Handler:
            self._handlers[kind] = handler
            return handler

        return register

    def run(self, limit: int | None = None) -> int:
        """Work until nothing is due, or for `limit` jobs, and return how many were taken."""
        taken = 0
        while limit is None or taken < limit:
            job = self._queue.claim(sorted(self._handlers))
            if job is None:
                break
            taken += 1
            try:
                self._run_one(job)
            except LeaseLost as exc:
                log.warning("%s; its result is dropped", exc)
        return taken

    def _run_one(self, job: Job) -> None:
        try:
            self._handlers[job.kind](job.payload)
        except Permanent as exc:
            self._queue.fail(job, str(exc), permanent=True)
        except Retry as exc:
            self._queue.fail(job, str(exc), after_s=exc.after_s)
        except Exception as exc:  # noqa: BLE001 - handlers may raise anything
            self._queue.fail(job, f"{type(exc).__name__}: {exc}")
        except BaseException:
            self._queue.release(job)
            raise
        else:
            self._queue.complete(job)
