"""The main job: monitors and methods over the subsets, scored (the paper's Table 1).

    python -m experiments.main --monitor lexical --method ebg
    python -m experiments.main --monitor kimi-k3 --method base --method ebg --subset silentswap --limit 10 --dry-run

Stopped at any moment, the same command goes on where it was. Exit codes: 0 every example was scored, 1 some failed,
2 the command line or its data cannot be used, 130 interrupted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

import subsets
from agentmonbench import methods, monitors
from agentmonbench._command import run_command, say
from agentmonbench._estimate import Estimate, estimate
from agentmonbench._plan import Plan
from agentmonbench._predict import Options
from agentmonbench._run import Results, execute, notes_of
from agentmonbench._tables import overview
from agentmonbench.errors import UsageError
from agentmonbench.examples import SUBSETS
from agentmonbench.runs import RunDirectory
from experiments._console import print_table, progress
from experiments._judging import judging

__all__ = ["app", "main"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.main --monitor lexical --method base --method ebg

  python -m experiments.main --monitor kimi-k3 --subset silentswap --limit 10 --dry-run"""


@app.command(epilog=EPILOG)
def run(
    *,
    monitor: Annotated[
        list[str] | None, typer.Option(help="Who is tested; repeatable.", show_default="lexical")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="How examples are shown: base, repograph, ebg; repeatable.", show_default="ebg"),
    ] = None,
    subset: Annotated[
        list[str] | None, typer.Option(help="specgap, silentswap, feedbacktrace; repeatable.", show_default="all")
    ] = None,
    source: Annotated[
        str, typer.Option(help="'sample', a folder or archive of the release, or hub:OWNER/NAME@REVISION.")
    ] = "sample",
    ids: Annotated[
        list[str] | None,
        typer.Option(help="Only these examples; repeatable or separated by commas.", show_default="all"),
    ] = None,
    judge: Annotated[
        list[str] | None, typer.Option(help="Model that judges the predictions; repeatable.", show_default="none")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many examples of each subset.")] = None,
    protocol: Annotated[
        Literal["fair", "paper"], typer.Option(help="'fair' asks the same of all methods; 'paper' keeps its rules.")
    ] = "fair",
    second_stage: Annotated[
        Literal["all", "ebg", "none"], typer.Option(help="Which methods get SilentSwap's second stage.")
    ] = "all",
    repeats: Annotated[int, typer.Option(min=1, help="Predictions of each example.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    name: Annotated[
        str | None, typer.Option(help="Name of the run folder.", show_default="made from the settings")
    ] = None,
    runs_dir: Annotated[Path, typer.Option(help="Folder of all runs.")] = Path("runs"),
    jobs: Annotated[int, typer.Option(min=1, help="Predictions in flight.")] = 4,
    retry_errors: Annotated[bool, typer.Option("--retry-errors", help="Make failed predictions again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would take, and stop.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON instead of a table.")] = False,
) -> None:
    """Run monitors and methods over the subsets, score them, and write a run folder with a report."""
    plan = Plan(
        methods=[methods.get(each, protocol=protocol) for each in method or ["ebg"]],
        monitors=[monitors.get(each, seed=seed) for each in monitor or ["lexical"]],
        subsets=_subsets(subset, source, _ids(ids or []), limit),
        options=Options(protocol=protocol, second_stage=second_stage, seed=seed),
        repeats=repeats,
    )
    judges = [monitors.get(each, seed=seed) for each in judge or []]
    folder = runs_dir / RunDirectory.check_name(name or plan.default_name())
    if dry_run:
        _print_estimates(estimate(plan, plan.keys), as_json=as_json)
        return
    for note in notes_of(plan):
        say(note)
    done = len(RunDirectory(folder).predictions())
    if done:
        say(f"Going on with {folder}: {done} of {len(plan.keys)} predictions are there.")
    with progress(len(plan.keys), done) as listener:
        results = execute(
            plan,
            folder,
            jobs=jobs,
            retry_errors=retry_errors,
            listener=listener,
            judge=judging(plan, judges, jobs=jobs, retry_errors=retry_errors),
        )
    _print_results(results, as_json=as_json)
    if results.failed:
        raise typer.Exit(1)


def _ids(values: Sequence[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _subsets(names: Sequence[str] | None, source: str, ids: Sequence[str], limit: int | None) -> list[subsets.Subset]:
    """Load the subsets that were asked for, or all that the source holds; share `ids` out among them."""
    loaded: list[subsets.Subset] = []
    missing: list[UsageError] = []
    for name in names or SUBSETS:
        try:
            loaded.append(subsets.load(name, source))
        except UsageError as error:
            if names:
                raise
            missing.append(error)
    if not loaded:
        raise missing[0]
    known = {example_id for each in loaded for example_id in each.ids}
    unknown = [example_id for example_id in ids if example_id not in known]
    if unknown:
        valid = "; ".join(f"{each.name}: {', '.join(each.ids)}" for each in loaded)
        raise UsageError(f"unknown id {unknown[0]!r} (valid: {valid})")
    chosen = [
        subsets.load(each.name, source, ids=[item for item in each.ids if item in ids] if ids else None, limit=limit)
        for each in loaded
        if not ids or any(item in each.ids for item in ids)
    ]
    for each in chosen:
        for note in each.notes:
            say(str(note))
    return chosen


def _print_results(results: Results, *, as_json: bool) -> None:
    report = results.path / "report.html"
    if as_json:
        rows = [asdict(row) for row in results.summary]
        print(json.dumps({"run": str(results.path), "report": str(report), "summary": rows}, indent=2))  # noqa: T201
        return
    table = overview(results.summary)
    print_table(table)
    print(f"{table.explains}\nReport: {report}")  # noqa: T201
    if results.failed:
        say(
            f"{results.failed} predictions failed and count as 0; the report says why, --retry-errors makes them again."
        )


def _print_estimates(estimates: Sequence[Estimate], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([{**asdict(each), "cost_usd": each.cost_usd} for each in estimates], indent=2))  # noqa: T201
        return
    for each in estimates:
        broken = f" ({each.broken} cannot be opened)" if each.broken else ""
        print(  # noqa: T201
            f"{each.monitor}: {each.predictions} predictions{broken}, "
            f"{each.calls.low:,} to {each.calls.high:,} calls, "
            f"{each.input_tokens.low:,} to {each.input_tokens.high:,} input tokens, "
            f"{each.output_tokens.low:,} to {each.output_tokens.high:,} output tokens, {_cost(each)}"
        )
    print("Nothing was sent.")  # noqa: T201


def _cost(estimate: Estimate) -> str:
    if estimate.cost_usd is None:
        return "at an unknown price"
    low, high = estimate.cost_usd
    return f"${low:,.2f} to ${high:,.2f}" if high else "at no cost"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.main")


if __name__ == "__main__":
    sys.exit(main())
