"""From examples to a batch: means over all selected examples, two stages joined, terciles of input size.

A failed example counts as 0 in the mean that is compared; the mean on completed examples and the number of failures
stand beside it, so that a failure is never hidden in a low score (specification part 2, general rules).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from agentmonbench.metrics._rounding import round6
from agentmonbench.metrics._scores import Scores

__all__ = ["SECOND_STAGE", "BatchMean", "Tercile", "TwoStageScores", "batch_mean", "combine_stages", "terciles"]

Tercile = Literal["Low", "Medium", "High"]

SECOND_STAGE = frozenset({"CC", "CC-rate", "swap-type"})
"""Metrics of a two-stage SilentSwap run that come from the second answer, which describes the change; the places come
from the first (specification part 2.5)."""


@dataclass(frozen=True, slots=True)
class BatchMean:
    """The mean of one metric over a batch."""

    value: float | None
    """Over all selected examples, failed ones as 0, rounded to six decimals; None when it is defined for no example."""
    on_completed: float | None
    """Over the examples that did not fail; None when there is none."""
    examples: int
    """Selected examples for which the metric is defined."""
    failed: int


def batch_mean(scores: Iterable[Scores], metric: str, *, selected: Collection[str]) -> BatchMean:
    """Return the mean of `metric` over the `selected` example ids; one without scores counts as failed.

    Examples with several epochs may give several scores: each counts, and only an id without any counts as failed.
    """
    values: list[float] = []
    completed: list[float] = []
    seen: set[str] = set()
    for each in scores:
        if each.example_id not in selected:
            continue
        seen.add(each.example_id)
        value = each.values[metric]
        if value is None:
            continue
        values.append(value)
        if each.failure is None:
            completed.append(value)
    values += [0.0] * len(set(selected) - seen)
    return BatchMean(_mean(values), _mean(completed), len(values), len(values) - len(completed))


@dataclass(frozen=True, slots=True)
class TwoStageScores:
    """Scores of a two-stage run."""

    values: Mapping[str, Mapping[str, float | None]]
    """By example id, then metric: only examples that have both stages."""
    missing: tuple[str, ...]
    """Selected ids that lack a stage, sorted."""

    @property
    def complete(self) -> bool:
        """Whether means may be taken; there is no zero fill here."""
        return not self.missing


def combine_stages(
    first: Mapping[str, Mapping[str, float | None]],
    second: Mapping[str, Mapping[str, float | None]],
    *,
    selected: Collection[str],
) -> TwoStageScores:
    """Join the scores of two answers to the same examples: the change from the second, everything else from the first.

    Args:
        first: scores of the first stage by example id and metric.
        second: scores of the second stage.
        selected: ids that both stages were asked about.
    """
    values = {
        key: {
            name: (second[key] if name in SECOND_STAGE else first[key])[name]
            for name in first[key]
            if name in second[key]
        }
        for key in sorted(selected)
        if key in first and key in second
    }
    return TwoStageScores(values, tuple(sorted(set(selected) - set(values))))


def terciles(sizes: Mapping[str, int]) -> dict[str, Tercile]:
    """Return the size group of each example id, in ascending order of (size, id) (specification part 2.9).

    With n examples the first n // 3 are Low, those up to 2n // 3 Medium, the rest High.
    """
    ordered = sorted(sizes, key=lambda key: (sizes[key], key))
    low, medium = len(ordered) // 3, 2 * len(ordered) // 3
    return {key: "Low" if index < low else "Medium" if index < medium else "High" for index, key in enumerate(ordered)}


def _mean(values: list[float]) -> float | None:
    return round6(sum(values) / len(values)) if values else None
