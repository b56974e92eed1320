"""Agreement statistics: worked scoring example 18, hand values, and the libraries as oracles."""

from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from agentmonbench.metrics import (
    Level,
    cohen_kappa,
    direction_agreement,
    krippendorff_alpha,
    mean_absolute_difference,
    spearman,
)


@pytest.mark.parametrize(
    ("glm", "qwen", "agree"), [(-0.030, 0.035, 0), (0.015, 0.000, 0), (0.0, 0.0, 1), (0.2, 0.001, 1), (-0.1, -0.3, 1)]
)
def test_example_18_direction_agreement(glm: float, qwen: float, agree: int) -> None:
    assert direction_agreement([glm], [qwen]) == (agree, 1)


def test_direction_agreement_rate() -> None:
    assert direction_agreement([1, -1, 0, 2], [2, 1, 0, 1]).rate == 0.75
    assert math.isnan(direction_agreement([], []).rate)


def test_mean_absolute_difference() -> None:
    assert mean_absolute_difference([0.5, 0.25], [0.25, 0.75]) == 0.375
    assert math.isnan(mean_absolute_difference([], []))


def test_cohen_kappa_by_hand() -> None:
    # 20 units: both yes 8, both no 6, yes/no 4, no/yes 2. Observed 14/20; chance (12*10 + 8*10)/400 = 0.5.
    first = ["y"] * 8 + ["n"] * 6 + ["y"] * 4 + ["n"] * 2
    second = ["y"] * 8 + ["n"] * 6 + ["n"] * 4 + ["y"] * 2
    assert cohen_kappa(first, second) == pytest.approx(0.4, abs=1e-15)
    assert math.isnan(cohen_kappa(["y", "y"], ["y", "y"]))
    assert math.isnan(cohen_kappa([], []))


def test_krippendorff_alpha_by_hand() -> None:
    # Two judges, four units, one disagreement. Pairs: 0-0 twice 2, 1-1 once 2, and 0-1, 1-0 once each.
    # n_0 = 5, n_1 = 3, n = 8: alpha = 1 - 7 * 2 / (2 * 5 * 3) = 8/15.
    first = {"a": 0.0, "b": 0.0, "c": 1.0, "d": 0.0}
    second = {"a": 0.0, "b": 0.0, "c": 1.0, "d": 1.0}
    assert krippendorff_alpha([first, second]) == pytest.approx(8 / 15, abs=1e-15)
    assert math.isnan(krippendorff_alpha([first, {}]))
    assert math.isnan(krippendorff_alpha([{"a": 1.0}, {"a": 1.0}]))


ratings = st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, None])] * 3), min_size=2, max_size=25)


@settings(deadline=None)
@given(ratings, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_krippendorff_alpha_equals_the_library(rows: list[tuple[float | None, ...]], level: Level) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    judges = [
        {str(unit): value for unit, row in enumerate(rows) if (value := row[judge]) is not None} for judge in range(3)
    ]
    ours = krippendorff_alpha(judges, level=level)
    columns = zip(*rows, strict=True)
    table = numpy.array([[numpy.nan if value is None else value for value in column] for column in columns])
    paired = [row for row in rows if sum(value is not None for value in row) > 1]
    if len({value for row in paired for value in row if value is not None}) < 2:
        assert math.isnan(ours)
        return
    assert ours == pytest.approx(krippendorff.alpha(table, level_of_measurement=level), abs=1e-10)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2])), min_size=1, max_size=40))
def test_cohen_kappa_equals_its_confusion_matrix(pairs: list[tuple[int, int]]) -> None:
    table = numpy.zeros((3, 3))
    for pair in pairs:
        table[pair] += 1 / len(pairs)
    observed, chance = numpy.trace(table), table.sum(axis=1) @ table.sum(axis=0)
    ours = cohen_kappa([a for a, _ in pairs], [b for _, b in pairs])
    if chance > 1 - 1e-12:
        assert math.isnan(ours)
        return
    assert ours == pytest.approx((observed - chance) / (1 - chance), abs=1e-10)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=20))
def test_spearman_equals_the_library(pairs: list[tuple[int, int]]) -> None:
    first, second = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    ours = spearman(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert math.isnan(ours)
        return
    assert ours == pytest.approx(spearmanr(first, second).statistic, abs=1e-10)


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 and 1 values"):
        spearman([1, 2], [1])
