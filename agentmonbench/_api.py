"""Running the benchmark from Python: one call, the same run folder as the command writes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentmonbench import methods, monitors
from agentmonbench._plan import Plan
from agentmonbench._predict import Options, Source
from agentmonbench._run import Results, execute
from agentmonbench.methods import Method
from agentmonbench.monitors import Monitor
from agentmonbench.runs import RunDirectory

__all__ = ["run", "run_async"]


def run(
    subset: Source | Sequence[Source],
    method: str | Method | Sequence[str | Method] = "ebg",
    monitor: str | Monitor | Sequence[str | Monitor] = "lexical",
    *,
    name: str | None = None,
    runs_dir: str | Path = "runs",
    jobs: int = 4,
    options: Options | None = None,
    repeats: int = 1,
    retry_errors: bool = False,
) -> Results:
    """Run monitors with methods over subsets, score them, and return the results.

    Args:
        subset: one subset or several, as `subsets.load` gives them.
        method: names or objects of your own (see `agentmonbench.methods.Method`).
        monitor: names or objects of your own (see `agentmonbench.monitors.Monitor`).
        name: name of the run folder; by default made from the settings, so that the same call resumes.
        runs_dir: folder of all runs.
        jobs: predictions in flight.
        options: protocol, second stage, seed, rounds.
        repeats: predictions of each example.
        retry_errors: make failed predictions again.

    Raises:
        UsageError: for a wrong name or setting.
    """
    options = options or Options()
    plan = Plan(
        subsets=_several(subset),
        methods=[
            methods.get(each, protocol=options.protocol) if isinstance(each, str) else each for each in _several(method)
        ],
        monitors=[
            monitors.get(each, seed=options.seed) if isinstance(each, str) else each for each in _several(monitor)
        ],
        options=options,
        repeats=repeats,
    )
    folder = Path(runs_dir) / RunDirectory.check_name(name or plan.default_name())
    return execute(plan, folder, jobs=jobs, retry_errors=retry_errors)


async def run_async(
    subset: Source | Sequence[Source],
    method: str | Method | Sequence[str | Method] = "ebg",
    monitor: str | Monitor | Sequence[str | Monitor] = "lexical",
    **settings: object,
) -> Results:
    """Do what `run` does without blocking the event loop; takes the same arguments."""
    return await asyncio.to_thread(run, subset, method, monitor, **settings)  # type: ignore[arg-type]  # passed through


def _several(value: object) -> list[Any]:
    """Return one thing or several as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]
