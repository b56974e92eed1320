"""A boolean is never accepted as a number."""

import pytest
from strata import SettingError, from_env, load


def test_a_port_is_not_a_boolean():
    config = load([from_env("ORDERS", {"ORDERS__PORT": "on"})])
    with pytest.raises(SettingError):
        config.require("port", int)
