"""Jobs and their states."""

from dataclasses import dataclass
from typing import Any

WAITING = "waiting"
RUNNING = "running"
DONE = "done"
DEAD = "dead"
STATES = (WAITING, RUNNING, DONE, DEAD)


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work as it was when it was read."""

    id: int
    kind: str
    payload: Any
    state: str
    priority: int
    due_at: float
    attempts: int
    max_attempts: int
    lease: str | None
    error: str | None
