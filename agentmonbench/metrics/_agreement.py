"""Do two judges agree: on who is better, on how much, on the ranking, and on each single label?

The first three are those of the paper's judge table (specification part 2.11); kappa and alpha work on the verdicts
themselves, where agreement by chance has to be taken out. All are exact small implementations without a library;
the tests hold them to scipy, scikit-learn and krippendorff within 1e-10.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Literal, NamedTuple

__all__ = [
    "DirectionAgreement",
    "Level",
    "average_ranks",
    "cohen_kappa",
    "direction_agreement",
    "krippendorff_alpha",
    "mean_absolute_difference",
    "spearman",
]

Level = Literal["nominal", "ordinal", "interval"]


class DirectionAgreement(NamedTuple):
    """In how many comparisons two judges see the same side ahead."""

    agree: int
    total: int

    @property
    def rate(self) -> float:
        """Share of agreeing comparisons; nan when there is none."""
        return self.agree / self.total if self.total else math.nan


def direction_agreement(first: Sequence[float], second: Sequence[float]) -> DirectionAgreement:
    """Return how often two judges' differences have the same sign; 0 agrees with 0 only (worked example 18).

    Args:
        first: one judge's differences, for example EBG minus Base, one per comparison.
        second: the other judge's, in the same order.
    """
    signs = [((a > 0) - (a < 0), (b > 0) - (b < 0)) for a, b in zip(first, second, strict=True)]
    return DirectionAgreement(sum(a == b for a, b in signs), len(signs))


def mean_absolute_difference(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the mean of |a - b|; nan for no pairs."""
    pairs = list(zip(first, second, strict=True))
    return math.fsum(abs(a - b) for a, b in pairs) / len(pairs) if pairs else math.nan


def average_ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1, ties sharing the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for index in order[start:end]:
            ranks[index] = (start + 1 + end) / 2
        start = end
    return ranks


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's rank correlation with average ranks; nan when a side is constant or shorter than two."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} values cannot be paired")
    middle = (len(first) + 1) / 2
    a = [rank - middle for rank in average_ranks(first)]
    b = [rank - middle for rank in average_ranks(second)]
    spread = math.sqrt(math.fsum(x * x for x in a) * math.fsum(y * y for y in b))
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / spread if spread else math.nan


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Cohen's kappa of two judges' labels, unit by unit.

    nan when there is no unit, or when both use one single label throughout, so that nothing but agreement was possible.
    """
    pairs = list(zip(first, second, strict=True))
    if not pairs:
        return math.nan
    left, right = Counter(first), Counter(second)
    observed = sum(a == b for a, b in pairs) / len(pairs)
    chance = sum(left[label] * right[label] for label in left) / len(pairs) ** 2
    return (observed - chance) / (1 - chance) if chance < 1 else math.nan


def krippendorff_alpha(ratings: Sequence[Mapping[str, float]], *, level: Level = "nominal") -> float:
    """Return Krippendorff's alpha of any number of judges, any of whom may have left units out.

    Args:
        ratings: one mapping per judge from unit to value; categories are given as numbers.
        level: nominal compares equal or not; ordinal by the ranks in between; interval by the squared difference.

    Returns:
        1 for full agreement, 0 for chance; nan when no unit has two ratings or all ratings are equal.
    """
    weights: dict[tuple[float, float], list[float]] = {}
    for unit in sorted({unit for judge in ratings for unit in judge}):
        values = [judge[unit] for judge in ratings if unit in judge]
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                if i != j:
                    weights.setdefault((a, b), []).append(1 / (len(values) - 1))
    coincidences = {pair: math.fsum(each) for pair, each in weights.items()}
    margins: dict[float, float] = {}
    for (a, _), weight in coincidences.items():
        margins[a] = margins.get(a, 0.0) + weight
    total = math.fsum(margins.values())
    distance = _distance(level, margins)
    observed = math.fsum(weight * distance(a, b) for (a, b), weight in coincidences.items())
    expected = math.fsum(margins[a] * margins[b] * distance(a, b) for a in margins for b in margins)
    return 1 - (total - 1) * observed / expected if expected else math.nan


def _distance(level: Level, margins: Mapping[float, float]) -> Callable[[float, float], float]:
    if level == "nominal":
        return lambda a, b: float(a != b)
    if level == "interval":
        return lambda a, b: (a - b) ** 2
    values = sorted(margins)

    def ordinal(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = math.fsum(margins[value] for value in values if low <= value <= high)
        return (between - (margins[a] + margins[b]) / 2) ** 2

    return ordinal
