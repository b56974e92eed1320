"""Time as an argument: production code passes `SystemClock`, tests pass `ManualClock`."""

import time
from typing import Protocol


class Clock(Protocol):
    """A source of seconds that can also sleep."""

    def now(self) -> float:
        """Return the current reading in seconds; only differences mean something."""

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""


class SystemClock:
    """The clock of the running process."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class ManualClock:
    """A clock that moves only when it is told to."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self.slept: list[float] = []

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the reading; a negative value models a clock that was set back."""
        self._now += seconds

    def sleep(self, seconds: float) -> None:
        """Record the request and advance at once."""
        self.slept.append(seconds)
        self.advance(seconds)
