"""A cost above the smallest burst of the rule raises CostError instead of a refusal."""

import pytest
from sluice import CostError, Limiter, ManualClock, Policy, parse_rates


def test_a_cost_above_one_burst_of_the_rule_is_an_error():
    limiter = Limiter(Policy({}, parse_rates("5/s, 100/min")), clock=ManualClock())
    with pytest.raises(CostError):
        limiter.check("k", cost=6)
