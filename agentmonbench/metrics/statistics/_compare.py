"""Two arms on the same examples: by how much they differ, whether that is shown, and what could have been shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from agentmonbench.metrics.statistics._bootstrap import Interval, mean_interval, standard_error
from agentmonbench.metrics.statistics._signflip import SignFlip, sign_flip_test

__all__ = ["PairedComparison", "compare_pairs", "minimum_detectable_difference"]


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """The second arm against the first."""

    difference: Interval
    """Mean of (second - first), with its interval."""
    first: float
    """Mean of the first arm on the common examples."""
    second: float
    test: SignFlip
    detectable: float
    """Smallest true difference that this comparison would have found four times out of five; nan with one cluster."""
    unpaired: tuple[str, ...]
    """Ids that only one arm has, left out of everything."""

    def conclusion(self, adjusted_p: float, *, alpha: float = 0.05) -> str:
        """Return what may be said, in one sentence.

        Args:
            adjusted_p: the p value after correction for the other comparisons of the family.
            alpha: the level.
        """
        if adjusted_p < alpha and self.difference.mean:
            side = "higher" if self.difference.mean > 0 else "lower"
            return f"the second is {side} by {abs(self.difference.mean):.3f} (p = {adjusted_p:.3f})"
        limit = (
            ""
            if math.isnan(self.detectable)
            else f"; a true difference below {self.detectable:.3f} would often be missed"
        )
        return f"nothing is shown (p = {adjusted_p:.3f}){limit}"


def compare_pairs(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    seed: int,
    clusters: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> PairedComparison:
    """Compare two arms on the examples that both have.

    Args:
        first: value by example id, failed examples as 0; average epochs first.
        second: the same of the other arm.
        seed: of resampling and random signs.
        clusters: cluster of each example id.
        level: confidence of the interval.

    Raises:
        ValueError: when no example is common.
    """
    common = sorted(first.keys() & second.keys())
    if not common:
        raise ValueError("the two arms have no example in common")
    differences = {key: second[key] - first[key] for key in common}
    return PairedComparison(
        difference=mean_interval(differences, seed=seed, clusters=clusters, bounds=(-1.0, 1.0), level=level),
        first=math.fsum(first[key] for key in common) / len(common),
        second=math.fsum(second[key] for key in common) / len(common),
        test=sign_flip_test(differences, seed=seed, clusters=clusters),
        detectable=minimum_detectable_difference(differences, clusters=clusters),
        unpaired=tuple(sorted(first.keys() ^ second.keys())),
    )


def minimum_detectable_difference(
    differences: Mapping[str, float],
    *,
    clusters: Mapping[str, str] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """Return the smallest true mean difference that a two-sided test at `alpha` finds with probability `power`.

    Student's t with (number of clusters - 1) degrees of freedom and the cluster-robust standard error; nan with fewer
    than two clusters.
    """
    from scipy.stats import t

    groups = len(differences) if clusters is None else len({clusters[key] for key in differences})
    if groups < 2:
        return math.nan
    freedom = groups - 1
    factor = float(t.ppf(1 - alpha / 2, freedom) + t.ppf(power, freedom))
    return factor * standard_error(differences, clusters)
