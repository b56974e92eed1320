"""One token bucket."""

import math

from sluice.clock import Clock
from sluice.rate import Rate

_TOLERANCE = 1e-9
"""Tokens that rounding of floats may lose without a caller having to wait for them."""


class TokenBucket:
    """Tokens that flow in at a rate and are taken out by requests."""

    def __init__(self, rate: Rate, clock: Clock) -> None:
        self.rate = rate
        self._clock = clock
        self._tokens = float(rate.burst)
        self._updated = clock.now()

    @property
    def available(self) -> int:
        """Whole tokens that could be taken now."""
        self._refill()
        return math.floor(self._tokens + _TOLERANCE)

    @property
    def is_full(self) -> bool:
        """Whether nothing has been taken that has not flowed back."""
        self._refill()
        return self._tokens >= self.rate.burst

    def wait_for(self, cost: int) -> float:
        """Return the seconds until `cost` tokens are there, 0.0 if they are there now."""
        self._refill()
        missing = cost - self._tokens
        if missing <= _TOLERANCE:
            return 0.0
        return missing / self.rate.per_second

    def take(self, cost: int) -> None:
        """Remove `cost` tokens; the caller has made sure that they are there."""
        self._tokens = max(0.0, self._tokens - cost)

    def _refill(self) -> None:
        now = self._clock.now()
        if now <= self._updated:
            return
        gained = (now - self._updated) * self.rate.per_second
        self._tokens = min(float(self.rate.burst), self._tokens + gained)
        self._updated = now
