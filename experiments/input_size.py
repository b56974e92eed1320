"""Quality against the size of the input (the paper's Figure 5, Table E5 and Figure E1).

    python -m experiments.input_size runs/main
    python -m experiments.input_size runs/main --metric LF1 --reference base --csv size.csv --figure size

Within each subset the examples are cut into three groups by the tokens of what may be seen: the document and every
admitted file, or the selectable events of a session. Beside the group means stand the differences to the reference
method, and the slopes on log2(tokens). Exit codes: 0 printed, 1 some examples could not be opened, 2 the run or its
data cannot be used.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated, NamedTuple

import typer

from agentmonbench._command import run_command, say
from agentmonbench._comparison import ArmScores, read_arms
from agentmonbench._scoring import INTERVAL_SEED
from agentmonbench.errors import DataError, UsageError
from agentmonbench.examples import Example
from agentmonbench.methods._repository import repository_of
from agentmonbench.metrics import METRICS, Tercile, metric, terciles
from agentmonbench.metrics.statistics import Interval, mean_interval
from agentmonbench.runs import RunDirectory
from ebg.errors import EbgError
from ebg.tokens import ESTIMATE, TokenCounter, exact
from experiments._console import print_grid
from experiments._output import new_figure, save_figure, write_csv
from experiments._slopes import slope
from experiments._stored import StoredRun, open_run

__all__ = ["GROUPS", "MEAN_OF_MONITORS", "SizeRow", "app", "input_tokens", "main", "rows_of"]

GROUPS: tuple[Tercile, ...] = ("Low", "Medium", "High")
MEAN_OF_MONITORS = "mean"
"""Name of the mean over all monitors of a run, example by example."""
RULE_METRICS = tuple(each.name for each in METRICS if each.official and each.source == "rule")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.input_size runs/main

  python -m experiments.input_size runs/main --metric LF1 --reference base --csv size.csv --figure size"""


class SizeRow(NamedTuple):
    """One number about one arm."""

    subset: str
    metric: str
    monitor: str
    method: str
    statistic: str
    """`mean`, `difference` (to the reference, paired), `relative_gain` (percent of the reference's mean), `slope`
    (change per doubling of the tokens) or `slope_difference`."""
    group: str
    """Low, Medium or High; empty for slopes."""
    examples: int
    median_tokens: float
    value: float | None
    """None for a gain over 0, and for a slope over examples of one size."""
    low: float | None
    high: float | None


@app.command(epilog=EPILOG)
def run(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A scored run folder.")],
    *,
    metric_names: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Metrics; repeatable.", show_default=", ".join(RULE_METRICS)),
    ] = None,
    reference: Annotated[str, typer.Option(help="The method that the others are compared with.")] = "base",
    source: Annotated[
        str | None, typer.Option(help="Where the run's data lies now.", show_default="as the run says")
    ] = None,
    csv_path: Annotated[Path | None, typer.Option("--csv", help="Write every number as a tidy CSV file.")] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Write a figure: this path with .png and .svg at its end.")
    ] = None,
) -> None:
    """Print metrics by the size of the input, with intervals, differences and slopes."""
    names = [metric(name).name for name in metric_names or RULE_METRICS]
    arms = read_arms(RunDirectory(folder))
    counter = exact() or ESTIMATE
    sizes, broken = _sizes(open_run(folder, source), counter)
    rows = rows_of(sizes, arms, metrics=names, reference=reference)
    if not rows:
        raise UsageError(f"{folder} has no scores of {', '.join(names)}")
    _print(rows)
    say(f"Tokens by {counter.name}; groups of equal size within each subset; 95% intervals.")
    if csv_path is not None:
        write_csv(csv_path, SizeRow._fields, rows)
    if figure is not None:
        _draw(rows, figure)
    if broken:
        raise typer.Exit(1)


def _sizes(stored: StoredRun, counter: TokenCounter) -> tuple[dict[str, dict[str, int]], int]:
    sizes: dict[str, dict[str, int]] = {}
    broken = 0
    for name, subset in stored.subsets.items():
        for example_id in subset.ids:
            try:
                sizes.setdefault(name, {})[example_id] = input_tokens(subset.example(example_id), counter)
            except (DataError, EbgError) as error:
                broken += 1
                say(f"{example_id} is left out: {error}")
    return sizes, broken


def input_tokens(example: Example, counter: TokenCounter) -> int:
    """Return the tokens of what a monitor could see in all, each piece counted on its own (specification part 2.9)."""
    if example.subset == "feedbacktrace":
        selectable = ("assistant_response", "tool_exchange")
        return sum(counter.count(event.content) for event in example.events if event.event_type in selectable)
    texts = [file.text for file in repository_of(example).files.values()]
    return sum(counter.count(text) for text in [*texts, example.document.text if example.document else ""])


def rows_of(
    sizes: Mapping[str, Mapping[str, int]], arms: Sequence[ArmScores], *, metrics: Sequence[str], reference: str
) -> tuple[SizeRow, ...]:
    """Return all numbers, by subset, metric, monitor and method.

    Args:
        sizes: tokens by subset and example id; examples without a size are left out.
        arms: scores of the arms of one run.
        metrics: names of the metrics.
        reference: the method that the others are compared with.
    """
    every = [*arms, *_means_of_monitors(arms)]
    return tuple(
        row
        for name in metrics
        for subset in [metric(name).subset]
        if subset in sizes
        for arm in every
        if (subset, name) in arm.values
        for row in _arm_rows(sizes[subset], (subset, name), arm, _reference_of(every, arm, reference))
    )


