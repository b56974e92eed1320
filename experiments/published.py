"""The paper's main table as data, and proof that it follows from its own per-judge rows.

    python -m experiments.published
    python -m experiments.published runs/main

The first prints the table and how many of its cells are reproduced; the second sets a run beside it and says why the
two are not comparable.

Exit codes: 0 printed, 2 the command line or the run cannot be used.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from agentmonbench._command import run_command
from agentmonbench._scoring import MEAN_OF_JUDGES
from agentmonbench.errors import DataError, UsageError
from agentmonbench.examples import SubsetName
from agentmonbench.metrics import METRICS, MetricSource, metric, table_value
from agentmonbench.runs import RunDirectory
from subsets import RELEASE

__all__ = [
    "JUDGES",
    "METHODS",
    "Beside",
    "PublishedCell",
    "app",
    "beside",
    "beside_run",
    "main",
    "not_comparable",
    "published_cells",
    "published_monitor",
    "published_value",
]

EXAMPLES = 100
"""Examples of each subset in the paper."""

METHODS = ("Base", "RepoGraph", "EBG")
JUDGES = ("GLM-5.2", "Qwen3.7-Max")
MONITOR_IDS = {
    "gpt-5-6-luna": "GPT-5.6 Luna",
    "gpt-5-6-terra": "GPT-5.6 Terra",
    "gpt-5-6-sol": "GPT-5.6 Sol",
    "claude-sonnet-5": "Claude Sonnet 5",
    "deepseek-v4-1-flash": "DeepSeek-V4.1-Flash",
    "deepseek-v4-pro": "DeepSeek-V4-Pro",
    "kimi-k3": "Kimi K3",
    "glm-5-3": "GLM-5.3",
}
"""Names of models as providers write them, dots as hyphens, and the monitors they are in the table."""
OFFICIAL = tuple(each.name for each in METRICS if each.official)


@dataclass(frozen=True, slots=True)
class PublishedCell:
    """One cell of the table."""

    monitor: str
    family: str
    method: str
    metric: str
    value: Decimal
    """As printed, three decimals."""
    judges: Mapping[str, Decimal]
    """Batch mean of each judge, as published; empty for rule metrics."""

    @property
    def subset(self) -> SubsetName:
        """Subset of the metric."""
        return metric(self.metric).subset

    @property
    def source(self) -> MetricSource:
        """Who computes the metric."""
        return metric(self.metric).source

    @property
    def recomputed(self) -> Decimal:
        """The cell as it follows from its per-judge rows; a rule metric has one row, the value itself."""
        return table_value([float(mean) for mean in self.judges.values()] or [float(self.value)])


@cache
def published_cells() -> tuple[PublishedCell, ...]:
    """Return the 192 cells: by monitor as published, then method, then metric."""
    text = files("experiments").joinpath("published_scores.csv").read_text(encoding="utf-8")
    cells = []
    for row in csv.DictReader(text.splitlines()):
        for name in OFFICIAL:
            if row[name]:
                means = {judge: Decimal(row[f"{name} {judge}"]) for judge in JUDGES if f"{name} {judge}" in row}
                cells.append(PublishedCell(row["model"], row["family"], row["method"], name, Decimal(row[name]), means))
    return tuple(cells)


def published_value(monitor: str, method: str, name: str) -> Decimal | None:
    """Return a cell's value, or None where the paper has none (RepoGraph on sessions).

    Args:
        monitor: a name as published, for example `Kimi K3`.
        method: `Base`, `RepoGraph` or `EBG`, in any case.
        name: an official metric.

    Raises:
        UsageError: when monitor or method are unknown; the message lists them.
    """
    monitors = list(dict.fromkeys(cell.monitor for cell in published_cells()))
    if monitor not in monitors:
        raise UsageError(f"no published monitor {monitor!r}; there are {', '.join(monitors)}")
    if method.casefold() not in {each.casefold() for each in METHODS}:
        raise UsageError(f"no published method {method!r}; there are {', '.join(METHODS)}")
    for cell in published_cells():
        if (cell.monitor, cell.method.casefold(), cell.metric) == (monitor, method.casefold(), name):
            return cell.value
    return None


class Beside(NamedTuple):
    """A run's value next to the published one."""

    monitor: str
    method: str
    metric: str
    value: float
    published: Decimal | None
    """None when the paper has no such monitor, method or metric."""


def published_monitor(name: str) -> str | None:
    """Return the table's name of a monitor, for example `Kimi K3` for `moonshot/kimi-k3`; None when it has none."""
    short = name.rpartition("/")[2].casefold()
    return MONITOR_IDS.get(short.replace(".", "-")) or next(
        (each for each in MONITOR_IDS.values() if each.casefold() == short), None
    )


