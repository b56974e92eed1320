"""How far the neighbourhood of a scope reaches: one, two or three hops (the paper's Figures E2 and E3).

    python -m experiments.depth --monitor kimi-k3 --dry-run
    python -m experiments.depth --monitor kimi-k3 --source FOLDER --csv depth.csv --figure depth

The three depths, and the plain form as a floor, are run over the same examples into one run folder. Two and three hops
are compared with one hop, and every depth with the plain form; all comparisons are Holm-corrected together. Sessions
have no hops. Exit codes: 0 every example was scored, 1 some failed, 2 the command line or its data cannot be used, 130
interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agentmonbench._command import run_command, say
from agentmonbench._plan import Plan
from agentmonbench._predict import Options
from agentmonbench.examples import SubsetName
from agentmonbench.methods import Method
from agentmonbench.methods._base import BaseMethod
from agentmonbench.methods._ebg import EbgMethod
from agentmonbench.runs import RunDirectory
from experiments._choices import (
    CsvPath,
    DryRun,
    FigurePath,
    Ids,
    Jobs,
    Judges,
    Limit,
    Monitors,
    Repeats,
    RetryErrors,
    RunName,
    RunsDir,
    Seed,
    SourceName,
    choose_subsets,
)
from experiments._models import Models, with_models
from experiments._study import against, arms_of, no_contrast, report, run_plans

__all__ = ["app", "depths", "main"]

ONE_HOP = "ebg"
FLOOR = "base"
HAVE_HOPS: tuple[SubsetName, ...] = ("specgap", "silentswap")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.depth --monitor kimi-k3 --dry-run

  python -m experiments.depth --monitor kimi-k3 --csv depth.csv --figure depth"""


def depths() -> list[Method]:
    """Return the plain form and the three depths; the default depth has the method's own name."""
    return [BaseMethod(), EbgMethod(), EbgMethod(name="ebg-2-hops", hops=2), EbgMethod(name="ebg-3-hops", hops=3)]


@app.command(epilog=EPILOG)
@with_models
def run(
    *,
    monitor: Monitors = None,
    subset: Annotated[
        list[str] | None, typer.Option(help="specgap, silentswap; repeatable.", show_default="both")
    ] = None,
    source: SourceName = "sample",
    ids: Ids = None,
    judge: Judges = None,
    limit: Limit = None,
    repeats: Repeats = 1,
    seed: Seed = 0,
    name: RunName = None,
    runs_dir: RunsDir = Path("runs"),
    jobs: Jobs = 4,
    retry_errors: RetryErrors = False,
    dry_run: DryRun = False,
    csv_path: CsvPath = None,
    figure: FigurePath = None,
    models: Models,
) -> None:
    """Run three depths of the graph views, and print paired differences."""
    plan = Plan(
        methods=depths(),
        monitors=models.get(monitor or ["lexical"], seed=seed),
        subsets=choose_subsets(subset, source, ids=ids or (), limit=limit, among=HAVE_HOPS),
        options=Options(seed=seed),
        repeats=repeats,
    )
    folder = runs_dir / RunDirectory.check_name(name or f"depth-{plan.default_name()}")
    judges = models.get(judge or [], seed=seed)
    runs, failed = run_plans(
        [(plan, folder)], judges=judges, jobs=jobs, retry_errors=retry_errors, dry_run=dry_run, models=models
    )
    arms = arms_of(runs)
    hops = [pair for pair in against(arms, ONE_HOP) if pair[1].arm.method != FLOOR]
    report([*hops, *against(arms, FLOOR)], csv_path=csv_path, figure=figure)
    for subset_name, method in no_contrast(runs[0], ONE_HOP):
        say(f"No contrast: {method} showed nothing else than {ONE_HOP} on {subset_name}; its differences are chance.")
    if failed:
        raise typer.Exit(1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.depth")


if __name__ == "__main__":
    sys.exit(main())
