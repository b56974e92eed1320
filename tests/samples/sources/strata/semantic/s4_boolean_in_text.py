"""Booleans inside a longer text are written as `true` and `false`."""

from strata import Layer, load


def test_a_boolean_is_written_in_lower_case():
    config = load([Layer("file", {"debug": False, "arguments": "--debug=${debug}"})])
    assert config.get("arguments") == "--debug=false"
