"""From stored predictions and gold to scores: the only part of a run that sees both.

A failed prediction, a broken bundle and a scorer's refusal all score 0 in every metric, stay in every mean, and are
counted (specification data-metrics.md, part 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agentmonbench._predict import Source
from agentmonbench.errors import DataError
from agentmonbench.examples import Example, SubsetName
from agentmonbench.loop import Record
from agentmonbench.metrics import Scores, failed_scores, metrics_of, score
from agentmonbench.metrics.statistics import clusters_of, epoch_means, mean_interval
from agentmonbench.report._build import build_items, title_of
from agentmonbench.report._details import Detail
from agentmonbench.runs import Key

__all__ = [
    "INTERVAL_SEED",
    "MEAN_OF_JUDGES",
    "Judged",
    "ScoreRow",
    "Scored",
    "SummaryRow",
    "example_means",
    "score_run",
    "summarize",
]

INTERVAL_SEED = 20_260_914
"""Seed of every interval, so that scoring a run again gives the same digits."""

MEAN_OF_JUDGES = "mean"
"""Name in `summary.csv` of the mean over the judges' batch means, the paper's value of a judged metric."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The judged metrics that one judge gave one prediction."""

    values: Mapping[str, float]
    failures: Mapping[str, str]
    """Code of what failed, by metric; such a metric is 0."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One example and metric."""

    subset: SubsetName
    example: str
    method: str
    monitor: str
    repeat: int
    metric: str
    official: bool
    source: str
    """`rule` or `judge`."""
    judge: str
    """Name of the judge; empty for rule metrics."""
    value: float
    status: str
    """`ok`, or `failed`: then the value is 0 by rule."""
    failure: str
    """Code of the failure; empty when there is none."""
    cluster: str
    """Smallest id of the examples of the same repository; a session is its own."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One metric of one monitor and method over a subset."""

    subset: SubsetName
    monitor: str
    method: str
    metric: str
    judge: str
    """Name of the judge, `mean` for the mean over judges, empty for rule metrics."""
    official: bool
    examples: int
    failed: int
    mean: float
    """Over all examples, failed ones as 0."""
    low: float
    """Lower end of the 95% interval of the mean, by the clustered bootstrap."""
    high: float
    mean_completed: float | None
    """Over the examples that did not fail; None when all failed."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What scoring a run gives."""

    rows: tuple[ScoreRow, ...]
    details: tuple[Detail, ...]


def score_run(
    records: Mapping[Key, Record],
    subsets: Mapping[str, Source],
    judged: Mapping[tuple[Key, str], Judged] | None = None,
) -> Scored:
    """Score every record, in key order.

    Args:
        records: the predictions of a run.
        subsets: where examples and gold come from, by name.
        judged: judged metrics by prediction and judge. A failed prediction counts 0 with every judge of the run.
    """
    judged = judged or {}
    judges = sorted({judge for _, judge in judged})
    clusters = {name: _clusters(subsets[name]) for name in dict.fromkeys(key.subset for key in records)}
    rows: list[ScoreRow] = []
    details: list[Detail] = []
    for key in sorted(records):
        scores, detail = _score_one(key, records[key], subsets[key.subset])
        cluster = clusters[key.subset].get(key.example, key.example)
        rows += _rule_rows(key, scores, cluster)
        shown = dict(detail.metrics)
        for judge in judges:
            failed = Judged({}, {}) if scores.failure else judged.get((key, judge))
            if failed is not None:
                rows += _judge_rows(key, judge, failed, scores.failure, cluster)
                shown |= {f"{name} ({judge})": value for name, value in failed.values.items()}
        details.append(detail.model_copy(update={"metrics": shown}))
    return Scored(tuple(rows), tuple(details))


def _score_one(key: Key, record: Record, subset: Source) -> tuple[Scores, Detail]:
    title = key.example
    try:
        example, gold = subset.example(key.example), subset.gold(key.example)
        title = title_of(example)
        if record.prediction is None:
            code = record.failure.code if record.failure else "no_prediction"
            scores = failed_scores(key.example, subset.name, code)
        else:
            scores = score(example, gold, record.prediction)
        items, targets = build_items(example, gold, record.prediction, scores.details)
    except DataError as error:
        scores, items, targets = failed_scores(key.example, subset.name, error.code), (), ()
        message = f"{error.code}: {error}"
    else:
        message = f"{record.failure.code}: {record.failure.message}" if record.failure else scores.failure or ""
    totals = record.totals
    known = totals.input_tokens is not None and totals.output_tokens is not None
    detail = Detail(
        subset=key.subset,
        example_id=key.example,
        method=key.method,
        monitor=key.monitor,
        repeat=key.repeat,
        title=title,
        metrics={name: value for name, value in scores.values.items() if value is not None},
        failure=message or None,
        requests=totals.requests,
        tokens=(totals.input_tokens or 0) + (totals.output_tokens or 0) if known else totals.prompt_tokens_estimate,
        tokens_reported=known,
        cost_usd=totals.cost_usd,
        items=items,
        targets=targets,
    )
    return scores, detail


