"""Work through a run's predictions: a few at a time, each on disk the moment it exists.

The engine knows nothing of command lines or tables. It takes what to do, calls the loop, appends the records and tells
a listener what happens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from agentmonbench.errors import DataError
from agentmonbench.examples import Example, Gold, SubsetName
from agentmonbench.loop import Failure, Limits, Record, SecondStage, Totals, limits_for, run_example
from agentmonbench.loop import Protocol as LoopProtocol
from agentmonbench.methods import Method
from agentmonbench.monitors import Monitor, asked_again
from agentmonbench.runs import Key, RunDirectory

__all__ = ["BROKEN_BUNDLE", "Listener", "Options", "Source", "limits_of", "predict"]

BROKEN_BUNDLE = "broken_bundle"
"""Failure code of an example that cannot be opened; the message lists every problem of its bundle."""


class Source(Protocol):
    """A subset as the engine needs it; `subsets.load` gives one."""

    @property
    def name(self) -> SubsetName:
        """Return the subset's name."""
        ...

    @property
    def source(self) -> str:
        """Return where the data came from, as asked for."""
        ...

    @property
    def fingerprint(self) -> str:
        """Return a hash over all of the data, gold included."""
        ...

    @property
    def ids(self) -> Sequence[str]:
        """Return the ids of all examples in order, the broken ones included."""
        ...

    def example(self, example_id: str) -> Example:
        """Return an example, or raise DataError with all problems of its bundle."""
        ...

    def gold(self, example_id: str) -> Gold:
        """Return the gold of an example; only scorers call this."""
        ...


class Listener(Protocol):
    """Who is told how the work goes."""

    def started(self, key: Key) -> None:
        """Tell that work on a prediction begins."""
        ...

    def finished(self, key: Key, record: Record) -> None:
        """Tell that a prediction is on disk."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """What changes a prediction besides its key."""

    protocol: LoopProtocol = "fair"
    second_stage: SecondStage = "all"
    seed: int = 0
    rounds: Mapping[SubsetName, int] | None = None
    """Rounds that replace the default of a subset (the paper's sensitivity study)."""


def limits_of(subset: SubsetName, options: Options) -> Limits:
    """Return the limits of a subset under `options`."""
    limits = limits_for(subset, options.protocol)
    rounds = (options.rounds or {}).get(subset)
    return limits if rounds is None else Limits(**{**asdict(limits), "rounds": rounds})


async def predict(
    keys: Sequence[Key],
    *,
    subsets: Mapping[str, Source],
    methods: Mapping[str, Method],
    monitors: Mapping[str, Monitor],
    run: RunDirectory,
    options: Options,
    jobs: int,
    listener: Listener,
    again: Collection[Key] = (),
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Make the predictions of `keys` and append each to the run's log.

    At most `jobs` are in flight; those of `again` are not answered from a cache. Once `enough` says so no further one
    is begun, and those in flight are finished. An error that concerns the whole run (a wrong option, an exhausted
    budget) or a cancellation stops the others in flight; what was finished before stays on disk.
    """
    waiting = iter(keys)

    async def work() -> None:
        for key in waiting:
            if enough():
                return
            listener.started(key)
            with asked_again(key in again):
                record = await _one(key, subsets[key.subset], methods[key.method], monitors[key.monitor], options)
            run.predictions_log.append(record.model_dump(mode="json"))
            listener.finished(key, record)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(keys))):
                group.create_task(work())
    except ExceptionGroup as group_error:
        # Workers that fail together fail for the same reason: the first says it.
        raise group_error.exceptions[0] from None


async def _one(key: Key, subset: Source, method: Method, monitor: Monitor, options: Options) -> Record:
    limits = limits_of(subset.name, options)
    try:
        example = subset.example(key.example)
    except DataError as error:
        return _broken(key, subset.name, limits, options, str(error))
    return await run_example(
        example,
        method,
        monitor,
        limits=limits,
        protocol=options.protocol,
        second_stage=options.second_stage,
        repeat=key.repeat,
        seed=options.seed,
    )


def _broken(key: Key, subset: SubsetName, limits: Limits, options: Options, message: str) -> Record:
    values: dict[str, Any] = {
        "example_id": key.example,
        "subset": subset,
        "method": key.method,
        "monitor": key.monitor,
        "protocol": options.protocol,
        "second_stage": options.second_stage,
        "repeat": key.repeat,
        "seed": options.seed,
        "limits": asdict(limits),
        "failure": Failure(code=BROKEN_BUNDLE, message=message),
        "totals": Totals.of(()),
    }
    return Record(**values)
