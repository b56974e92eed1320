"""Ask many questions, a few at a time; each answer is on disk the moment it exists, and none is asked for twice."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agentmonbench._command import say
from agentmonbench._files import JsonLines
from agentmonbench.errors import DataError
from agentmonbench.loop import limits_for
from agentmonbench.methods import Method
from agentmonbench.monitors import Monitor
from agentmonbench.runs import RunDirectory
from experiments._binary import ask
from experiments._cases import Case

__all__ = ["ANSWERS", "Work", "ask_all"]

ANSWERS = "answers.jsonl"
"""Name of the log in the folder of a study."""


class Work(NamedTuple):
    """One question to ask."""

    case: Case
    method: Method
    monitor: Monitor

    @property
    def key(self) -> tuple[str, ...]:
        """What the question is about, as it is stored."""
        return (self.case.subset.name, self.case.side, self.case.example_id, self.method.name, self.monitor.name)


KEY = ("subset", "side", "example_id", "method", "monitor")


def ask_all(
    folder: Path, work: Sequence[Work], settings: Mapping[str, Any], *, seed: int, jobs: int, retry_errors: bool
) -> dict[tuple[str, ...], dict[str, Any]]:
    """Ask what was not answered yet, and return the stored line of every question by its key.

    Args:
        folder: the study's folder.
        work: the questions.
        settings: everything that changes an answer; must be equal on resume.
        seed: part of the data fence's marker.
        jobs: questions in flight.
        retry_errors: ask again where there was no answer.

    Raises:
        UsageError: when the folder holds other settings, or a monitor cannot be used at all.
    """
    with RunDirectory(folder) as run:
        run.start(settings, {})
        log = JsonLines(folder / ANSWERS)
        log.repair()
        stored = {tuple(line[name] for name in KEY): line for line in log}
        missing = [
            each
            for each in work
            if each.key not in stored or (retry_errors and stored[each.key]["failure"] is not None)
        ]
        if len(missing) < len(work):
            say(f"Going on with {folder}: {len(work) - len(missing)} of {len(work)} answers are there.")
        waiting = iter(missing)

        async def worker() -> None:
            for each in waiting:
                line = {**dict(zip(KEY, each.key, strict=True)), **await _ask_one(each, seed)}
                log.append(line)
                stored[each.key] = line

        async def everything() -> None:
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(jobs, len(missing))):
                        group.create_task(worker())
            except ExceptionGroup as failed:
                raise failed.exceptions[0] from None

        asyncio.run(everything())
    return stored


async def _ask_one(work: Work, seed: int) -> dict[str, Any]:
    try:
        example = work.case.open()
    except DataError as error:
        failure = {"code": "broken_bundle", "message": str(error)}
        return {"disclose": None, "reason": None, "failure": failure, "steps": []}
    asked = await ask(example, work.method, work.monitor, limits=limits_for(example.subset), seed=seed)
    return {
        "disclose": asked.answer.disclose if asked.answer else None,
        "reason": asked.answer.reason if asked.answer else None,
        "failure": asked.failure.model_dump() if asked.failure else None,
        "steps": [step.model_dump(mode="json") for step in asked.steps],
    }
