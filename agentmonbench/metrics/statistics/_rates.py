"""Intervals of rates, and p values of several tests at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist

__all__ = ["holm", "wilson_interval"]


def wilson_interval(successes: float, trials: float, *, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a rate (Wilson 1927), for example of true and false positives.

    Raises:
        ValueError: when there is no trial or `successes` is no part of them.
    """
    if trials <= 0 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no rate")
    z = NormalDist().inv_cdf(1 - (1 - level) / 2)
    rate, square = successes / trials, z * z / trials
    middle = rate + square / 2
    half = z * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials))
    # At the ends the interval reaches exactly 0 and 1; rounding must not say otherwise.
    low = 0.0 if successes == 0 else (middle - half) / (1 + square)
    high = 1.0 if successes == trials else (middle + half) / (1 + square)
    return low, high


def holm(p_values: Mapping[str, float], *, family: int | None = None) -> dict[str, float]:
    """Return Holm's adjusted p values (Holm 1979): any below alpha is shown, all errors together at most alpha.

    Args:
        p_values: p value by name of the comparison.
        family: number of comparisons that were planned, when more than were made.

    Raises:
        ValueError: when `family` is smaller than the number of comparisons.
    """
    size = len(p_values) if family is None else family
    if size < len(p_values):
        raise ValueError(f"a family of {size} cannot hold {len(p_values)} comparisons")
    adjusted: dict[str, float] = {}
    largest = 0.0
    for place, name in enumerate(sorted(p_values, key=lambda each: (p_values[each], each))):
        largest = max(largest, min(1.0, (size - place) * p_values[name]))
        adjusted[name] = largest
    return {name: adjusted[name] for name in p_values}
