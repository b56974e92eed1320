"""The samples through the public door: no check complains, and the perfect answer gets the full score."""

from __future__ import annotations

import pytest
from construction._samples import SAMPLES

import subsets
from agentmonbench.metrics import gold_prediction, score

RULE_METRICS = {"specgap": ("LF1",), "silentswap": ("LS",), "feedbacktrace": ("EHR",)}


def test_the_release_check_finds_nothing():
    assert subsets.check(SAMPLES) == []


@pytest.mark.parametrize("name", ["specgap", "silentswap", "feedbacktrace"])
def test_the_perfect_answer_scores_one(name):
    subset = subsets.load(name, source="sample")
    assert len(subset) == 4
    for example in subset:
        gold = subset.gold(example.id)
        values = score(example, gold, gold_prediction(gold)).values
        assert {metric: values[metric] for metric in RULE_METRICS[name]} == dict.fromkeys(RULE_METRICS[name], 1.0)
