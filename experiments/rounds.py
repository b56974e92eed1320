"""How many rounds a monitor needs (the paper's Figures E4 and E5): SpecGAP with 4, 6 and 8, SilentSwap with 4, 5 and 6.

    python -m experiments.rounds --monitor kimi-k3 --dry-run
    python -m experiments.rounds --monitor kimi-k3 --source FOLDER --csv rounds.csv --figure rounds

`base` and `ebg` are run with equal rounds, one run folder for each number of rounds. Fewer rounds are compared with the
default of the subset, and `ebg` with `base` at each number; all comparisons are Holm-corrected together. Sessions are
answered in one turn. Exit codes: 0 every example was scored, 1 some failed, 2 the command line or its data cannot be
used, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from agentmonbench import methods
from agentmonbench._command import run_command
from agentmonbench._comparison import ArmScores
from agentmonbench._plan import Plan
from agentmonbench._predict import Options
from agentmonbench.examples import SubsetName
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
from experiments._study import against, arms_of, report, run_plans

__all__ = ["ROUNDS", "app", "main"]

ROUNDS: Mapping[SubsetName, tuple[int, ...]] = {"specgap": (4, 6, 8), "silentswap": (4, 5, 6)}
"""Numbers of rounds that are compared; the last one is the default."""
METHODS = ("base", "ebg")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.rounds --monitor kimi-k3 --dry-run

  python -m experiments.rounds --monitor kimi-k3 --csv rounds.csv --figure rounds"""


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
    """Run base and ebg with different numbers of rounds, and print paired differences."""
    tested = models.get(monitor or ["lexical"], seed=seed)
    plans = {
        (loaded.name, rounds): Plan(
            methods=[methods.get(each) for each in METHODS],
            monitors=tested,
            subsets=[loaded],
            options=Options(seed=seed, rounds={loaded.name: rounds}),
            repeats=repeats,
        )
        for loaded in choose_subsets(subset, source, ids=ids or (), limit=limit, among=tuple(ROUNDS))
        for rounds in ROUNDS[loaded.name]
    }
    # All runs of one call lie side by side under one name.
    prefix = name or f"rounds-{next(iter(plans.values())).default_name()}"
    folders = {key: runs_dir / RunDirectory.check_name(f"{prefix}-{key[0]}-{key[1]}") for key in plans}
    judges = models.get(judge or [], seed=seed)
    runs, failed = run_plans(
        [(plan, folders[key]) for key, plan in plans.items()],
        judges=judges,
        jobs=jobs,
        retry_errors=retry_errors,
        dry_run=dry_run,
        models=models,
    )
    arms = {key: arms_of([run]) for key, run in zip(plans, runs, strict=True)}
    fewer = [
        pair
        for (subset_name, rounds), mine in arms.items()
        if rounds != ROUNDS[subset_name][-1]
        for pair in _same_arms(arms[subset_name, ROUNDS[subset_name][-1]], mine)
    ]
    report(
        [*fewer, *against([arm for mine in arms.values() for arm in mine], "base")], csv_path=csv_path, figure=figure
    )
    if failed:
        raise typer.Exit(1)


def _same_arms(first: Sequence[ArmScores], second: Sequence[ArmScores]) -> list[tuple[ArmScores, ArmScores]]:
    there = {each.arm[1:]: each for each in second}
    return [(each, there[each.arm[1:]]) for each in first if each.arm[1:] in there]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.rounds")


if __name__ == "__main__":
    sys.exit(main())
