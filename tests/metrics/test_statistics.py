"""Intervals, paired tests, corrections and power: hand values, scipy as oracle, and what must not change a number."""

from __future__ import annotations

import math
import random

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test, sem, t

from agentmonbench.examples import Example
from agentmonbench.metrics.statistics import (
    clusters_of,
    compare_pairs,
    epoch_means,
    holm,
    mean_interval,
    minimum_detectable_difference,
    sign_flip_test,
    standard_error,
    wilson_interval,
)


def named(*values: float) -> dict[str, float]:
    return {f"x{index:02d}": value for index, value in enumerate(values)}


# --- Rates and families ---------------------------------------------------------------------------------------------


def test_wilson_by_hand() -> None:
    # 5 of 10 at 95%: centre 0.5, half width 1.96 * sqrt(0.025 + 0.0096) / 1.384.
    low, high = wilson_interval(5, 10)
    assert (round(low, 4), round(high, 4)) == (0.2366, 0.7634)
    assert wilson_interval(0, 10)[0] == 0.0
    assert wilson_interval(10, 10)[1] == 1.0
    with pytest.raises(ValueError, match="11 of 10 is no rate"):
        wilson_interval(11, 10)


@settings(deadline=None)
@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.9, 0.95]))
def test_wilson_equals_scipy(rate: tuple[int, int], level: float) -> None:
    theirs = binomtest(*rate).proportion_ci(confidence_level=level, method="wilson")
    assert wilson_interval(*rate, level=level) == pytest.approx((theirs.low, theirs.high), abs=1e-10)


def test_holm_by_hand() -> None:
    # Sorted 0.005 * 4, 0.01 * 3, 0.03 * 2, 0.04 * 1, made non-decreasing.
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert adjusted == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert list(adjusted) == ["a", "b", "c", "d"]
    # Ten comparisons were planned: 0.005 * 10, 0.01 * 9, 0.03 * 8, 0.04 * 7.
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}, family=10) == pytest.approx(
        {"a": 0.09, "b": 0.28, "c": 0.24, "d": 0.05}
    )
    assert holm({"a": 0.6, "b": 0.7}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}
    with pytest.raises(ValueError, match="a family of 1 cannot hold 2"):
        holm({"a": 0.1, "b": 0.2}, family=1)


# --- Intervals ------------------------------------------------------------------------------------------------------


def test_an_interval_is_the_same_whatever_the_order_and_the_same_again() -> None:
    values = named(*[0.0, 0.5, 1.0, 0.25, 0.75] * 8)
    first = mean_interval(values, seed=3)
    shuffled = dict(random.Random(1).sample(sorted(values.items()), len(values)))
    assert mean_interval(shuffled, seed=3) == first
    assert mean_interval(values, seed=4) != first
    assert (first.mean, first.examples, first.clusters, first.method) == (0.5, 40, 40, "bootstrap-t")
    assert 0.37 < first.low < 0.42 < 0.58 < first.high < 0.63


def test_the_bootstrap_by_its_definition() -> None:
    # Cluster sums and sizes: a 1.5 of 2, b 0.2 of 1, c 2.1 of 3, d 0.5 of 1; mean 4.3 / 7.
    values = {"1": 0.5, "2": 1.0, "3": 0.2, "4": 0.6, "5": 0.7, "6": 0.8, "7": 0.5}
    clusters = {"1": "a", "2": "a", "3": "b", "4": "c", "5": "c", "6": "c", "7": "d"}
    sums, sizes = [1.5, 0.2, 2.1, 0.5], [2.0, 1.0, 3.0, 1.0]
    mean = 4.3 / 7

    def error(s: list[float], n: list[float], m: float) -> float:
        return math.sqrt(sum((a - m * b) ** 2 for a, b in zip(s, n, strict=True)) * 4 / 3) / sum(n)

    draws = numpy.random.default_rng(5).integers(0, 4, (199, 4)).tolist()
    ratios = []
    for draw in draws:
        s, n = [sums[i] for i in draw], [sizes[i] for i in draw]
        m = sum(s) / sum(n)
        e = error(s, n, m)
        ratios.append((m - mean) / e if e > 1e-9 else math.copysign(math.inf, m - mean) if abs(m - mean) > 1e-12 else 0)
    ratios.sort()
    observed = error(sums, sizes, mean)
    assert standard_error(values, clusters) == pytest.approx(observed, abs=1e-15)
    # 80%: the 20th of 199 from both ends.
    wanted = (mean - observed * ratios[-20], mean - observed * ratios[19])
    interval = mean_interval(values, clusters=clusters, seed=5, level=0.8, resamples=199)
    assert (interval.low, interval.high) == pytest.approx((max(0, wanted[0]), min(1, wanted[1])), abs=1e-12)
    assert interval.clusters == 4


