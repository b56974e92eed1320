"""Judge a whole run: only what was predicted, each judge on its own, nothing twice.

Judgements are appended to `judgments.jsonl` of the run folder the moment they exist. A stored one stands as long as its
question is the same: another judge, another prediction or another rubric never changes what was paid for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from agentmonbench._predict import Source
from agentmonbench._scoring import Judged
from agentmonbench.errors import DataError
from agentmonbench.loop import Record
from agentmonbench.metrics import SECOND_STAGE
from agentmonbench.monitors import Monitor, asked_again
from agentmonbench.runs import Key, RunDirectory
from judges._judgement import Judgement, ask
from judges._question import Question

__all__ = ["JudgeListener", "JudgementKey", "judge_run", "judged_values", "stored_judgements"]


NOT_JUDGED = "second_stage_not_judged"
"""Failure code of the change metrics when only the first stage has been judged; judging the run again clears it."""


class JudgementKey(NamedTuple):
    """Which answer was judged, and by whom."""

    key: Key
    stage: int
    """1, or 2 for the second stage of SilentSwap."""
    judge: str


class JudgeListener(Protocol):
    """Who is told how the judging goes."""

    def judged(self, key: JudgementKey, judgement: Judgement) -> None:
        """Tell that a judgement is on disk."""
        ...


async def judge_run(
    run: RunDirectory,
    records: Mapping[Key, Record],
    subsets: Mapping[str, Source],
    judges: Sequence[Monitor],
    *,
    jobs: int,
    retry_errors: bool = False,
    listener: JudgeListener | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Ask every judge about every prediction that it has not judged yet, at most `jobs` at a time.

    Args:
        run: the run folder, open for writing.
        records: its predictions.
        subsets: where examples and gold come from, by name.
        judges: models behind the monitor protocol.
        jobs: questions in flight.
        retry_errors: ask failed judges again.
        listener: who is told how it goes.
        enough: once it says so no further question is put, and those in flight are finished.
    """
    run.judgments_log.repair()
    stored = stored_judgements(run)
    work = [
        (JudgementKey(key, stage, judge.name), question, judge)
        for key, stage, question in _questions(records, subsets)
        for judge in judges
        if not _stands(stored.get(JudgementKey(key, stage, judge.name)), question, retry_errors=retry_errors)
    ]
    waiting = iter(work)

    async def worker() -> None:
        for name, question, judge in waiting:
            if enough():
                return
            before = stored.get(name)
            # A wrong answer that a cache has kept would be wrong again.
            with asked_again(before is not None and before.failure in ("judge_format", "judge_content")):
                judgement = await ask(judge, question, repeat=name.key.repeat)
            run.judgments_log.append(
                {**name.key._asdict(), "stage": name.stage, "judge": name.judge, "judgement": judgement.to_record()}
            )
            if listener is not None:
                listener.judged(name, judgement)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(work))):
                group.create_task(worker())
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None


def _stands(stored: Judgement | None, question: Question, *, retry_errors: bool) -> bool:
    if stored is None or stored.question != question.sha256:
        return False
    return stored.status == "ok" or not retry_errors


def _questions(records: Mapping[Key, Record], subsets: Mapping[str, Source]) -> Iterable[tuple[Key, int, Question]]:
    from judges._about import question_about

    for key in sorted(records):
        record = records[key]
        predictions = ((1, record.prediction), (2, record.second_prediction))
        if record.prediction is None:
            continue
        try:
            example, gold = subsets[key.subset].example(key.example), subsets[key.subset].gold(key.example)
        except DataError:
            continue  # the scorer reports it; there is nothing to judge
        for stage, prediction in predictions:
            if prediction is not None:
                yield key, stage, question_about(example, gold, prediction)


def stored_judgements(run: RunDirectory) -> dict[JudgementKey, Judgement]:
    """Return the judgements of a run folder; where one was made again, the last one."""
    stored: dict[JudgementKey, Judgement] = {}
    for line in run.judgments_log:
        try:
            key = Key(*(line[name] for name in Key._fields))
            name = JudgementKey(key, line["stage"], line["judge"])
            stored[name] = Judgement.from_record(line["judgement"])
        except (KeyError, TypeError) as exc:
            raise DataError(f"{run.judgments_log.path}: a line is no judgement ({exc!r})") from exc
    return stored


def judged_values(run: RunDirectory, records: Mapping[Key, Record]) -> dict[tuple[Key, str], Judged]:
    """Return the judged metrics of a run by prediction and judge.

    Where SilentSwap has a second stage, its change metrics come from there and all others from the first stage. A
    second stage that was asked for and failed has failed change metrics; they are 0 and counted.
    """
    stored = stored_judgements(run)
    return {
        (name.key, name.judge): _combined(
            judgement, stored.get(JudgementKey(name.key, 2, name.judge)), records[name.key]
        )
        for name, judgement in stored.items()
        if name.stage == 1 and name.key in records
    }


def _combined(first: Judgement, second: Judgement | None, record: Record) -> Judged:
    failures = dict.fromkeys(first.values, first.failure) if first.failure else {}
    values = dict(first.values)
    if record.second_failure is not None:
        change = {name: 0.0 for name in values if name in SECOND_STAGE}
        failures |= dict.fromkeys(change, record.second_failure.code)
    elif second is not None:
        change = {name: value for name, value in second.values.items() if name in SECOND_STAGE}
        failures = {name: code for name, code in failures.items() if name not in change}
        failures |= dict.fromkeys(change, second.failure) if second.failure else {}
    elif record.second_prediction is not None:
        # Killed between the two: the first stage's description of the change must not stand in for the second's.
        change = {name: 0.0 for name in values if name in SECOND_STAGE}
        failures |= dict.fromkeys(change, NOT_JUDGED)
    else:
        change = {}
    return Judged(values | change, {name: code for name, code in failures.items() if code})
