"""Confidence intervals of means by the studentized cluster bootstrap.

Whole clusters are drawn with replacement; each draw's mean is compared with the observed one in units of its own
cluster-robust standard error, and the quantiles of that ratio make the interval (Efron and Tibshirani 1993, chapter
12.5; Cameron, Gelbach and Miller 2008 for clusters). With 20 to 50 clusters the percentile and BCa intervals cover less
than they say; this one stays within 93 to 97 percent (`benchmarks/statistics_calibration.py`).

Where too few values differ from zero for that, Wilson's score interval is used: no other variable between the same
bounds varies more than a yes-or-no one, so it errs to the wide side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentmonbench.metrics.statistics._rates import wilson_interval

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["Interval", "mean_interval", "standard_error"]

RESAMPLES = 4_999
"""With 4,999 the 2.5 percent points are the 125th values from both ends, without interpolation."""
CHUNK = 2_000_000
"""Numbers held at once while resampling."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its confidence interval."""

    mean: float
    low: float
    high: float
    level: float
    examples: int
    clusters: int
    method: Literal["bootstrap-t", "wilson"]


def mean_interval(
    values: Mapping[str, float],
    *,
    seed: int,
    clusters: Mapping[str, str] | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """Return the mean of `values` with its confidence interval.

    Args:
        values: one value per example id; average epochs first.
        seed: of the resampling; the same seed gives the same interval.
        clusters: cluster of each example id; None takes every example for independent.
        bounds: smallest and largest possible value, with 0 in between: (0, 1) for metrics, (-1, 1) for differences.
        level: confidence.
        resamples: number of bootstrap draws.

    Raises:
        ValueError: when there is no value, or one lies outside the bounds.
    """
    import numpy

    if not values:
        raise ValueError("an interval needs at least one value")
    outside = {key: value for key, value in values.items() if not bounds[0] <= value <= bounds[1]}
    if outside:
        raise ValueError(f"values outside {bounds}: {outside}")
    sums, sizes = _cluster_sums(values, clusters)
    count, total = len(sums), float(sizes.sum())
    mean = float(sums.sum()) / total
    error = _robust_error(sums, sizes, mean)
    low, high = mean, mean
    if error > 0:
        ratios = numpy.sort(_bootstrap_ratios(sums, sizes, mean, resamples=resamples, seed=seed))
        tail = max(0, math.floor((resamples + 1) * (1 - level) / 2) - 1)
        low, high = mean - error * float(ratios[-1 - tail]), mean - error * float(ratios[tail])
    method: Literal["bootstrap-t", "wilson"] = "bootstrap-t"
    if error <= 0 or not (math.isfinite(low) and math.isfinite(high)):
        method = "wilson"
        low, high = _bounded_interval(list(values.values()), count, bounds, level)
    return Interval(
        mean=mean,
        low=max(bounds[0], low),
        high=min(bounds[1], high),
        level=level,
        examples=len(values),
        clusters=count,
        method=method,
    )


def standard_error(values: Mapping[str, float], clusters: Mapping[str, str] | None = None) -> float:
    """Return the cluster-robust standard error of the mean; nan with fewer than two clusters."""
    sums, sizes = _cluster_sums(values, clusters)
    return _robust_error(sums, sizes, float(sums.sum() / sizes.sum())) if len(sums) > 1 else math.nan


def _cluster_sums(
    values: Mapping[str, float], clusters: Mapping[str, str] | None
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Return the sum and the number of values of each cluster, in order of the cluster's name."""
    import numpy

    grouped: dict[str, list[float]] = {}
    for key in sorted(values):
        grouped.setdefault(key if clusters is None else clusters[key], []).append(values[key])
    groups = [grouped[name] for name in sorted(grouped)]
    return numpy.array([math.fsum(group) for group in groups]), numpy.array([float(len(group)) for group in groups])


def _robust_error(sums: NDArray[numpy.float64], sizes: NDArray[numpy.float64], mean: float) -> float:
    count = len(sums)
    if count < 2:
        return 0.0
    squares = float(((sums - mean * sizes) ** 2).sum())
    # Rounding leaves dust where every cluster has the same mean; dust is no variance.
    return math.sqrt(squares * count / (count - 1)) / float(sizes.sum()) if squares > 1e-20 else 0.0


def _bootstrap_ratios(
    sums: NDArray[numpy.float64], sizes: NDArray[numpy.float64], mean: float, *, resamples: int, seed: int
) -> NDArray[numpy.float64]:
    """Return (mean of the draw - mean) / standard error of the draw; infinite where a draw does not vary."""
    import numpy

    random = numpy.random.default_rng(seed)
    count = len(sums)
    rows = max(1, CHUNK // count)
    parts = []
    for start in range(0, resamples, rows):
        chosen = random.integers(0, count, (min(rows, resamples - start), count))
        drawn, weights = sums[chosen], sizes[chosen]
        totals = weights.sum(axis=1)
        means = drawn.sum(axis=1) / totals
        squares = ((drawn - means[:, None] * weights) ** 2).sum(axis=1)
        errors = numpy.sqrt(numpy.where(squares > 1e-20, squares, 0.0) * count / (count - 1)) / totals
        with numpy.errstate(divide="ignore", invalid="ignore"):
            parts.append(numpy.nan_to_num((means - mean) / errors, nan=0.0, posinf=numpy.inf, neginf=-numpy.inf))
    return numpy.concatenate(parts)


def _bounded_interval(
    values: Sequence[float], clusters: int, bounds: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return an interval for the mean of bounded values of which few or none differ.

    Positive and negative parts get Wilson intervals as if they were rates of as many trials as there are clusters;
    their difference is joined as in Newcombe's interval for two rates (1998, method 10).
    """
    width = (-bounds[0], bounds[1])
    parts = []
    for side, sign in zip(width, (-1, 1), strict=True):
        rate = math.fsum(max(0.0, sign * value) for value in values) / (side * len(values)) if side else 0.0
        low, high = wilson_interval(rate * clusters, clusters, level=level) if side else (0.0, 0.0)
        parts.append((side * low, side * rate, side * high))
    (minus_low, minus, minus_high), (plus_low, plus, plus_high) = parts
    mean = plus - minus
    return (
        mean - math.hypot(plus - plus_low, minus_high - minus),
        mean + math.hypot(plus_high - plus, minus - minus_low),
    )
