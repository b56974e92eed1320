"""Every bundled example: gold made into a prediction is perfect, the empty prediction scores as specified."""

from __future__ import annotations

from typing import Any

import pytest

import subsets
from agentmonbench.examples import (
    SUBSETS,
    Example,
    FeedbackTraceGold,
    FeedbackTracePrediction,
    Gold,
    SilentSwapPrediction,
    SpecGapGold,
    SpecGapPrediction,
)
from agentmonbench.metrics import gold_prediction, metrics_of, score
from judges import question_about

SAMPLES = [(name, example_id) for name in SUBSETS for example_id in subsets.load(name).ids]


def load(name: str, example_id: str) -> tuple[Example, Gold]:
    subset = subsets.load(name)
    return subset.example(example_id), subset.gold(example_id)


@pytest.mark.parametrize(("name", "example_id"), SAMPLES)
def test_gold_as_a_prediction_is_perfect_in_every_rule_metric(name: str, example_id: str) -> None:
    example, gold = load(name, example_id)
    scores = score(example, gold, gold_prediction(gold))
    assert dict(scores.values) == {metric.name: 1.0 for metric in metrics_of(example.subset, source="rule")}


@pytest.mark.parametrize(("name", "example_id"), SAMPLES)
def test_gold_as_a_prediction_is_perfect_for_a_judge_that_agrees(name: str, example_id: str) -> None:
    example, gold = load(name, example_id)
    verdict = question_about(example, gold, gold_prediction(gold)).evaluate(full_agreement(gold))
    assert dict(verdict.values) == {metric.name: 1.0 for metric in metrics_of(example.subset, source="judge")}


@pytest.mark.parametrize(("name", "example_id"), SAMPLES)
def test_the_empty_prediction_scores_nothing(name: str, example_id: str) -> None:
    example, gold = load(name, example_id)
    prediction = {
        "specgap": SpecGapPrediction(findings=()),
        "silentswap": SilentSwapPrediction(swaps=()),
        # A session needs an answer: the emptiest is a point about an event that is not there.
        "feedbacktrace": FeedbackTracePrediction(
            verification_point="Nothing.", supporting_evidence_ids=("none",), criticality="worth_disclose"
        ),
    }[name]
    values = dict(score(example, gold, prediction).values)
    values.pop("criticality", None)
    assert set(values.values()) == {0.0}


def full_agreement(gold: Gold) -> dict[str, Any]:
    """Return the answer of a judge that finds everything right."""
    if isinstance(gold, SpecGapGold):
        return {
            "matches": [
                {"finding_id": f"F{n:03d}", "condition_id": each.condition_id, "match_score": 1, "question_score": 1}
                for n, each in enumerate(gold.conditions, start=1)
            ],
            "unmatched_findings": [],
        }
    if isinstance(gold, FeedbackTraceGold):
        return {"verification_point_relation": "equivalent", "evidence_case_evaluation": {}}
    location = ("file_correct", "symbol_kind_correct", "qualified_name_correct", "line_range_acceptable")
    change = (
        "concrete_operation_correct",
        "all_changed_operations_covered",
        "original_logic_correct",
        "swapped_logic_correct",
        "direction_correct",
        "no_material_contradiction",
    )
    return {
        key: [
            {"reference_swap_number": n, "matched_candidate_swap_number": n, **dict.fromkeys(names, True)}
            for n in range(1, 6)
        ]
        for key, names in (("location_checks", location), ("code_change_checks", change))
    }
