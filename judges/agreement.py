"""How far two judges agree: on batch means (the paper's table), and on every single label that they gave.

A failed judge has no labels: agreement is measured where both judged, and the number of units is always given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from agentmonbench.examples import SubsetName
from agentmonbench.metrics import (
    METRICS,
    DirectionAgreement,
    Level,
    cohen_kappa,
    direction_agreement,
    krippendorff_alpha,
    mean_absolute_difference,
    spearman,
)
from judges._batch import JudgementKey
from judges._judgement import Judgement
from judges.silentswap import ChangeCheck, LocationCheck

__all__ = [
    "BatchValue",
    "Dimension",
    "LabelAgreement",
    "ValueAgreement",
    "label_agreement",
    "labels_of",
    "value_agreement",
]

ORDINAL = frozenset({"match", "question", "point", "evidence"})


class BatchValue(NamedTuple):
    """The mean of one metric over a batch, by one judge."""

    judge: str
    monitor: str
    method: str
    metric: str
    value: float


class Dimension(NamedTuple):
    """Something that judges put a label on, for example `match` of SpecGAP."""

    subset: SubsetName
    name: str

    @property
    def level(self) -> Level:
        """Ordinal for graded labels, nominal for yes and no."""
        return "ordinal" if self.name in ORDINAL else "nominal"


@dataclass(frozen=True, slots=True)
class ValueAgreement:
    """Agreement of two judges on one metric's batch means."""

    metric: str
    direction: DirectionAgreement
    """Do both see the method on the same side of the reference, monitor by monitor?"""
    disagreeing: tuple[str, ...]
    """The monitors for which they do not."""
    mean_absolute_difference: float
    """Over all monitors, with the reference and with the method."""
    spearman: Mapping[str, float]
    """Rank correlation of the monitors, by method."""


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement of two judges on the labels of one dimension."""

    dimension: Dimension
    judges: tuple[str, str]
    units: int
    """Labels that both gave."""
    equal: float
    """Share of equal labels."""
    kappa: float
    """Cohen's kappa."""
    alpha: float
    """Krippendorff's alpha, ordinal where labels are graded."""


def value_agreement(
    values: Iterable[BatchValue], judges: tuple[str, str], *, reference: str, method: str
) -> tuple[ValueAgreement, ...]:
    """Return the agreement of two judges, metric by metric in table order.

    Monitors that lack the reference, the method or a judge for a metric are left out of it.

    Args:
        values: batch means.
        judges: the two judges.
        reference: the method that is compared against, for example `base`.
        method: the other method.
    """
    means = {(each.metric, each.monitor, each.method, each.judge): each.value for each in values}
    monitors = list(dict.fromkeys(monitor for _, monitor, _, _ in means))
    rows = []
    for name in (each.name for each in METRICS if each.source == "judge"):
        complete = [
            monitor
            for monitor in monitors
            if all((name, monitor, arm, judge) in means for arm in (reference, method) for judge in judges)
        ]
        if not complete:
            continue
        by = {
            (arm, judge): [means[name, monitor, arm, judge] for monitor in complete]
            for arm in (reference, method)
            for judge in judges
        }
        gains = {
            judge: [a - b for a, b in zip(by[method, judge], by[reference, judge], strict=True)] for judge in judges
        }
        first, second = (gains[judge] for judge in judges)
        rows.append(
            ValueAgreement(
                metric=name,
                direction=direction_agreement(first, second),
                disagreeing=tuple(
                    monitor
                    for monitor, a, b in zip(complete, first, second, strict=True)
                    if not direction_agreement([a], [b]).agree
                ),
                mean_absolute_difference=mean_absolute_difference(
                    *(by[reference, judge] + by[method, judge] for judge in judges)
                ),
                spearman={arm: spearman(*(by[arm, judge] for judge in judges)) for arm in (reference, method)},
            )
        )
    return tuple(rows)


def label_agreement(judgements: Mapping[JudgementKey, Judgement]) -> tuple[LabelAgreement, ...]:
    """Return the agreement of every pair of judges on every dimension, in order of subset, dimension and judges.

    Labels are compared within one prediction only.
    """
    labels: dict[Dimension, dict[str, dict[str, float]]] = {}
    for name, judgement in judgements.items():
        for dimension, units in labels_of(judgement).items():
            by_judge = labels.setdefault(dimension, {}).setdefault(name.judge, {})
            prefix = f"{name.key.monitor}/{name.key.method}/{name.key.repeat}/{name.stage}"
            by_judge.update({f"{prefix}/{unit}": value for unit, value in units.items()})
    return tuple(
        _pair(dimension, (first, second), by_judge[first], by_judge[second])
        for dimension, by_judge in sorted(labels.items(), key=lambda item: item[0])
        for first, second in combinations(sorted(by_judge), 2)
    )


def labels_of(judgement: Judgement) -> dict[Dimension, dict[str, float]]:
    """Return a judgement's labels as numbers, by dimension and unit; none for a failed judge.

    SpecGAP gives a match score to every condition (0 when unmatched) and a question score to matched ones; SilentSwap
    every boolean of every swap and whether all of a kind hold; FeedbackTrace the two graded values.
    """
    if judgement.answer is None:
        return {}
    match judgement.subset:
        case "specgap":
            labels = _gaps(judgement.answer)
        case "silentswap":
            labels = _swaps(judgement.answer)
        case "feedbacktrace":
            values = judgement.values
            labels = {"point": {"": values["VPA"]}, "evidence": {"": values["ESS"]}}
    return {
        Dimension(judgement.subset, name): {f"{judgement.example_id}/{unit}": value for unit, value in units.items()}
        for name, units in labels.items()
    }


def _gaps(answer: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    match = dict.fromkeys(answer["unmatched_conditions"], 0.0)
    match |= {each["condition_id"]: each["match_score"] for each in answer["matches"]}
    return {"match": match, "question": {each["condition_id"]: each["question_score"] for each in answer["matches"]}}


def _swaps(answer: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    labels: dict[str, dict[str, float]] = {}
    for name, form, key in (
        ("location", LocationCheck, "location_checks"),
        ("change", ChangeCheck, "code_change_checks"),
    ):
        for raw in answer[key]:
            check = form.model_validate(raw)
            for fact, value in {name: check.correct, **check.facts}.items():
                labels.setdefault(fact, {})[str(check.reference_swap_number)] = float(value)
    return labels


def _pair(
    dimension: Dimension, judges: tuple[str, str], first: Mapping[str, float], second: Mapping[str, float]
) -> LabelAgreement:
    units = sorted(first.keys() & second.keys())
    pairs = [(first[unit], second[unit]) for unit in units]
    columns: Sequence[list[float]] = [[pair[side] for pair in pairs] for side in (0, 1)]
    return LabelAgreement(
        dimension=dimension,
        judges=judges,
        units=len(units),
        equal=sum(a == b for a, b in pairs) / len(pairs) if pairs else float("nan"),
        kappa=cohen_kappa(*columns),
        alpha=krippendorff_alpha([first, second], level=dimension.level),
    )
