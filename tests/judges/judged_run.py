"""A run whose answers are the gold, for tests of the judges; and a process that judges it with a model's service."""

from __future__ import annotations

import asyncio
from pathlib import Path

import subsets
from agentmonbench.loop import Failure, Record, Totals
from agentmonbench.metrics import gold_prediction
from agentmonbench.monitors import Connections, ModelMonitor
from agentmonbench.monitors._catalog import load_catalog
from agentmonbench.runs import Key, RunDirectory
from judges import judge_run


def gold_answers(subset: subsets.Subset) -> dict[Key, Record]:
    """Gold as the answer to every example, but for the last, where the monitor failed."""
    records = {}
    for example_id in subset.ids:
        last = example_id == subset.ids[-1]
        record = Record(
            example_id=example_id,
            subset=subset.name,
            method="ebg",
            monitor="m",
            protocol="fair",
            second_stage="all",
            repeat=0,
            seed=0,
            limits={},
            prediction=None if last else gold_prediction(subset.gold(example_id)),
            failure=Failure(code="provider_error", message="down") if last else None,
            totals=Totals.of(()),
        )
        records[Key(subset.name, example_id, "ebg", "m")] = record
    return records


def model(name: str, connections: Connections) -> ModelMonitor:
    """A model of a service that never waits between its tries."""

    async def at_once(_: float) -> None:
        return

    spec = load_catalog().spec(name, api_base=connections.api_base)
    assert spec is not None
    return ModelMonitor(spec, connections, sleep=at_once)


async def judge_all(folder: Path, subset: subsets.Subset, names: list[str], connections: Connections) -> None:
    """Judge the gold answers of a subset, one question at a time."""
    judges = [model(name, connections) for name in names]
    with RunDirectory(folder) as run:
        await judge_run(run, gold_answers(subset), {subset.name: subset}, judges, jobs=1)


def main(folder: str, api_base: str, subset: str, judge: str) -> None:
    """What a process does that a test kills."""
    connections = Connections(client="direct", api_base=api_base)
    asyncio.run(judge_all(Path(folder), subsets.load(subset), [judge], connections))