def beside(rows: Iterable[tuple[str, str, str, float]]) -> tuple[Beside, ...]:
    """Set a run's means beside the published values.

    Args:
        rows: (monitor, method, metric, mean) of official metrics; others are left out.
    """
    known = {method.casefold() for method in METHODS}
    found = []
    for monitor, method, name, mean in rows:
        if name in OFFICIAL:
            title = published_monitor(monitor)
            value = published_value(title, method, name) if title and method.casefold() in known else None
            found.append(Beside(monitor, method, name, mean, value))
    return tuple(found)


def not_comparable(
    *, sources: Mapping[str, str], examples: Mapping[str, int], monitors: Iterable[str], judges: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return every reason why a run cannot be compared with the published table; there is always one.

    Args:
        sources: where each subset came from.
        examples: number of examples of each subset.
        monitors: monitors of the run.
        judges: judges of the run.
    """
    reasons = ["prompts: this project's own texts, not the paper's"]
    reasons += [f"data: {name} from {source}, not {RELEASE}" for name, source in sources.items() if source != RELEASE]
    reasons += [
        f"data: {count} of {EXAMPLES} examples of {name}" for name, count in examples.items() if count < EXAMPLES
    ]
    reasons += [f"monitor: {name} is not in the table" for name in monitors if published_monitor(name) is None]
    known = {judge.casefold() for judge in JUDGES}
    reasons += [
        f"judge: {name} is not one of the paper's ({', '.join(JUDGES)})"
        for name in judges
        if name.rpartition("/")[2].casefold() not in known
    ]
    return tuple(reasons)


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.published

  python -m experiments.published runs/main

  python -m experiments.published --csv > published.csv"""


@app.command(epilog=EPILOG)
def run(
    folder: Annotated[Path | None, typer.Argument(metavar="[RUN]", help="A run folder to set beside it.")] = None,
    *,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print every published cell as CSV.")] = False,
) -> None:
    """Print the published main table and check it against its own per-judge rows, or set a run beside it."""
    if folder is not None:
        print(beside_run(folder))  # noqa: T201
    else:
        print(_cells_csv() if as_csv else _table())  # noqa: T201


def _cells_csv() -> str:
    lines = ["monitor,method,subset,metric,value," + ",".join(JUDGES)]
    for cell in published_cells():
        means = ",".join(str(cell.judges.get(judge, "")) for judge in JUDGES)
        lines.append(f"{cell.monitor},{cell.method},{cell.subset},{cell.metric},{cell.value},{means}")
    return "\n".join(lines)


def _table() -> str:
    cells = published_cells()
    values = {(cell.monitor, cell.method, cell.metric): str(cell.value) for cell in cells}
    lines = [f"{'monitor':<20} {'method':<10}" + "".join(f"{name:>7}" for name in OFFICIAL)]
    for monitor, method in dict.fromkeys((cell.monitor, cell.method) for cell in cells):
        row = "".join(f"{values.get((monitor, method, name), '-'):>7}" for name in OFFICIAL)
        lines.append(f"{monitor:<20} {method:<10}{row}")
    equal = sum(cell.recomputed == cell.value for cell in cells)
    lines += ["", f"{equal} of {len(cells)} cells equal the mean of their per-judge rows, rounded half up"]
    return "\n".join(lines)


def beside_run(folder: Path) -> str:
    """Return a finished run's official means beside the published ones, and every reason why they do not compare.

    Raises:
        DataError: when the folder holds no finished run.
    """
    manifest = RunDirectory(folder).manifest()
    try:
        with (folder / "summary.csv").open(encoding="utf-8", newline="") as file:
            summary = [row for row in csv.DictReader(file) if row["metric"] in OFFICIAL]
        shown = [row for row in summary if row["judge"] in {"", MEAN_OF_JUDGES}]
        rows = beside((row["monitor"], row["method"], row["metric"], float(row["mean"])) for row in shown)
        reasons = not_comparable(
            sources=manifest["sources"],
            examples={row["subset"]: int(row["examples"]) for row in summary},
            monitors=dict.fromkeys(row["monitor"] for row in summary),
            judges=dict.fromkeys(row["judge"] for row in summary if row["judge"] not in {"", MEAN_OF_JUDGES}),
        )
    except (OSError, KeyError, ValueError) as error:
        raise DataError(f"{folder}: no finished run to compare ({error})") from None
    lines = [f"{'monitor':<24} {'method':<10} {'metric':<7}{'run':>8}{'paper':>8}"]
    lines += [
        f"{row.monitor:<24} {row.method:<10} {row.metric:<7}{table_value([row.value]):>8}{row.published or '-':>8}"
        for row in rows
    ]
    return "\n".join([*lines, "", "Not comparable:", *(f"- {reason}" for reason in reasons)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.published")


if __name__ == "__main__":
    sys.exit(main())
