"""What each part of the graph views brings (the paper's Table E4): without behaviors, graph or guidance.

    python -m experiments.ablation --monitor kimi-k3 --dry-run
    python -m experiments.ablation --monitor kimi-k3 --source FOLDER --csv ablation.csv --figure ablation

The full method and its three ablations are run over the same examples into one run folder, and each ablation is
compared with the full method, paired, all comparisons Holm-corrected together. Exit codes: 0 every example was scored,
1 some failed, 2 the command line or its data cannot be used, 130 interrupted.
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
from agentmonbench.examples import Example
from agentmonbench.methods import Method
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

__all__ = ["FULL", "ablations", "app", "main"]

FULL = "ebg"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.ablation --monitor kimi-k3 --dry-run

  python -m experiments.ablation --monitor kimi-k3 --csv ablation.csv --figure ablation"""


class _WithoutGuidance(EbgMethod):
    """Guidance is the order and the hints of a repository's directory; a session's view has none."""

    def __init__(self) -> None:
        super().__init__(name="ebg-without-guidance", guidance=False)

    def supports(self, example: Example) -> bool:
        """Return whether there is any guidance to leave out."""
        return example.subset != "feedbacktrace"


def ablations() -> list[Method]:
    """Return the full method and its ablations (specification ebg-method, part 9)."""
    return [
        EbgMethod(),
        EbgMethod(name="ebg-without-behavior", behaviors=False),
        EbgMethod(name="ebg-without-graph", relations=False),
        _WithoutGuidance(),
    ]


@app.command(epilog=EPILOG)
@with_models
def run(
    *,
    monitor: Monitors = None,
    subset: Annotated[
        list[str] | None, typer.Option(help="specgap, silentswap, feedbacktrace; repeatable.", show_default="all")
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
    """Run the full method and its ablations, and print paired differences."""
    plan = Plan(
        methods=ablations(),
        monitors=models.get(monitor or ["lexical"], seed=seed),
        subsets=choose_subsets(subset, source, ids=ids or (), limit=limit),
        options=Options(seed=seed),
        repeats=repeats,
    )
    folder = runs_dir / RunDirectory.check_name(name or f"ablation-{plan.default_name()}")
    judges = models.get(judge or [], seed=seed)
    runs, failed = run_plans(
        [(plan, folder)], judges=judges, jobs=jobs, retry_errors=retry_errors, dry_run=dry_run, models=models
    )
    report(against(arms_of(runs), FULL), csv_path=csv_path, figure=figure)
    for subset_name, method in no_contrast(runs[0], FULL):
        say(f"No contrast: {method} showed nothing else than {FULL} on {subset_name}; its differences are chance.")
    if failed:
        raise typer.Exit(1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.ablation")


if __name__ == "__main__":
    sys.exit(main())
