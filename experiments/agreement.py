"""Judge agreement (the paper's Table E3): from the published rows, or from the judgements of runs.

    python -m experiments.agreement --published
    python -m experiments.agreement runs/main --csv agreement.csv --figure agreement

Exit codes: 0 printed, 2 the command line or a run cannot be used.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from agentmonbench._command import run_command, say
from agentmonbench.errors import DataError, UsageError
from agentmonbench.metrics import metric, round6
from agentmonbench.runs import RunDirectory
from experiments._output import new_figure, save_figure, write_csv
from experiments.published import JUDGES, published_cells
from judges import stored_judgements
from judges.agreement import (
    BatchValue,
    LabelAgreement,
    ValueAgreement,
    label_agreement,
    value_agreement,
)

__all__ = ["app", "main", "published_agreement"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.agreement --published

  python -m experiments.agreement runs/main --reference base --csv agreement.csv --figure agreement"""


@app.command(epilog=EPILOG)
def run(
    runs: Annotated[list[Path] | None, typer.Argument(help="Run folders whose judgements are compared.")] = None,
    *,
    published: Annotated[bool, typer.Option("--published", help="Use the paper's per-judge rows.")] = False,
    reference: Annotated[str, typer.Option(help="The method that the others are compared with.")] = "base",
    csv_path: Annotated[Path | None, typer.Option("--csv", help="Write every number as a tidy CSV file.")] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Write a figure: this path with .png and with .svg at its end.")
    ] = None,
) -> None:
    """Print how far judges agree: direction, differences, rankings, and single labels."""
    labels: tuple[LabelAgreement, ...] = ()
    if published == bool(runs):
        raise UsageError("give run folders, or --published")
    if published:
        reference = "Base"
        values = _published_values()
    else:
        values = _batch_values(runs or [])
        labels = label_agreement(
            {name: each for folder in runs or [] for name, each in stored_judgements(RunDirectory(folder)).items()}
        )
    rows = _compare_all(values, reference)
    if not rows and not labels:
        raise UsageError("there are no two judges to compare")
    for judges, method, agreements in rows:
        print(_value_table(judges, reference, method, agreements))  # noqa: T201
    if labels:
        print(_label_table(labels))  # noqa: T201
    if csv_path is not None:
        write_csv(csv_path, _TidyRow._fields, _tidy_rows(rows, labels, reference))
    if figure is not None:
        _draw(values, figure)


class _TidyRow(NamedTuple):
    judge_1: str
    judge_2: str
    subset: str
    what: str
    statistic: str
    method: str
    value: float | None
    n: int


_Comparison = tuple[tuple[str, str], str, tuple[ValueAgreement, ...]]


def published_agreement() -> tuple[ValueAgreement, ...]:
    """Return the agreement of the paper's two judges on EBG against Base."""
    first, second = JUDGES
    return value_agreement(_published_values(), (first, second), reference="Base", method="EBG")


def _published_values() -> list[BatchValue]:
    return [
        BatchValue(judge, cell.monitor, cell.method, cell.metric, float(mean))
        for cell in published_cells()
        for judge, mean in cell.judges.items()
        if cell.method != "RepoGraph"  # the paper's comparison is between EBG and Base
    ]


def _batch_values(folders: Sequence[Path]) -> list[BatchValue]:
    """Return the batch means of runs: repeats of an example first, whatever failed as 0."""
    groups: dict[tuple[str, str, str, str], dict[str, list[float]]] = {}
    for folder in folders:
        path = folder / "scores.csv"
        try:
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    if row["judge"] and row["official"] == "true":
                        group = groups.setdefault((row["judge"], row["monitor"], row["method"], row["metric"]), {})
                        group.setdefault(row["example"], []).append(float(row["value"]))
        except (OSError, KeyError, ValueError) as error:
            raise DataError(f"{path}: no scores to compare ({error!r})") from None
    return [
        BatchValue(*group, round6(sum(sum(values) / len(values) for values in examples.values()) / len(examples)))
        for group, examples in sorted(groups.items())
    ]


