"""After `null` in a later layer the setting is missing, as if nobody had ever set it."""

from strata import Layer, load


def test_null_makes_room_for_the_default():
    config = load([Layer("file", {"pool_size": 5}), Layer("environment", {"pool_size": None})])
    assert config.get("pool_size", "default") == "default"
