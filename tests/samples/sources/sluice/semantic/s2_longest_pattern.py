"""Among the patterns that match, the longest one wins, wherever it stands in the file."""

from pathlib import Path

from sluice import load_policy, parse_rates


def test_the_longest_pattern_wins_when_it_stands_last():
    policy = load_policy(Path(__file__).parent.parent / "config" / "limits.toml")
    assert policy.rates_for("login:service:billing") == parse_rates("30/min")
