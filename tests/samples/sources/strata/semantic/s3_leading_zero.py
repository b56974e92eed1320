"""Digits with a leading zero stay text."""

from strata import from_env


def test_a_postal_code_stays_text():
    assert from_env("SHOP", {"SHOP__ADDRESS__ZIP": "01067"}).data == {"address": {"zip": "01067"}}
