"""Make a run, and say on stderr how it goes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from agentmonbench._command import say
from agentmonbench._estimate import Estimate, estimate
from agentmonbench._plan import Plan
from agentmonbench._run import Results, execute, notes_of
from agentmonbench.monitors import Monitor
from agentmonbench.runs import RunDirectory
from experiments._console import progress
from experiments._judging import judging
from experiments._models import Models

__all__ = ["print_estimates", "run_plan"]


def run_plan(
    plan: Plan,
    folder: Path,
    *,
    models: Models,
    judges: Sequence[Monitor] = (),
    jobs: int = 4,
    retry_errors: bool = False,
) -> Results:
    """Make what is missing of a run, score it, and return its results."""
    for note in notes_of(plan):
        say(note)
    done = len(RunDirectory(folder).predictions())
    if done:
        say(f"Going on with {folder}: {done} of {len(plan.keys)} predictions are there.")
    with progress(len(plan.keys), done, models.connections) as listener:
        results = execute(
            plan,
            folder,
            jobs=jobs,
            retry_errors=retry_errors,
            listener=listener,
            judge=judging(plan, judges, jobs=jobs, retry_errors=retry_errors, listener=listener),
            connections=models.connections,
            spending=models.spending,
        )
    if results.failed:
        say(
            f"{results.failed} predictions failed and count as 0; the report says why, --retry-errors makes them again."
        )
    if results.missing:
        say(f"The limit on money was reached: {results.missing} predictions were not made. The same command goes on.")
    return results


def print_estimates(plans: Sequence[Plan], *, as_json: bool = False) -> None:
    """Print what runs would take; nothing is sent."""
    estimates = [each for plan in plans for each in estimate(plan, plan.keys)]
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
