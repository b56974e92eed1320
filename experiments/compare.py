"""Compare arms: methods and monitors of one run, or two runs with each other.

    agentmonbench compare runs/main
    agentmonbench compare runs/before runs/after --csv difference.csv

Differences are second minus first, on the examples that both have. Exit codes: 0 printed, 2 a run cannot be used.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agentmonbench._command import run_command, say
from agentmonbench._comparison import Compared, compare_arms, pairs_between, pairs_within, read_arms
from agentmonbench.errors import UsageError
from agentmonbench.runs import RunDirectory
from experiments._output import write_csv

__all__ = ["HEADER", "app", "comparison_row", "main", "print_comparisons"]

HEADER = (
    "subset",
    "metric",
    "first_run",
    "first_monitor",
    "first_method",
    "second_run",
    "second_monitor",
    "second_method",
    "examples",
    "first_mean",
    "second_mean",
    "difference",
    "low",
    "high",
    "p",
    "adjusted_p",
    "detectable",
    "conclusion",
)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  agentmonbench compare runs/main

  agentmonbench compare runs/before runs/after --csv difference.csv"""


@app.command(epilog=EPILOG)
def compare(
    runs: Annotated[list[Path], typer.Argument(help="One run folder, or two.")],
    *,
    companions: Annotated[bool, typer.Option("--companions", help="Also metrics that are not the paper's.")] = False,
    csv_path: Annotated[Path | None, typer.Option("--csv", help="Write every number as a tidy CSV file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Print paired differences with intervals and corrected p values, and say plainly when nothing is shown."""
    if len(runs) > 2:
        raise UsageError(f"compare takes one run or two, not {len(runs)}")
    arms = [read_arms(RunDirectory(path)) for path in runs]
    pairs = pairs_within(arms[0]) if len(arms) == 1 else pairs_between(*arms)
    if not pairs:
        raise UsageError(f"{runs[0]} has only one arm; name a second run to compare it with")
    compared = compare_arms(pairs, companions=companions)
    if csv_path is not None:
        write_csv(csv_path, HEADER, [comparison_row(each) for each in compared])
    if as_json:
        print(json.dumps([dict(zip(HEADER, comparison_row(each), strict=True)) for each in compared], indent=2))  # noqa: T201
    else:
        print_comparisons(compared)


def print_comparisons(compared: Sequence[Compared]) -> None:
    """Print one line a comparison to stdout."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    sides = [arm for each in compared for arm in (each.first, each.second)]
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("Metric", "First", "Second"):
        grid.add_column(name)
    for name in ("n", "First", "Second", "Difference"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("What is shown")
    for each in compared:
        interval = each.result.difference
        grid.add_row(
            each.metric,
            each.first.label(sides),
            each.second.label(sides),
            str(interval.examples),
            f"{each.result.first:.3f}",
            f"{each.result.second:.3f}",
            f"{interval.mean:+.3f} [{interval.low:+.2f}, {interval.high:+.2f}]",
            each.conclusion,
        )
    Console(width=None if sys.stdout.isatty() else 140).print(grid)
    family = f"{len(compared)} comparisons, Holm-corrected together; 95% intervals; paired sign-flip tests."
    say(family)


def comparison_row(each: Compared) -> tuple[object, ...]:
    """Return a comparison as a row under `HEADER`."""
    result = each.result
    return (
        each.subset,
        each.metric,
        *each.first,
        *each.second,
        result.difference.examples,
        result.first,
        result.second,
        result.difference.mean,
        result.difference.low,
        result.difference.high,
        result.test.p,
        each.adjusted_p,
        result.detectable,
        each.conclusion,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="agentmonbench compare")


if __name__ == "__main__":
    sys.exit(main())
