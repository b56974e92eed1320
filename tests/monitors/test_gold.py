"""The monitor that knows the answer: the ceiling of each method over the bundled samples."""

from __future__ import annotations

import asyncio

import pytest

import subsets
from agentmonbench import methods
from agentmonbench.examples import SUBSETS, Example, Prediction, SilentSwapPrediction, SubsetName
from agentmonbench.loop import run_example
from agentmonbench.metrics import gold_prediction, score
from agentmonbench.monitors import MONITORS, GoldMonitor

MAIN_METRIC = {"specgap": "LF1", "silentswap": "LS", "feedbacktrace": "EHR"}


@pytest.mark.parametrize("subset", SUBSETS)
def test_gold_scores_one_with_the_plain_method(subset: SubsetName) -> None:
    data = subsets.load(subset, source="sample")
    for example in data:
        gold = data.gold(example.id)
        record = asyncio.run(run_example(example, methods.get("base"), GoldMonitor(gold_prediction(gold))))
        assert record.failure is None
        assert record.prediction is not None
        assert score(example, gold, record.prediction).values[MAIN_METRIC[subset]] == 1.0


def swap_of_line(line: int) -> dict[str, object]:
    return {
        "target": {
            "file": "store.py",
            "symbol": {"kind": "module", "qualified_name": []},
            "line_ranges": [{"start": line, "end": line}],
        },
        "swap_type": "parsing_matching",
        "code_change": "c",
        "trigger_condition": "t",
        "behavioral_effect": {"before": "b", "after": "a"},
    }


def test_what_a_method_never_shows_is_left_out_after_the_correction(swap_example: Example) -> None:
    # Line 1 is the module's docstring: no definition holds it, so RepoGraph does not show it.
    prediction: Prediction = SilentSwapPrediction.model_validate({"swaps": [swap_of_line(1), swap_of_line(5)]})
    record = asyncio.run(
        run_example(swap_example, methods.get("repograph"), GoldMonitor(prediction), second_stage="none")
    )
    assert isinstance(record.prediction, SilentSwapPrediction)
    assert [swap.target.line_ranges[0].start for swap in record.prediction.swaps] == [5]
    assert record.totals.repairs == 1


def test_no_name_leads_to_it() -> None:
    assert "gold" not in MONITORS
