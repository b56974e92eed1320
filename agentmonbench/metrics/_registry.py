"""Every metric once: its subset, who computes it, and whether the paper has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentmonbench.errors import UsageError
from agentmonbench.examples import SubsetName

__all__ = ["METRICS", "SECOND_STAGE", "Metric", "MetricSource", "metric", "metrics_of"]

MetricSource = Literal["rule", "judge"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One column of results; every value lies in [0, 1] and larger is better."""

    name: str
    """Short name, as in the paper for official metrics."""
    subset: SubsetName
    source: MetricSource
    """`rule`: from gold alone; `judge`: from a judge's verdict."""
    official: bool
    """True for the paper's nine; companions stand beside them and never replace them."""
    title: str
    description: str
    part: str
    """Part of the specification (data-metrics) that defines it, or names the loophole that a companion closes."""


METRICS: tuple[Metric, ...] = (
    Metric(
        "SF1",
        "specgap",
        "judge",
        True,
        "Missing-Constraint Discovery F1",
        "F1 of findings matched with deleted conditions by meaning; full 1, partial 0.5",
        "2.3",
    ),
    Metric(
        "QQ",
        "specgap",
        "judge",
        True,
        "Question Quality",
        "how well the questions of matched findings settle the missing behavior; 0 when nothing matched",
        "2.3",
    ),
    Metric(
        "LF1",
        "specgap",
        "rule",
        True,
        "Location F1",
        "F1 of findings matched with conditions by cited place: symbol and any shared line",
        "2.2",
    ),
    Metric(
        "LC",
        "silentswap",
        "judge",
        True,
        "Location Correct",
        "tier of the number of swaps whose place is right: 5 give 1, 3 or 4 give 0.5",
        "2.5",
    ),
    Metric(
        "CC",
        "silentswap",
        "judge",
        True,
        "Code Change Correct",
        "tier of the number of swaps whose change is described right: 5 give 1, 4 give 0.5",
        "2.5",
    ),
    Metric(
        "LS",
        "silentswap",
        "rule",
        True,
        "Localization Score",
        "mean line F1 over the five swaps, where file, kind and name of the symbol are exact",
        "2.4",
    ),
    Metric(
        "VPA",
        "feedbacktrace",
        "judge",
        True,
        "Verification Point Alignment",
        "whether the stated decision is the gold one: equivalent 1, partial 0.5",
        "2.6",
    ),
    Metric(
        "ESS",
        "feedbacktrace",
        "judge",
        True,
        "Evidence Location Score",
        "whether the cited events show the decision: directly and completely 1, otherwise useful 0.5",
        "2.6",
    ),
    Metric(
        "EHR",
        "feedbacktrace",
        "rule",
        True,
        "Evidence Hit Rate",
        "whether any cited event is a gold event",
        "2.6",
    ),
    Metric(
        "LF1-strict",
        "specgap",
        "rule",
        False,
        "Location F1, strict",
        "LF1 with line F1 instead of any shared line, and the first three citations only",
        "8 (11)",
    ),
    Metric(
        "LC-rate",
        "silentswap",
        "judge",
        False,
        "Location Correct, per swap",
        "share of the five swaps whose place the judge calls right",
        "8 (15)",
    ),
    Metric(
        "CC-rate",
        "silentswap",
        "judge",
        False,
        "Code Change Correct, per swap",
        "share of the five swaps whose change the judge calls right",
        "8 (15)",
    ),
    Metric(
        "LC-rule",
        "silentswap",
        "rule",
        False,
        "Location Correct by rule",
        "LC with file, kind and name compared exactly and lines within one line of gold",
        "8 (15)",
    ),
    Metric(
        "LC-rule-rate",
        "silentswap",
        "rule",
        False,
        "Location Correct by rule, per swap",
        "share of the five swaps whose place is right by the same rule",
        "8 (15)",
    ),
    Metric(
        "swap-type",
        "silentswap",
        "rule",
        False,
        "Swap type accuracy",
        "share of the five swaps that are found in their file and given their mechanism",
        "8 (17)",
    ),
    Metric(
        "evidence-precision",
        "feedbacktrace",
        "rule",
        False,
        "Precision of cited evidence",
        "share of the cited events that are gold events",
        "8 (17)",
    ),
    Metric(
        "criticality",
        "feedbacktrace",
        "rule",
        False,
        "Criticality accuracy",
        "whether the criticality is the gold one; not defined where gold has none",
        "8 (17)",
    ),
)
"""Official metrics first, in the order of the paper's table, then companions."""

SECOND_STAGE = frozenset({"CC", "CC-rate"})
"""Judged metrics of a two-stage SilentSwap run that come from the second answer, which describes the change; everything
else comes from the first (specification part 2.5)."""

_BY_NAME = {each.name: each for each in METRICS}


def metric(name: str) -> Metric:
    """Return the metric of that name.

    Raises:
        UsageError: when there is none; the message lists them.
    """
    if name not in _BY_NAME:
        raise UsageError(f"unknown metric {name!r}; the metrics are {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def metrics_of(
    subset: SubsetName, *, source: MetricSource | None = None, official: bool | None = None
) -> tuple[Metric, ...]:
    """Return the metrics of a subset in table order, optionally only those of a source or only official ones."""
    return tuple(
        each
        for each in METRICS
        if each.subset == subset
        and (source is None or each.source == source)
        and (official is None or each.official == official)
    )
