"""One protocol for virtual and wall time. All times are float seconds since the session's clock started.

A world never asks the machine for the time: it asks its clock. Speed is not the clock's business: a scenario is scaled
once (`Scenario.scaled`), as the original does, so both clocks count plain seconds of the session.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

__all__ = ["Clock", "VirtualClock", "WallClock"]


class Clock(Protocol):
    """What a session needs of time."""

    virtual: bool
    """True when waiting costs nothing and a declared cost moves time."""

    def start(self) -> None:
        """Let time run from 0; later calls change nothing."""
        ...

    def now(self) -> float:
        """Return the seconds since the start; 0.0 before it."""
        ...

    def spend(self, seconds: float) -> None:
        """Charge the declared cost of a call. Wall clocks ignore it: the call has taken its own time."""
        ...

    def wait_until(self, moment: float) -> None:
        """Return when `now() >= moment`; at once when that is past."""
        ...


class VirtualClock:
    """Time that moves only when told: same calls, same times."""

    virtual = True

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    def start(self) -> None:
        """Do nothing: virtual time has no pace of its own."""

    def now(self) -> float:
        """Return the present moment."""
        return self._now

    def spend(self, seconds: float) -> None:
        """Move on by a call's declared cost."""
        if seconds < 0:
            raise ValueError(f"a cost is not negative: {seconds!r}")
        self._now += seconds

    def wait_until(self, moment: float) -> None:
        """Jump there."""
        self._now = max(self._now, moment)

    def set(self, moment: float) -> None:
        """Set the time, backwards too: the original's `/advance` allows it (specification part 2.1)."""
        self._now = moment


class WallClock:
    """Real time, for browsers and outside agents.

    Args:
        monotonic: a clock that never goes back; tests give their own.
        sleep: what waiting calls.
    """

    virtual = False

    def __init__(
        self, *, monotonic: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._started: float | None = None

    def start(self) -> None:
        """Let time run."""
        if self._started is None:
            self._started = self._monotonic()

    def now(self) -> float:
        """Return the seconds since `start`."""
        return 0.0 if self._started is None else self._monotonic() - self._started

    def spend(self, seconds: float) -> None:
        """Do nothing: real calls take real time."""

    def wait_until(self, moment: float) -> None:
        """Sleep until then."""
        self.start()
        while (left := moment - self.now()) > 0:
            self._sleep(left)
