"""A study: one thing is varied, and every variant is compared with what it varies, example by example."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import typer

from agentmonbench._command import EXIT_INCOMPLETE, say
from agentmonbench._comparison import ArmScores, Compared, compare_arms, read_arms
from agentmonbench._plan import Plan
from agentmonbench.errors import UsageError
from agentmonbench.loop import Record
from agentmonbench.monitors import Monitor
from agentmonbench.runs import Key, RunDirectory
from experiments._models import Models
from experiments._output import new_figure, save_figure, write_csv
from experiments._running import print_estimates, run_plan
from experiments._stored import records_of
from experiments.compare import HEADER, comparison_row, print_comparisons

__all__ = ["against", "arms_of", "no_contrast", "report", "run_plans"]


def run_plans(
    plans: Sequence[tuple[Plan, Path]],
    *,
    judges: Sequence[Monitor],
    jobs: int,
    retry_errors: bool,
    dry_run: bool,
    models: Models,
) -> tuple[list[RunDirectory], int]:
    """Make the runs of a study, each resumed where it was, and return their folders and the number of failures.

    Raises:
        typer.Exit: after a dry run, which only says what the runs would take.
    """
    if dry_run:
        print_estimates([plan for plan, _ in plans])
        raise typer.Exit(0)
    failed = 0
    for plan, folder in plans:
        results = run_plan(plan, folder, judges=judges, jobs=jobs, retry_errors=retry_errors, models=models)
        failed += results.failed
        say(f"Report: {folder / 'report.html'}")
        if results.missing:
            raise typer.Exit(EXIT_INCOMPLETE)
    return [RunDirectory(folder) for _, folder in plans], failed


def against(arms: Sequence[ArmScores], reference: str) -> list[tuple[ArmScores, ArmScores]]:
    """Return the pairs of the reference method with every other method, monitor by monitor within a run."""
    return [
        (first, second)
        for first in arms
        if first.arm.method == reference
        for second in arms
        if second.arm.method != reference and second.arm._replace(method=reference) == first.arm
    ]


def no_contrast(run: RunDirectory, reference: str) -> list[tuple[str, str]]:
    """Return (subset, method) where no monitor ever saw anything else than with the reference method.

    A difference of scores is then the monitor's chance, not the method's doing (specification ebg-method, part 9).
    """
    records = records_of(run)
    same: dict[tuple[str, str], bool] = {}
    for key, record in records.items():
        twin = records.get(key._replace(method=reference))
        if key.method != reference and twin is not None:
            arm = (key.subset, key.method)
            same[arm] = same.get(arm, True) and _seen(key, record) == _seen(key, twin)
    return [arm for arm, equal in sorted(same.items()) if equal]


def _seen(key: Key, record: Record) -> tuple[object, ...]:
    if key.subset == "feedbacktrace":  # all is in the opening; the answer shows nothing more
        return (record.opening,)
    return (record.opening, record.second_opening, *(step.result for step in record.steps))


def report(
    pairs: Sequence[tuple[ArmScores, ArmScores]], *, csv_path: Path | None, figure: Path | None
) -> tuple[Compared, ...]:
    """Compare the pairs as one family, print the table, and write what was asked for."""
    if not pairs:
        raise UsageError("there is nothing to compare: no variant was run beside what it varies")
    compared = compare_arms(pairs)
    print_comparisons(compared)
    if csv_path is not None:
        write_csv(csv_path, HEADER, [comparison_row(each) for each in compared])
    if figure is not None:
        _draw(compared, figure)
    return compared


def _draw(compared: Sequence[Compared], path: Path) -> None:
    """Write one panel a metric: differences to the reference with their intervals."""
    names = list(dict.fromkeys(each.metric for each in compared))
    sides = [arm for each in compared for arm in (each.first, each.second)]
    figure = new_figure(width=3.6 * len(names), height=1.2 + 0.4 * len(compared) / len(names))
    for place, name in enumerate(names, start=1):
        panel = figure.add_subplot(1, len(names), place)
        mine = [each for each in compared if each.metric == name]
        rows = range(len(mine))
        means = [each.result.difference.mean for each in mine]
        low = [mean - each.result.difference.low for mean, each in zip(means, mine, strict=True)]
        high = [each.result.difference.high - mean for mean, each in zip(means, mine, strict=True)]
        panel.axvline(0, color="0.7", linewidth=1)
        panel.errorbar(means, rows, xerr=[low, high], fmt="o", capsize=3)
        labels = [f"{each.second.label(sides)} - {each.first.label(sides)}" for each in mine]
        panel.set(title=name, xlabel="difference", yticks=list(rows), yticklabels=labels)
        panel.invert_yaxis()
        panel.tick_params(axis="y", labelsize=7)
    for written in save_figure(figure, path):
        say(f"wrote {written}")


def arms_of(runs: Iterable[RunDirectory]) -> list[ArmScores]:
    """Return the arms of scored runs, in their order."""
    return [arm for run in runs for arm in read_arms(run)]