def _compare_all(values: Sequence[BatchValue], reference: str) -> list[_Comparison]:
    judges = list(dict.fromkeys(each.judge for each in values))
    methods = [name for name in dict.fromkeys(each.method for each in values) if name != reference]
    found = [
        (pair, method, value_agreement(values, pair, reference=reference, method=method))
        for pair in combinations(judges, 2)
        for method in methods
    ]
    return [each for each in found if each[2]]


def _value_table(judges: tuple[str, str], reference: str, method: str, rows: Sequence[ValueAgreement]) -> str:
    agree, total = sum(row.direction.agree for row in rows), sum(row.direction.total for row in rows)
    lines = [
        f"{judges[0]} and {judges[1]}, {method} against {reference}",
        f"Direction agreement: {agree} of {total} ({100 * agree / total:.1f}%)",
        f"{'metric':<8}{'direction':>11}{'mean abs diff':>15}{'rho ' + reference:>15}{'rho ' + method:>15}"
        "  judges differ for",
    ]
    lines += [
        f"{row.metric:<8}{f'{row.direction.agree}/{row.direction.total}':>11}{row.mean_absolute_difference:>15.4f}"
        f"{_number(row.spearman[reference]):>15}{_number(row.spearman[method]):>15}"
        f"  {', '.join(row.disagreeing) or '-'}"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _label_table(rows: Sequence[LabelAgreement]) -> str:
    lines = [f"{'subset':<14}{'label':<32}{'units':>6}{'equal':>8}{'kappa':>8}{'alpha':>8}  judges"]
    lines += [
        f"{row.dimension.subset:<14}{row.dimension.name:<32}{row.units:>6}{_number(row.equal, 3):>8}"
        f"{_number(row.kappa, 3):>8}{_number(row.alpha, 3):>8}  {' and '.join(row.judges)}"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _number(value: float, digits: int = 4) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _tidy_rows(comparisons: Sequence[_Comparison], labels: Sequence[LabelAgreement], reference: str) -> list[_TidyRow]:
    rows: list[_TidyRow] = []
    for judges, method, agreements in comparisons:
        against = f"{method} against {reference}"
        for each in agreements:
            what, total = (*judges, metric(each.metric).subset, each.metric), each.direction.total
            difference = each.mean_absolute_difference
            rows.append(_TidyRow(*what, "direction_agreement", against, each.direction.rate, total))
            rows.append(_TidyRow(*what, "mean_absolute_difference", against, difference, 2 * total))
            rows += [_TidyRow(*what, "spearman", arm, rho, total) for arm, rho in each.spearman.items()]
    for label in labels:
        statistics = {"equal": label.equal, "cohen_kappa": label.kappa, "krippendorff_alpha": label.alpha}
        what = (*label.judges, label.dimension.subset, label.dimension.name)
        rows += [_TidyRow(*what, name, "", value, label.units) for name, value in statistics.items()]
    return [row._replace(value=None) if row.value is not None and math.isnan(row.value) else row for row in rows]


def _draw(values: Sequence[BatchValue], path: Path) -> None:
    """Write one panel a metric: one judge's batch means against the other's, with the line of equality."""
    first, second = list(dict.fromkeys(each.judge for each in values))[:2]
    means = {(each.metric, each.method, each.monitor, each.judge): each.value for each in values}
    names = list(dict.fromkeys(each.metric for each in values))
    drawing = new_figure(width=3.2 * len(names), height=3.4)
    for place, name in enumerate(names, start=1):
        panel = drawing.add_subplot(1, len(names), place)
        panel.plot([0, 1], [0, 1], color="0.8", linewidth=1)
        for method in dict.fromkeys(each.method for each in values):
            points = [
                (value, means[name, method, monitor, second])
                for (metric_name, arm, monitor, judge), value in means.items()
                if (metric_name, arm, judge) == (name, method, first) and (name, method, monitor, second) in means
            ]
            panel.scatter([x for x, _ in points], [y for _, y in points], s=18, label=method)
        panel.set(title=name, xlim=(0, 1), ylim=(0, 1), xlabel=first, ylabel=second, aspect="equal")
    drawing.axes[0].legend(loc="upper left", frameon=False)
    for written in save_figure(drawing, path):
        say(f"wrote {written}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.agreement")


if __name__ == "__main__":
    sys.exit(main())
