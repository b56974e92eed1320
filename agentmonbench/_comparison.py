"""Arms of runs against each other, example by example, with intervals, tests and Holm's correction.

An arm is one monitor with one method in one run. Two arms are compared on the examples that both have, failed ones as
0. All comparisons of one call are one family: the more is compared, the stronger each must be.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from agentmonbench._scoring import INTERVAL_SEED
from agentmonbench.errors import DataError, UsageError
from agentmonbench.metrics import metrics_of
from agentmonbench.metrics.statistics import PairedComparison, compare_pairs, epoch_means, holm
from agentmonbench.runs import RunDirectory

__all__ = ["Arm", "ArmScores", "Compared", "compare_arms", "pairs_between", "pairs_within", "read_arms"]


class Arm(NamedTuple):
    """One side of a comparison."""

    run: str
    monitor: str
    method: str

    def label(self, others: Iterable[Arm]) -> str:
        """Return the parts of the name in which it differs from the other arms; all parts when it differs in none."""
        parts = [part for index, part in enumerate(self) if len({arm[index] for arm in others}) > 1]
        return " ".join(parts or self)


@dataclass(frozen=True, slots=True)
class ArmScores:
    """The values of one arm, averaged over repeats and judges."""

    arm: Arm
    values: Mapping[tuple[str, str], Mapping[str, float]]
    """By subset and metric, then by example id."""
    clusters: Mapping[str, str]
    """Cluster of each example id."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One metric of a second arm against a first."""

    subset: str
    metric: str
    first: Arm
    second: Arm
    result: PairedComparison
    adjusted_p: float
    """Holm-corrected over all comparisons of the call."""

    @property
    def conclusion(self) -> str:
        """What may be said, in one sentence."""
        return self.result.conclusion(self.adjusted_p)


def read_arms(run: RunDirectory) -> tuple[ArmScores, ...]:
    """Return the arms of a scored run, in the order of their rows.

    Raises:
        DataError: when the run was never scored.
    """
    path = run.path / "scores.csv"
    if not path.exists():
        raise DataError(f"{run.path} has no scores.csv; finish the run first")
    repeats: dict[Arm, dict[tuple[str, str], dict[str, list[float]]]] = {}
    clusters: dict[str, str] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            try:
                arm = Arm(run.path.name, row["monitor"], row["method"])
                values = repeats.setdefault(arm, {}).setdefault((row["subset"], row["metric"]), {})
                values.setdefault(row["example"], []).append(float(row["value"]))
                clusters[row["example"]] = row["cluster"]
            except (KeyError, ValueError) as exc:
                raise DataError(f"{path}: not a table of scores ({exc!r})") from exc
    return tuple(
        ArmScores(arm, {key: epoch_means(values) for key, values in found.items()}, clusters)
        for arm, found in repeats.items()
    )


def pairs_within(arms: Sequence[ArmScores]) -> list[tuple[ArmScores, ArmScores]]:
    """Return the pairs of one run that differ in one thing: methods of one monitor, monitors with one method."""
    return [
        (first, second)
        for first, second in combinations(arms, 2)
        if first.arm.monitor == second.arm.monitor or first.arm.method == second.arm.method
    ]


def pairs_between(first: Sequence[ArmScores], second: Sequence[ArmScores]) -> list[tuple[ArmScores, ArmScores]]:
    """Return the pairs over two runs: the same monitor and method, or the only arm of each.

    Raises:
        UsageError: when no pair can be made.
    """
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    there = {scores.arm[1:]: scores for scores in second}
    pairs = [(scores, there[scores.arm[1:]]) for scores in first if scores.arm[1:] in there]
    if not pairs:
        names = "; ".join(", ".join(" ".join(each.arm[1:]) for each in arms) for arms in (first, second))
        raise UsageError(f"the runs share no monitor with the same method ({names})")
    return pairs


def compare_arms(
    pairs: Sequence[tuple[ArmScores, ArmScores]], *, companions: bool = False, seed: int = INTERVAL_SEED
) -> tuple[Compared, ...]:
    """Compare every pair on every metric that both have.

    Args:
        pairs: first and second arm; differences are second minus first.
        companions: also metrics that are not the paper's; they join the family.
        seed: of resampling.

    Raises:
        UsageError: when no pair has an example in common.
    """
    found: list[tuple[str, str, Arm, Arm, PairedComparison]] = []
    for first, second in pairs:
        for subset, metric in _common_metrics(first, second, companions=companions):
            left, right = first.values[subset, metric], second.values[subset, metric]
            if left.keys() & right.keys():
                result = compare_pairs(left, right, seed=seed, clusters={**first.clusters, **second.clusters})
                found.append((subset, metric, first.arm, second.arm, result))
    if not found:
        raise UsageError("there is nothing to compare: no two arms have an example and a metric in common")
    adjusted = holm({str(index): result.test.p for index, (*_, result) in enumerate(found)})
    return tuple(Compared(*parts, adjusted[str(index)]) for index, parts in enumerate(found))


def _common_metrics(first: ArmScores, second: ArmScores, *, companions: bool) -> list[tuple[str, str]]:
    common = first.values.keys() & second.values.keys()
    return [
        (metric.subset, metric.name)
        for subset in ("specgap", "silentswap", "feedbacktrace")
        for metric in metrics_of(subset, official=None if companions else True)
        if (metric.subset, metric.name) in common
    ]
