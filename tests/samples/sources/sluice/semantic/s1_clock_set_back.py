"""If the clock is set back, no time has passed until it has gone beyond the latest reading."""

from sluice import ManualClock
from sluice.bucket import TokenBucket
from sluice.rate import parse_rate


def test_time_before_the_latest_reading_gives_no_tokens():
    clock = ManualClock(100.0)
    bucket = TokenBucket(parse_rate("1/s burst 10"), clock)
    bucket.take(10)
    clock.advance(-5.0)
    assert bucket.available == 0
    clock.advance(5.0)
    assert bucket.available == 0, "the five seconds were counted although the bucket had already seen reading 100"
