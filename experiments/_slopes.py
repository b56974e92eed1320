"""Slope of a straight line through examples, with an interval that knows which examples belong together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["SLOPE_RESAMPLES", "Slope", "slope"]

SLOPE_RESAMPLES = 2_000


class Slope(NamedTuple):
    """An ordinary least squares slope; None where it is not defined."""

    value: float | None
    low: float | None
    """Ends of the 95% interval: percentiles of the cluster bootstrap; None with a single cluster."""
    high: float | None


def slope(
    x: Mapping[str, float],
    y: Mapping[str, float],
    *,
    seed: int,
    clusters: Mapping[str, str] | None = None,
    resamples: int = SLOPE_RESAMPLES,
) -> Slope:
    """Return the slope of `y` on `x` over the examples that both have.

    Args:
        x: by example id, for example log2 of its tokens.
        y: by example id.
        seed: of the resampling.
        clusters: cluster of each example id; None takes every example for independent. Whole clusters are drawn
            (specification part 2.12); draws without two different x are left out.
        resamples: number of draws.
    """
    import numpy

    common = sorted(x.keys() & y.keys())
    if not common:
        return Slope(None, None, None)
    centre = sum(x[key] for key in common) / len(common)
    groups: dict[str, list[list[float]]] = {}
    for key in common:
        at, value = x[key] - centre, y[key]
        groups.setdefault(clusters[key] if clusters else key, []).append([1.0, at, value, at * at, at * value])
    sums = numpy.array([numpy.sum(groups[name], axis=0) for name in sorted(groups)])
    (observed,) = _slopes(sums.sum(axis=0)[None, :])
    if numpy.isnan(observed):
        return Slope(None, None, None)
    if len(sums) < 2:
        return Slope(float(observed), None, None)
    chosen = numpy.random.default_rng(seed).integers(0, len(sums), (resamples, len(sums)))
    drawn = _slopes(sums[chosen].sum(axis=1))
    low, high = numpy.percentile(drawn[~numpy.isnan(drawn)], [2.5, 97.5])
    return Slope(float(observed), float(low), float(high))


def _slopes(sums: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """Return the slope of each row (n, sum x, sum y, sum xx, sum xy); nan where all x are equal."""
    import numpy

    count, x, y, xx, xy = sums.T
    spread = count * xx - x * x
    flat = spread <= 1e-12 * numpy.maximum(1.0, count * xx)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        found: NDArray[numpy.float64] = numpy.where(flat, numpy.nan, (count * xy - x * y) / spread)
    return found