def test_clusters_that_agree_inside_widen_the_interval() -> None:
    values = {f"{c}{i}": float(c % 2) for c in range(20) for i in range(5)}
    clusters = {key: key[:-1] for key in values}
    alone, together = mean_interval(values, seed=1), mean_interval(values, seed=1, clusters=clusters)
    assert (together.high - together.low) > 2 * (alone.high - alone.low)


@pytest.mark.parametrize(
    ("values", "bounds", "wanted"),
    [
        # Nothing varies or too little: Wilson's interval of 0, 2 and 100 of 100.
        ([0.0] * 100, (0, 1), (0.0, 0.0370)),
        ([1.0] * 2 + [0.0] * 98, (0, 1), (0.0055, 0.0700)),
        ([1.0] * 100, (0, 1), (0.9630, 1.0)),
        # No pair differs: the true difference may still be a few percent.
        ([0.0] * 100, (-1, 1), (-0.0370, 0.0370)),
    ],
)
def test_few_differing_values_give_a_wilson_interval(
    values: list[float], bounds: tuple[float, float], wanted: tuple[float, float]
) -> None:
    interval = mean_interval({str(index): value for index, value in enumerate(values)}, seed=1, bounds=bounds)
    assert interval.method == "wilson"
    assert (round(interval.low, 4), round(interval.high, 4)) == wanted


def test_a_single_value_says_almost_nothing() -> None:
    interval = mean_interval({"a": 0.5}, seed=1)
    assert interval.low < 0.1
    assert interval.high > 0.9


def test_values_out_of_bounds_are_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        mean_interval({"a": 1.5}, seed=1)
    with pytest.raises(ValueError, match="at least one"):
        mean_interval({}, seed=1)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=30), st.integers(1, 6))
def test_an_interval_holds_its_mean_and_stays_in_bounds(values: list[float], groups: int) -> None:
    data = named(*values)
    clusters = {key: str(index % groups) for index, key in enumerate(data)}
    interval = mean_interval(data, seed=1, clusters=clusters, resamples=199)
    assert 0.0 <= interval.low <= interval.mean + 1e-9
    assert interval.mean - 1e-9 <= interval.high <= 1.0


def test_the_standard_error_of_independent_examples_is_the_usual_one() -> None:
    values = named(0.1, 0.4, 0.35, 0.8, 0.9)
    assert standard_error(values) == pytest.approx(float(sem(list(values.values()))), abs=1e-12)
    assert math.isnan(standard_error({"a": 0.5}))


# --- Paired tests ---------------------------------------------------------------------------------------------------


def test_sign_flip_by_hand() -> None:
    # Differences 1, 1, 1: of 8 sign choices two reach |3|, both tie with the observed one.
    test = sign_flip_test(named(1.0, 1.0, 1.0), seed=0)
    assert (test.p_conservative, test.p, test.exact, test.flipped) == (2 / 8, 1 / 8, True, 3)
    # 1 and -1 cancel: every choice is at least as extreme; two of four tie.
    test = sign_flip_test(named(1.0, -1.0, 0.0), seed=0)
    assert (test.p_conservative, test.p, test.flipped) == (1.0, 0.75, 2)
    assert sign_flip_test(named(0.0, 0.0), seed=0).p == 1.0


def test_signs_of_a_cluster_flip_together() -> None:
    differences = {"a1": 0.5, "a2": 0.5, "b1": 1.0, "c1": -0.5, "c2": 0.5}
    clusters = {key: key[0] for key in differences}
    # Cluster sums 1, 1, 0: of 4 choices two reach |2|.
    test = sign_flip_test(differences, clusters=clusters, seed=0)
    assert (test.p_conservative, test.flipped) == (0.5, 2)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0, 0.3]), min_size=2, max_size=9))
