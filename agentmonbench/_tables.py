"""The tables of a run: two CSV files, and the one that people read."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from agentmonbench._scoring import MEAN_OF_JUDGES, ScoreRow, SummaryRow
from agentmonbench.examples import SUBSETS, SubsetName
from agentmonbench.metrics import metrics_of, table_value

__all__ = ["SUBSET_TITLES", "Cell", "Table", "TableRow", "overview", "scores_csv", "summary_csv", "tables"]

NOTHING = "-"
"""A cell without a value: the method does not apply to the subset."""

SUBSET_TITLES = {
    "specgap": ("SpecGAP", "Requirements that the code implements and the document leaves out: were they found?"),
    "silentswap": ("SilentSwap", "Five places where the code's meaning departs from the document: were they found?"),
    "feedbacktrace": (
        "FeedbackTrace",
        "The decision that the user would push back on: was it named, on what evidence?",
    ),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a table; `best` marks the largest of its column when there is anything to compare."""

    text: str
    best: bool = False
    interval: str = ""
    """The 95% interval of the mean."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One monitor with one method."""

    monitor: str
    method: str
    cells: tuple[Cell, ...]
    examples: int
    failed: int


@dataclass(frozen=True, slots=True)
class Table:
    """The results of one subset."""

    subset: str
    heading: str
    explains: str
    metrics: tuple[str, ...]
    rows: tuple[TableRow, ...]


def tables(summary: Sequence[SummaryRow], *, companions: bool = True) -> tuple[Table, ...]:
    """Return one table a subset, official metrics first, with the values rounded half up to three decimals."""
    shown = [row for row in summary if row.judge in {"", MEAN_OF_JUDGES}]
    return tuple(
        _table(subset, [row for row in shown if row.subset == subset], companions=companions)
        for subset in SUBSETS
        if any(row.subset == subset for row in shown)
    )


def overview(summary: Sequence[SummaryRow]) -> Table:
    """Return one table over all subsets with the official metrics, as in the paper's main table."""
    official = [row for row in summary if row.official]
    parts = tables(official)
    arms = dict.fromkeys((row.monitor, row.method) for row in summary)
    blank = {part.subset: tuple(Cell(NOTHING) for _ in part.metrics) for part in parts}
    rows = []
    for monitor, method in arms:
        found = [
            next((row for row in part.rows if (row.monitor, row.method) == (monitor, method)), None) for part in parts
        ]
        cells = tuple(
            cell
            for part, row in zip(parts, found, strict=True)
            for cell in (row.cells if row is not None else blank[part.subset])
        )
        examples = sum(row.examples for row in found if row is not None)
        failed = sum(row.failed for row in found if row is not None)
        rows.append(TableRow(monitor=monitor, method=method, cells=cells, examples=examples, failed=failed))
    return Table(
        subset="",
        heading="Results",
        explains="; ".join(f"{', '.join(part.metrics)}: {part.heading}" for part in parts),
        metrics=tuple(name for part in parts for name in part.metrics),
        rows=tuple(rows),
    )


def _table(subset: SubsetName, summary: Sequence[SummaryRow], *, companions: bool) -> Table:
    present = {row.metric for row in summary}
    names = tuple(
        metric.name
        for metric in metrics_of(summary[0].subset)
        if metric.name in present and (companions or metric.official)
    )
    arms = dict.fromkeys((row.monitor, row.method) for row in summary)
    means = {(row.monitor, row.method, row.metric): row for row in summary}
    best = {name: max(row.mean for row in summary if row.metric == name) for name in names}

    def cell(arm: tuple[str, str], name: str) -> Cell:
        row = means.get((*arm, name))
        if row is None:
            return Cell(NOTHING)
        return Cell(
            f"{table_value([row.mean]):.3f}",
            best=len(arms) > 1 and row.mean == best[name] > 0,
            interval=f"{row.low:.2f}-{row.high:.2f}",
        )

    heading, explains = SUBSET_TITLES[subset]
    return Table(
        subset=subset,
        heading=heading,
        explains=explains,
        metrics=names,
        rows=tuple(
            TableRow(
                monitor=monitor,
                method=method,
                cells=tuple(cell((monitor, method), name) for name in names),
                examples=max(row.examples for row in summary if (row.monitor, row.method) == (monitor, method)),
                failed=max(row.failed for row in summary if (row.monitor, row.method) == (monitor, method)),
            )
            for monitor, method in arms
        ),
    )


def scores_csv(rows: Sequence[ScoreRow]) -> str:
    """Return `scores.csv`: one line per example and metric, values in full precision."""
    return _csv(ScoreRow, rows)


def summary_csv(rows: Sequence[SummaryRow]) -> str:
    """Return `summary.csv`: one line per monitor, method, subset and metric."""
    return _csv(SummaryRow, rows)


def _csv(kind: type[ScoreRow] | type[SummaryRow], rows: Sequence[ScoreRow] | Sequence[SummaryRow]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(kind)], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _plain(value) for name, value in asdict(row).items()})
    return text.getvalue()


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    return "" if value is None else value
