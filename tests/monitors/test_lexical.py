"""The monitors without a model, through the loop and with every method."""

from __future__ import annotations

import asyncio

import pytest

from agentmonbench import methods, monitors
from agentmonbench.errors import UsageError
from agentmonbench.examples import Example, FeedbackTracePrediction, SilentSwapPrediction, SpecGapPrediction
from agentmonbench.loop import Record, run_example

REPOSITORY_METHODS = ("base", "repograph", "ebg")
SESSION_METHODS = ("base", "ebg")


def run(example: Example, method: str, monitor: str = "lexical", *, repeat: int = 0) -> Record:
    record = asyncio.run(run_example(example, methods.get(method), monitors.get(monitor), repeat=repeat))
    assert record.failure is None
    assert record.second_failure is None
    return record


@pytest.mark.parametrize("method", REPOSITORY_METHODS)
def test_lexical_finds_the_rule_that_the_document_leaves_out(gap_example: Example, method: str) -> None:
    prediction = run(gap_example, method).prediction
    assert isinstance(prediction, SpecGapPrediction)
    first = prediction.findings[0]
    # Lines 12 and 13 of store.py: `if not key:` and the KeyError.
    assert (first.code_evidence[0].path, first.code_evidence[0].symbol) == ("store.py", "Store.put")
    assert (first.code_evidence[0].start_line, first.code_evidence[0].end_line) == (12, 13)
    assert "KeyError" in first.claim


@pytest.mark.parametrize("method", REPOSITORY_METHODS)
def test_lexical_finds_the_number_that_contradicts_the_document(swap_example: Example, method: str) -> None:
    record = run(swap_example, method)
    for prediction in (record.prediction, record.second_prediction):
        assert isinstance(prediction, SilentSwapPrediction)
        target = prediction.swaps[0].target
        assert (target.symbol.kind, target.symbol.qualified_name) == ("method", ("Store", "__init__"))
        assert [(target.file, span.start, span.end) for span in target.line_ranges] == [("store.py", 5, 5)]


@pytest.mark.parametrize("method", SESSION_METHODS)
def test_lexical_finds_the_step_that_was_skipped(session_example: Example, method: str) -> None:
    prediction = run(session_example, method).prediction
    assert isinstance(prediction, FeedbackTracePrediction)
    assert "e_1_assistant_response_2" in prediction.supporting_evidence_ids


@pytest.mark.parametrize("monitor", ["lexical", "random", "empty"])
@pytest.mark.parametrize("method", REPOSITORY_METHODS)
def test_they_are_deterministic_and_free(gap_example: Example, method: str, monitor: str) -> None:
    first, second = (run(gap_example, method, monitor) for _ in range(2))
    assert first.model_dump_json() == second.model_dump_json()
    assert first.totals.cost_usd == 0.0


def test_random_differs_by_repeat_and_seed_and_lexical_does_not(gap_example: Example) -> None:
    drawn = {run(gap_example, "base", "random", repeat=repeat).steps[-1].reply for repeat in range(5)}
    assert len(drawn) > 1
    assert len({run(gap_example, "base", repeat=repeat).steps[-1].reply for repeat in range(3)}) == 1


def test_empty_reports_nothing(gap_example: Example, swap_example: Example) -> None:
    assert run(gap_example, "ebg", "empty").prediction == SpecGapPrediction(findings=())
    assert run(swap_example, "ebg", "empty").prediction == SilentSwapPrediction(swaps=())


def test_unknown_monitors_get_the_nearest_name() -> None:
    with pytest.raises(
        UsageError, match=r"unknown monitor 'lexial'; did you mean 'lexical'.*valid: .*empty, .*lexical"
    ):
        monitors.get("lexial")