def test_the_exact_test_equals_scipy(differences: list[float]) -> None:
    theirs = permutation_test(
        (differences,),
        lambda x, axis: numpy.round(numpy.abs(numpy.sum(x, axis=axis)), 9),
        permutation_type="samples",
        vectorized=True,
        alternative="greater",
        n_resamples=numpy.inf,
    )
    ours = sign_flip_test(named(*differences), seed=0)
    assert ours.p_conservative == pytest.approx(float(theirs.pvalue), abs=1e-10)


def test_many_differences_are_tested_by_random_signs() -> None:
    differences = named(*[0.1] * 25, *[-0.1] * 5)
    test = sign_flip_test(differences, seed=1)
    # The exact value is binomial: P(at least 25 or at most 5 of 30), 0.000325.
    exact = binomtest(25, 30).pvalue
    assert not test.exact
    assert test.p_conservative == pytest.approx(exact, abs=0.0006)
    assert test == sign_flip_test(dict(reversed(differences.items())), seed=1)
    assert sign_flip_test(named(*[0.1] * 60), seed=1).p == 1 / 10_000


# --- Comparisons ----------------------------------------------------------------------------------------------------


def test_compare_pairs() -> None:
    first = {f"e{i:02d}": 0.2 for i in range(30)} | {"only": 1.0}
    second = {f"e{i:02d}": 0.5 if i % 3 else 0.2 for i in range(30)}
    result = compare_pairs(first, second, seed=1)
    assert (result.first, result.second) == (pytest.approx(0.2), pytest.approx(0.4))
    assert result.difference.mean == pytest.approx(0.2)
    assert result.difference.low > 0.1
    assert result.unpaired == ("only",)
    assert result.test.p < 0.001
    assert result.conclusion(0.002) == "the second is higher by 0.200 (p = 0.002)"
    assert result.conclusion(0.2).startswith("nothing is shown (p = 0.200); a true difference below 0.0")
    with pytest.raises(ValueError, match="no example in common"):
        compare_pairs({"a": 1.0}, {"b": 1.0}, seed=1)


def test_equal_arms_show_nothing_and_say_what_might_be_missed() -> None:
    result = compare_pairs(named(0.0, 1.0, 0.5), named(0.0, 1.0, 0.5), seed=1)
    assert result.test.p == 1.0
    assert result.difference.low < 0 < result.difference.high
    assert result.conclusion(1.0).startswith("nothing is shown (p = 1.000)")


def test_minimum_detectable_difference_by_hand() -> None:
    differences = named(0.1, -0.2, 0.3, 0.0)
    factor = t.ppf(0.975, 3) + t.ppf(0.8, 3)
    assert minimum_detectable_difference(differences) == pytest.approx(
        factor * sem(list(differences.values())), abs=1e-12
    )
    assert math.isnan(minimum_detectable_difference({"a": 0.1}))


def test_epochs_are_averaged_within_their_example() -> None:
    assert epoch_means({"a": [1.0, 0.0], "b": [1.0], "c": []}) == {"a": 0.5, "b": 1.0}


def test_bundles_of_one_repository_are_one_cluster() -> None:
    def bundle(name: str, *paths: str) -> Example:
        return Example(name, "specgap", files=dict.fromkeys(paths, b""))

    examples = [
        bundle("sg_003", "pkg/a.py", "pkg/b.py", "pkg/c.py"),
        bundle("sg_001", "pkg/a.py", "pkg/b.py", "pkg/new.py"),  # 2 of 4 paths common with sg_003
        bundle("sg_002", "other/a.py", "other/b.py"),
        bundle("sg_004", "pkg/a.py", "x.py", "y.py"),  # 1 of 5
        Example("ft_001_long", "feedbacktrace"),
        Example("ft_002_long", "feedbacktrace"),
    ]
    assert clusters_of(examples) == {
        "sg_001": "sg_001",
        "sg_002": "sg_002",
        "sg_003": "sg_001",
        "sg_004": "sg_004",
        "ft_001_long": "ft_001_long",
        "ft_002_long": "ft_002_long",
    }
