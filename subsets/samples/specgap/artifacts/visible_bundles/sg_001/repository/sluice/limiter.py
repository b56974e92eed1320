"""The limiter: decides about requests, keeps the buckets of the keys it has seen."""

import math
from collections import OrderedDict
from dataclasses import dataclass

from sluice.bucket import TokenBucket
from sluice.clock import Clock, SystemClock
from sluice.errors import CostError, LimitTimeout
from sluice.policy import Policy, normalize_key


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to one request."""

    allowed: bool
    remaining: int | None
    retry_after_s: float = 0.0


@dataclass(slots=True)
class _KeyState:
    buckets: tuple[TokenBucket, ...]
    strikes: int = 0
    blocked_until: float = -math.inf


class Limiter:
    """Applies a policy to keys.

    Args:
        policy: The rules.
        clock: Where time comes from.
        max_keys: How many keys are remembered.
        strikes: Refusals in a row after which a key is blocked.
        penalty_s: Length of a block in seconds.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        clock: Clock | None = None,
        max_keys: int = 10_000,
        strikes: int = 5,
        penalty_s: float = 30.0,
    ) -> None:
        self._policy = policy
        self._clock = clock or SystemClock()
        self._max_keys = max_keys
        self._strikes = strikes
        self._penalty_s = penalty_s
        self._states: OrderedDict[str, _KeyState] = OrderedDict()

    def __len__(self) -> int:
        return len(self._states)

    def check(self, key: str, cost: int = 1) -> Decision:
        """Decide about one request and take its tokens if it is allowed.

        Raises:
            CostError: If the cost can not be served by the key's rule at any time.
            UnknownKeyError: If no rule governs the key.
        """
        state = self._state(normalize_key(key))
        if cost < 1:
            raise CostError(f"a cost is at least 1, not {cost}")
        ceiling = min((bucket.rate.burst for bucket in state.buckets), default=cost)
        if cost > ceiling:
            raise CostError(f"cost {cost} is above the burst of {ceiling}")
        now = self._clock.now()
        if now < state.blocked_until:
            return Decision(allowed=False, remaining=0, retry_after_s=_to_ms(state.blocked_until - now))
        waits = [bucket.wait_for(cost) for bucket in state.buckets]
        wait_s = max(waits, default=0.0)
        if wait_s > 0.0:
            return self._refuse(state, now, wait_s)
        for bucket in state.buckets:
            bucket.take(cost)
        state.strikes = 0
        return Decision(allowed=True, remaining=self._remaining(state))

    def wait(self, key: str, cost: int = 1, *, timeout_s: float = 10.0) -> Decision:
        """Sleep until the request is allowed.

        Raises:
            LimitTimeout: If that would take longer than `timeout_s`.
        """
        deadline = self._clock.now() + timeout_s
        while True:
            decision = self.check(key, cost)
            if decision.allowed:
                return decision
            if self._clock.now() + decision.retry_after_s > deadline:
                raise LimitTimeout(f"{key!r} needs {decision.retry_after_s} s more, the timeout is {timeout_s} s")
            self._clock.sleep(decision.retry_after_s)

    def reset(self, key: str) -> None:
        """Forget what is known about a key."""
        self._states.pop(normalize_key(key), None)

    def sweep(self) -> int:
        """Forget the keys that have nothing to remember and return how many there were."""
        now = self._clock.now()
        known = len(self._states)
        for key, state in list(self._states.items()):
            if now >= state.blocked_until and all(bucket.is_full for bucket in state.buckets):
                del self._states[key]
        return known - len(self._states)

    def _state(self, key: str) -> _KeyState:
        state = self._states.get(key)
        if state is None:
            rates = self._policy.rates_for(key)
            state = _KeyState(tuple(TokenBucket(rate, self._clock) for rate in rates))
            self._states[key] = state
            if len(self._states) > self._max_keys:
                self._states.popitem(last=False)
        else:
            self._states.move_to_end(key)
        return state

    def _refuse(self, state: _KeyState, now: float, wait_s: float) -> Decision:
        state.strikes += 1
        if state.strikes >= self._strikes:
            state.strikes = 0
            state.blocked_until = now + self._penalty_s
            wait_s = max(wait_s, self._penalty_s)
        return Decision(allowed=False, remaining=self._remaining(state), retry_after_s=_to_ms(wait_s))

    def _remaining(self, state: _KeyState) -> int | None:
        return min((bucket.available for bucket in state.buckets), default=None)


def _to_ms(seconds: float) -> float:
    return math.ceil(round(seconds * 1000, 6)) / 1000
