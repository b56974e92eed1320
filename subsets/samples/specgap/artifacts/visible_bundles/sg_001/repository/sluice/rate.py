"""Rate strings: how a limit is written down."""

import re
from dataclasses import dataclass

from sluice.errors import PolicyError

UNIT_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
UNLIMITED = "unlimited"

_RATE = re.compile(r"(?P<count>\d+)\s*/\s*(?P<times>\d*)\s*(?P<unit>[a-z]+)(?:\s+burst\s+(?P<burst>\d+))?")


@dataclass(frozen=True, slots=True)
class Rate:
    """A steady flow of tokens and the reserve that may be saved up."""

    count: int
    period_s: float
    burst: int

    @property
    def per_second(self) -> float:
        """Tokens that flow in each second."""
        return self.count / self.period_s


def parse_rate(text: str) -> Rate:
    """Read one rate, for example ``100/5min burst 20``."""
    match = _RATE.fullmatch(text.strip().lower())
    if match is None:
        raise PolicyError(f"not a rate: {text!r}; write for example '100/min burst 20'")
    unit = match["unit"]
    if unit not in UNIT_SECONDS:
        raise PolicyError(f"unknown unit {unit!r} in {text!r}; known: {', '.join(UNIT_SECONDS)}")
    count = int(match["count"])
    times = int(match["times"]) if match["times"] else 1
    burst = int(match["burst"]) if match["burst"] else count
    if count == 0 or times == 0 or burst == 0:
        raise PolicyError(f"a rate has no zeros: {text!r}")
    return Rate(count=count, period_s=times * UNIT_SECONDS[unit], burst=burst)


def parse_rates(text: str) -> tuple[Rate, ...]:
    """Read a comma-separated list of rates; the word for no limit gives an empty tuple."""
    if text.strip().lower() == UNLIMITED:
        return ()
    return tuple(parse_rate(part) for part in text.split(","))
