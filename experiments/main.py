"""The main job: monitors and methods over the subsets, scored (the paper's Table 1).

    python -m experiments.main --monitor lexical --method ebg
    python -m experiments.main --monitor kimi-k3 --method base --method ebg --subset silentswap --limit 10 --dry-run
    python -m experiments.main --monitor kimi-k3 --method ebg --source FOLDER --against published

Stopped at any moment, the same command goes on where it was. Exit codes: 0 every example was scored, 1 some failed,
2 the command line or its data cannot be used, 3 the limit on money was reached before all predictions were made,
130 interrupted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from agentmonbench import methods
from agentmonbench._command import EXIT_INCOMPLETE, run_command
from agentmonbench._plan import Plan
from agentmonbench._predict import Options
from agentmonbench._run import Results
from agentmonbench._tables import overview
from agentmonbench.errors import UsageError
from agentmonbench.runs import RunDirectory
from experiments._choices import (
    DryRun,
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
from experiments._console import print_table
from experiments._models import Models, with_models
from experiments._running import print_estimates, run_plan
from experiments.published import beside_run

__all__ = ["app", "main"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.main --monitor lexical --method base --method ebg

  python -m experiments.main --monitor kimi-k3 --subset silentswap --limit 10 --dry-run"""


@app.command(epilog=EPILOG)
@with_models
def run(
    *,
    monitor: Monitors = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="How examples are shown: base, repograph, ebg; repeatable.", show_default="ebg"),
    ] = None,
    subset: Annotated[
        list[str] | None, typer.Option(help="specgap, silentswap, feedbacktrace; repeatable.", show_default="all")
    ] = None,
    source: SourceName = "sample",
    ids: Ids = None,
    judge: Judges = None,
    limit: Limit = None,
    protocol: Annotated[
        Literal["fair", "paper"], typer.Option(help="'fair' asks the same of all methods; 'paper' keeps its rules.")
    ] = "fair",
    second_stage: Annotated[
        Literal["all", "ebg", "none"], typer.Option(help="Which methods get SilentSwap's second stage.")
    ] = "all",
    repeats: Repeats = 1,
    seed: Seed = 0,
    name: RunName = None,
    runs_dir: RunsDir = Path("runs"),
    jobs: Jobs = 4,
    retry_errors: RetryErrors = False,
    dry_run: DryRun = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON instead of a table.")] = False,
    against: Annotated[
        Literal["published"] | None, typer.Option(help="'published': print the paper's values beside the run's.")
    ] = None,
    models: Models,
) -> None:
    """Run monitors and methods over the subsets, score them, and write a run folder with a report."""
    if against is not None and as_json:
        raise UsageError("--against prints a table; leave --json out, or use python -m experiments.published RUN")
    plan = Plan(
        methods=[methods.get(each, protocol=protocol) for each in method or ["ebg"]],
        monitors=models.get(monitor or ["lexical"], seed=seed),
        subsets=choose_subsets(subset, source, ids=ids or (), limit=limit),
        options=Options(protocol=protocol, second_stage=second_stage, seed=seed),
        repeats=repeats,
    )
    judges = models.get(judge or [], seed=seed)
    folder = runs_dir / RunDirectory.check_name(name or plan.default_name())
    if dry_run:
        print_estimates([plan], as_json=as_json)
        return
    results = run_plan(plan, folder, judges=judges, jobs=jobs, retry_errors=retry_errors, models=models)
    _print_results(results, as_json=as_json)
    if against is not None:
        print(beside_run(results.path))  # noqa: T201
    if results.missing:
        raise typer.Exit(EXIT_INCOMPLETE)
    if results.failed:
        raise typer.Exit(1)


def _print_results(results: Results, *, as_json: bool) -> None:
    report = results.path / "report.html"
    if as_json:
        rows = [asdict(row) for row in results.summary]
        print(json.dumps({"run": str(results.path), "report": str(report), "summary": rows}, indent=2))  # noqa: T201
        return
    table = overview(results.summary)
    print_table(table)
    print(f"{table.explains}\nReport: {report}")  # noqa: T201


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.main")


if __name__ == "__main__":
    sys.exit(main())