def _rule_rows(key: Key, scores: Scores, cluster: str) -> Iterable[ScoreRow]:
    for metric in metrics_of(scores.subset, source="rule"):
        value = scores.values[metric.name]
        if value is None:  # a companion that this example's gold does not define
            continue
        yield ScoreRow(
            subset=key.subset,
            example=key.example,
            method=key.method,
            monitor=key.monitor,
            repeat=key.repeat,
            metric=metric.name,
            official=metric.official,
            source=metric.source,
            judge="",
            value=value,
            status="failed" if scores.failure else "ok",
            failure=scores.failure or "",
            cluster=cluster,
        )


def _judge_rows(key: Key, judge: str, judged: Judged, failure: str | None, cluster: str) -> Iterable[ScoreRow]:
    for metric in metrics_of(key.subset, source="judge"):
        code = failure or judged.failures.get(metric.name, "")
        yield ScoreRow(
            subset=key.subset,
            example=key.example,
            method=key.method,
            monitor=key.monitor,
            repeat=key.repeat,
            metric=metric.name,
            official=metric.official,
            source=metric.source,
            judge=judge,
            value=0.0 if code else judged.values[metric.name],
            status="failed" if code else "ok",
            failure=code,
            cluster=cluster,
        )


def summarize(rows: Sequence[ScoreRow]) -> tuple[SummaryRow, ...]:
    """Return the means: repeats of an example are averaged first, so that every example has the same weight.

    A judged metric has one row a judge, then one with the mean of the judges' means. Rows are ordered by first
    appearance of subset, monitor, method and metric in `rows`.
    """
    groups: dict[tuple[SubsetName, str, str, str], dict[str, list[ScoreRow]]] = {}
    for row in rows:
        by_judge = groups.setdefault((row.subset, row.monitor, row.method, row.metric), {})
        by_judge.setdefault(row.judge, []).append(row)
    summary: list[SummaryRow] = []
    for by_judge in groups.values():
        parts = [_summary(group) for group in by_judge.values()]
        summary += parts
        if parts[0].judge:
            together = [row for group in by_judge.values() for row in group]
            summary.append(_mean_of_judges(parts, _summary(together)))
    return tuple(summary)


def _mean_of_judges(parts: Sequence[SummaryRow], together: SummaryRow) -> SummaryRow:
    """Return the mean of the judges' means; its interval is that of the examples' means over judges."""
    completed = [part.mean_completed for part in parts if part.mean_completed is not None]
    return replace(
        parts[0],
        judge=MEAN_OF_JUDGES,
        failed=max(part.failed for part in parts),
        mean=sum(part.mean for part in parts) / len(parts),
        low=together.low,
        high=together.high,
        mean_completed=sum(completed) / len(completed) if completed else None,
    )


def _summary(group: Sequence[ScoreRow]) -> SummaryRow:
    first = group[0]
    completed = [row for row in group if row.status == "ok"]
    values = example_means(group)
    interval = mean_interval(values, seed=INTERVAL_SEED, clusters={row.example: row.cluster for row in group})
    return SummaryRow(
        subset=first.subset,
        monitor=first.monitor,
        method=first.method,
        metric=first.metric,
        judge=first.judge,
        official=first.official,
        examples=len({row.example for row in group}),
        failed=len({row.example for row in group if row.status != "ok"}),
        mean=round(interval.mean, 6),
        low=round(interval.low, 6),
        high=round(interval.high, 6),
        mean_completed=_mean_of_examples(completed) if completed else None,
    )


def example_means(rows: Iterable[ScoreRow]) -> dict[str, float]:
    """Return one value per example: the mean of its repeats."""
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row.example, []).append(row.value)
    return epoch_means(values)


def _mean_of_examples(rows: Iterable[ScoreRow]) -> float:
    means = example_means(rows).values()
    return round(sum(means) / len(means), 6)


def _clusters(subset: Source) -> dict[str, str]:
    def readable() -> Iterable[Example]:
        for example_id in subset.ids:
            try:
                yield subset.example(example_id)
            except DataError:  # it counts as failed, and is a cluster of its own
                continue

    return clusters_of(readable())
