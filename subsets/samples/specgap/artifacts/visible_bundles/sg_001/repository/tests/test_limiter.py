import pytest
from sluice import CostError, Limiter, LimitTimeout, ManualClock, Policy, SystemClock, parse_rates


def limiter(rates, **options):
    clock = ManualClock(100.0)
    return Limiter(Policy({}, parse_rates(rates)), clock=clock, **options), clock


def drain(subject, key, times):
    return [subject.check(key).allowed for _ in range(times)]


def test_a_new_key_starts_full_and_then_refills():
    subject, clock = limiter("2/s burst 3")
    assert drain(subject, "k", 4) == [True, True, True, False]
    clock.advance(0.5)
    assert drain(subject, "k", 2) == [True, False]


def test_tokens_never_exceed_the_burst():
    subject, clock = limiter("2/s burst 3")
    subject.check("k")
    clock.advance(3600)
    assert subject.check("k").remaining == 2


def test_a_clock_that_was_set_back_gives_nothing():
    subject, clock = limiter("1/s burst 2")
    drain(subject, "k", 2)
    clock.advance(-50)
    assert not subject.check("k").allowed


def test_keys_do_not_share_buckets():
    subject, _ = limiter("1/min")
    assert subject.check("a").allowed
    assert subject.check("b").allowed
    assert not subject.check(" A ").allowed


def test_a_refusal_takes_nothing_from_any_rate():
    subject, clock = limiter("1/s, 5/min")
    assert drain(subject, "k", 3) == [True, False, False]
    clock.advance(1)
    assert subject.check("k").remaining == 0
    clock.advance(1)
    assert subject.check("k").allowed


def test_the_answer_tells_when_to_come_back():
    subject, clock = limiter("4/s burst 1")
    subject.check("k")
    decision = subject.check("k")
    assert decision.retry_after_s == 0.25
    clock.advance(decision.retry_after_s)
    assert subject.check("k").allowed


def test_unlimited_keys_are_always_allowed():
    subject, _ = limiter("unlimited")
    assert subject.check("k", cost=10**6).allowed
    assert subject.check("k").remaining is None


def test_costs_are_checked():
    subject, _ = limiter("5/s")
    assert subject.check("k", cost=5).allowed
    with pytest.raises(CostError, match="at least 1"):
        subject.check("k", cost=0)
    with pytest.raises(CostError, match="burst of 5"):
        subject.check("k", cost=6)


def test_refusals_in_a_row_block_the_key():
    subject, clock = limiter("1/s", strikes=2, penalty_s=30)
    assert drain(subject, "k", 3) == [True, False, False]
    clock.advance(29)
    assert subject.check("k").retry_after_s == 1.0
    clock.advance(1)
    assert subject.check("k").allowed


def test_an_allowed_request_clears_the_strikes():
    subject, clock = limiter("1/s", strikes=2, penalty_s=30)
    for _ in range(4):
        assert drain(subject, "k", 2) == [True, False]
        clock.advance(1)


def test_the_key_used_longest_ago_is_forgotten():
    subject, _ = limiter("1/h", max_keys=2)
    assert [subject.check(key).allowed for key in ("a", "b", "a", "c", "b")] == [True, True, False, True, True]
    assert len(subject) == 2


def test_sweep_keeps_keys_that_matter():
    subject, clock = limiter("1/s", strikes=1, penalty_s=30)
    drain(subject, "blocked", 2)
    subject.check("idle")
    clock.advance(1)
    subject.check("busy")
    assert subject.sweep() == 1
    assert len(subject) == 2
    subject.reset("busy")
    assert len(subject) == 1


def test_wait_sleeps_until_the_request_is_allowed():
    subject, clock = limiter("4/s burst 1")
    subject.check("k")
    assert subject.wait("k", timeout_s=1).allowed
    assert clock.slept == [0.25]


def test_wait_gives_up_without_sleeping():
    subject, clock = limiter("1/min")
    subject.check("k")
    with pytest.raises(LimitTimeout):
        subject.wait("k", timeout_s=59)
    assert clock.slept == []


def test_the_default_clock_runs():
    clock = SystemClock()
    before = clock.now()
    clock.sleep(0)
    assert clock.now() >= before