def _means_of_monitors(arms: Sequence[ArmScores]) -> Iterator[ArmScores]:
    """Yield for each method the mean over monitors, on the examples that all of them have."""
    for method in dict.fromkeys(each.arm.method for each in arms):
        mine = [each for each in arms if each.arm.method == method]
        if len(mine) < 2:
            continue
        keys = [key for key in mine[0].values if all(key in each.values for each in mine)]
        yield ArmScores(
            mine[0].arm._replace(monitor=MEAN_OF_MONITORS),
            {key: _mean_values([each.values[key] for each in mine]) for key in keys},
            {name: cluster for each in mine for name, cluster in each.clusters.items()},
        )


def _mean_values(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
    common = set(values[0]).intersection(*values[1:])
    return {name: sum(each[name] for each in values) / len(values) for name in sorted(common)}


def _reference_of(arms: Sequence[ArmScores], arm: ArmScores, reference: str) -> ArmScores | None:
    if arm.arm.method == reference:
        return None
    return next((each for each in arms if each.arm == arm.arm._replace(method=reference)), None)


def _arm_rows(
    sizes: Mapping[str, int], key: tuple[str, str], arm: ArmScores, base: ArmScores | None
) -> Iterator[SizeRow]:
    groups = terciles(sizes)
    values = {name: value for name, value in arm.values[key].items() if name in sizes}
    against = {name: value for name, value in (base.values.get(key, {}) if base else {}).items() if name in values}
    differences = {name: values[name] - value for name, value in against.items()}

    def row(statistic: str, group: str, names: Sequence[str], value: float | None, *ends: float | None) -> SizeRow:
        low, high = ends or (None, None)
        tokens = float(median(sizes[name] for name in names))
        return SizeRow(*key, arm.arm.monitor, arm.arm.method, statistic, group, len(names), tokens, value, low, high)

    def interval(of: Mapping[str, float], names: Sequence[str], least: float) -> Interval:
        chosen = {name: of[name] for name in names}
        return mean_interval(chosen, seed=INTERVAL_SEED, clusters=arm.clusters, bounds=(least, 1.0))

    for group in GROUPS:
        names = [name for name in sorted(values) if groups[name] == group]
        if names:
            mean = interval(values, names, 0.0)
            yield row("mean", group, names, mean.mean, mean.low, mean.high)
        paired = [name for name in names if name in differences]
        if paired:
            gain = interval(differences, paired, -1.0)
            yield row("difference", group, paired, gain.mean, gain.low, gain.high)
            below = sum(against[name] for name in paired) / len(paired)
            yield row("relative_gain", group, paired, 100 * gain.mean / below if below else None)
    doublings = {name: math.log2(sizes[name]) for name in values if sizes[name] > 0}
    for statistic, of in (("slope", values), ("slope_difference", differences)):
        if of:
            found = slope(doublings, of, seed=INTERVAL_SEED, clusters=arm.clusters)
            yield row(statistic, "", sorted(of), found.value, found.low, found.high)


def _print(rows: Sequence[SizeRow]) -> None:
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        kinds = {"mean": "mean", "slope": "mean", "difference": "difference", "slope_difference": "difference"}
        if row.statistic in kinds:
            what = (row.metric, row.monitor, row.method, kinds[row.statistic])
            lines.setdefault(what, {})[row.group or "slope"] = _cell(row)
    print_grid(
        ("Metric", "Monitor", "Method", "What", *GROUPS, "Per doubling"),
        [(*what, *(cells.get(name, "-") for name in (*GROUPS, "slope"))) for what, cells in lines.items()],
        words=4,
    )


def _cell(row: SizeRow) -> str:
    if row.value is None:
        return "-"
    sign = "" if row.statistic == "mean" else "+"
    ends = "" if row.low is None else f" [{row.low:{sign}.2f}, {row.high:{sign}.2f}]"
    return f"{row.value:{sign}.3f}{ends}"


def _draw(rows: Sequence[SizeRow], path: Path) -> None:
    """Write one panel a metric: group means by method, over all monitors where there are several."""
    means = [row for row in rows if row.statistic == "mean"]
    if any(row.monitor == MEAN_OF_MONITORS for row in means):
        means = [row for row in means if row.monitor == MEAN_OF_MONITORS]
    names = list(dict.fromkeys(row.metric for row in means))
    figure = new_figure(width=3.8 * len(names), height=3.6)
    for place, name in enumerate(names, start=1):
        panel = figure.add_subplot(1, len(names), place)
        arms = list(dict.fromkeys(row.method for row in means))
        for index, method in enumerate(arms):
            mine = [row for row in means if (row.metric, row.method) == (name, method)]
            values = [row.value or 0.0 for row in mine]
            errors = [
                [value - (row.low or 0.0) for row, value in zip(mine, values, strict=True)],
                [(row.high or 0.0) - value for row, value in zip(mine, values, strict=True)],
            ]
            # Side by side, so that equal means do not hide each other.
            places = [GROUPS.index(row.group) + 0.09 * (index - (len(arms) - 1) / 2) for row in mine if row.group]
            panel.errorbar(places, values, yerr=errors, marker="osD^v<>"[index % 7], capsize=3, label=method)
        panel.set(title=name, xlabel="input size", ylim=(0, 1.02), xticks=range(3), xticklabels=GROUPS)
    figure.axes[0].set_ylabel("mean")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    for written in save_figure(figure, path):
        say(f"wrote {written}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.input_size")


if __name__ == "__main__":
    sys.exit(main())
