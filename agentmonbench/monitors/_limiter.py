"""How many requests may be in flight to one provider: additive increase, multiplicative decrease.

The limit doubles from round to round until the provider first says that it is too much. That halves it, and from then
on it grows by one a round, a round being as many successes as it allows. A `Retry-After` holds back all that is new
until it has passed, so that waiting requests do not run into the same refusal one by one. (Chiu and Jain, "Analysis of
the increase and decrease algorithms for congestion avoidance in computer networks", 1989.)
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["AdaptiveLimiter"]

_START = 20


class AdaptiveLimiter:
    """Hands out slots for requests, first come first served; one for each provider and event loop."""

    def __init__(self, max_connections: int) -> None:
        self.limit = min(_START, max_connections)
        """Requests that may be in flight now."""
        self.in_flight = 0
        self._max = max_connections
        self._probing = True
        self._good = 0
        self._closed_until = 0.0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._held_back = 0

    @property
    def waiting(self) -> int:
        """Requests without a slot, and those that the provider asked to come later."""
        return len(self._queue) + self._held_back

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot, hold it, and give it back."""
        await self._enter()
        try:
            await self._hold_back()
            yield
        finally:
            self.in_flight -= 1
            self._admit()

    def succeeded(self) -> None:
        """Note a success, which may raise the limit."""
        self._good += 1
        if self._probing or self._good >= self.limit:
            self._good = 0
            self.limit = min(self.limit + 1, self._max)

    def refused(self, retry_after_s: float | None = None) -> None:
        """Note that the provider had too much: halve the limit, and hold new requests back for `retry_after_s`."""
        self._probing = False
        self._good = 0
        self.limit = max(1, self.limit // 2)
        if retry_after_s:
            self._closed_until = max(self._closed_until, asyncio.get_running_loop().time() + retry_after_s)

    async def _enter(self) -> None:
        ticket = asyncio.get_running_loop().create_future()
        self._queue.append(ticket)
        self._admit()
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.cancelled():
                self._queue.remove(ticket)
            else:  # the slot came in the same moment: a cancelled request must not keep it
                self.in_flight -= 1
                self._admit()
            raise

    def _admit(self) -> None:
        while self._queue and self.in_flight < self.limit:
            ticket = self._queue.popleft()
            if not ticket.done():
                self.in_flight += 1
                ticket.set_result(None)

    async def _hold_back(self) -> None:
        self._held_back += 1
        try:
            while (pause := self._closed_until - asyncio.get_running_loop().time()) > 0:
                await asyncio.sleep(pause)
        finally:
            self._held_back -= 1
