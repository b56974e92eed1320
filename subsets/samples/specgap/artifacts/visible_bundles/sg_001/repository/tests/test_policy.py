from pathlib import Path

import pytest
from sluice import PolicyError, UnknownKeyError, load_policy, parse_rates

LIMITS = Path(__file__).parent.parent / "config" / "limits.toml"


def write(tmp_path, text):
    path = tmp_path / "limits.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_policy_loads():
    policy = load_policy(LIMITS)
    assert policy.rates_for("api:anyone") == parse_rates("20/s, 600/min")
    assert policy.rates_for("something else") == parse_rates("60/min")


def test_an_exact_name_comes_before_patterns(tmp_path):
    policy = load_policy(write(tmp_path, '[rules]\n"export:*" = "9/s"\n"export:weekly" = "2/h"\n'))
    assert policy.rates_for("export:weekly") == parse_rates("2/h")
    assert policy.rates_for("export:daily") == parse_rates("9/s")


def test_longer_patterns_win(tmp_path):
    policy = load_policy(write(tmp_path, '[rules]\n"api:internal:*" = "9/s"\n"api:*" = "1/s"\n'))
    assert policy.rates_for("api:internal:7") == parse_rates("9/s")
    assert policy.rates_for("api:7") == parse_rates("1/s")


def test_a_key_without_rule_is_an_error_when_there_is_no_default(tmp_path):
    policy = load_policy(write(tmp_path, '[rules]\n"a" = "1/s"\n'))
    with pytest.raises(UnknownKeyError, match="'b'"):
        policy.rates_for("b")


def test_all_problems_are_named_at_once(tmp_path):
    path = write(tmp_path, 'default = "x"\nspeed = 3\n[rules]\n"a" = "1/week"\n"b*c" = "1/s"\n')
    with pytest.raises(PolicyError) as caught:
        load_policy(path)
    for part in ("speed", "rule 'a'", "rule 'b*c'", "default"):
        assert part in str(caught.value)


def test_a_file_that_is_not_toml_is_named(tmp_path):
    with pytest.raises(PolicyError, match=r"limits\.toml"):
        load_policy(write(tmp_path, "rules ="))
