"""Rate limits for request handlers: token buckets, one set for each key."""

from sluice.clock import ManualClock, SystemClock
from sluice.errors import CostError, LimitTimeout, PolicyError, SluiceError, UnknownKeyError
from sluice.limiter import Decision, Limiter
from sluice.policy import Policy, load_policy
from sluice.rate import Rate, parse_rates

__all__ = [
    "CostError",
    "Decision",
    "LimitTimeout",
    "Limiter",
    "ManualClock",
    "Policy",
    "PolicyError",
    "Rate",
    "SluiceError",
    "SystemClock",
    "UnknownKeyError",
    "load_policy",
    "parse_rates",
]
