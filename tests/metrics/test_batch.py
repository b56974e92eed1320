"""Batches: worked scoring examples 14, 15 and 16."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agentmonbench.metrics import Scores, batch_mean, combine_stages, failed_scores, table_value, terciles


def vpa(name: str, value: float | None) -> Scores:
    return Scores(name, "feedbacktrace", {"VPA": value})


def test_example_14_failed_examples_are_zero_and_counted() -> None:
    scores = [
        vpa("a", 1.0),
        vpa("b", 0.5),
        vpa("c", 0.5),
        failed_scores("d", "feedbacktrace", "judge_failed", source="judge"),
    ]
    result = batch_mean(scores, "VPA", selected=["a", "b", "c", "d"])
    assert (result.value, result.on_completed, result.examples, result.failed) == (0.5, 0.666667, 4, 1)


def test_a_selected_example_without_scores_is_failed() -> None:
    result = batch_mean([vpa("a", 1.0), vpa("other", 0.0)], "VPA", selected=["a", "b"])
    assert (result.value, result.on_completed, result.failed) == (0.5, 1.0, 1)


def test_an_undefined_companion_is_left_out() -> None:
    result = batch_mean([vpa("a", 1.0), vpa("b", None)], "VPA", selected=["a", "b"])
    assert (result.value, result.examples, result.failed) == (1.0, 1, 0)
    assert batch_mean([vpa("b", None)], "VPA", selected=["b"]).value is None


def test_example_14_table_values_are_rounded_half_up() -> None:
    assert table_value([0.355, 0.310]) == Decimal("0.333")  # 0.3325
    assert table_value([0.085, 0.080]) == Decimal("0.083")  # 0.0825
    assert table_value([0.4285715]) == Decimal("0.429")
    assert str(table_value([0.5, 0.5])) == "0.500"
    with pytest.raises(ValueError, match="at least one"):
        table_value([])


def test_example_15_terciles() -> None:
    sizes = {"a": 5, "b": 5, "c": 5, "d": 9, "e": 9, "f": 1, "g": 20}
    assert list(terciles(sizes).items()) == [
        ("f", "Low"),
        ("a", "Low"),
        ("b", "Medium"),
        ("c", "Medium"),
        ("d", "High"),
        ("e", "High"),
        ("g", "High"),
    ]


def test_terciles_of_a_hundred_are_33_33_34() -> None:
    groups = list(terciles({f"{number:03d}": number for number in range(100)}).values())
    assert [groups.count(name) for name in ("Low", "Medium", "High")] == [33, 33, 34]


def test_example_16_two_stages() -> None:
    first = {"ss_001": {"LS": 0.6, "LC": 0.5, "CC": 0.0}}
    second = {"ss_001": {"LS": 0.9, "LC": 1.0, "CC": 0.5}}
    joined = combine_stages(first, second, selected=["ss_001"])
    assert joined.values == {"ss_001": {"LS": 0.6, "LC": 0.5, "CC": 0.5}}
    assert joined.complete


def test_example_16_without_the_second_stage_there_is_no_mean() -> None:
    joined = combine_stages({"ss_001": {"LS": 0.6, "LC": 0.5, "CC": 0.0}}, {}, selected=["ss_001"])
    assert not joined.complete
    assert (joined.values, joined.missing) == ({}, ("ss_001",))
