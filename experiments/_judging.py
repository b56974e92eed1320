"""The step of a run that asks the judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agentmonbench._plan import Plan
from agentmonbench._run import JudgeStep
from agentmonbench._scoring import Judged
from agentmonbench.loop import Record
from agentmonbench.monitors import Monitor
from agentmonbench.runs import Key, RunDirectory
from judges import JudgeListener, judge_run, judged_values

__all__ = ["judging"]


def judging(
    plan: Plan, judges: Sequence[Monitor], *, jobs: int, retry_errors: bool, listener: JudgeListener | None = None
) -> JudgeStep:
    """Return the step that asks `judges` about every prediction they have not judged.

    Without judges the step only reads what is stored: a run that was judged once keeps its judged metrics.
    """

    async def step(
        run: RunDirectory, records: Mapping[Key, Record], enough: Callable[[], bool]
    ) -> Mapping[tuple[Key, str], Judged]:
        if judges:
            await judge_run(
                run,
                records,
                plan.sources,
                judges,
                jobs=jobs,
                retry_errors=retry_errors,
                enough=enough,
                listener=listener,
            )
        return judged_values(run, records)

    return step
