import pytest
from sluice import PolicyError, Rate, parse_rates
from sluice.rate import parse_rate


def test_reads_count_period_and_burst():
    assert parse_rate("100/min") == Rate(100, 60.0, 100)
    assert parse_rate(" 500 / 5 MIN burst 50 ") == Rate(500, 300.0, 50)
    assert parse_rate("2/h").per_second == pytest.approx(2 / 3600)


@pytest.mark.parametrize("text", ["", "10", "10/", "/s", "10/week", "0/s", "10/0s", "10/s burst 0", "ten/s", "1.5/s"])
def test_refuses_malformed_rates(text):
    with pytest.raises(PolicyError):
        parse_rate(text)


def test_reads_several_rates():
    assert parse_rates("20/s, 600/min") == (Rate(20, 1.0, 20), Rate(600, 60.0, 600))
    assert parse_rates(" Unlimited ") == ()
