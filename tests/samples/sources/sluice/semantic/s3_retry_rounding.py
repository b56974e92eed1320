"""`retry_after_s` is rounded up to whole milliseconds, so a caller who sleeps that long is not refused again."""

from sluice import Limiter, ManualClock, Policy, parse_rates


def test_sleeping_for_retry_after_is_enough():
    clock = ManualClock()
    limiter = Limiter(Policy({}, parse_rates("3/s burst 1")), clock=clock)
    limiter.check("k")
    decision = limiter.check("k")
    clock.advance(decision.retry_after_s)
    assert limiter.check("k").allowed, f"refused again after {decision.retry_after_s} s"
