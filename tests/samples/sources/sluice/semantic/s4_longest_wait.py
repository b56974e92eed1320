"""With several rates `retry_after_s` is the longest of their waiting times."""

from sluice import Limiter, ManualClock, Policy, parse_rates


def test_the_slowest_rate_decides_when_to_come_back():
    limiter = Limiter(Policy({}, parse_rates("1/s, 1/min")), clock=ManualClock())
    limiter.check("k")
    assert limiter.check("k").retry_after_s == 60.0
