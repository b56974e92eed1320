"""A judge's judgement of one prediction, as it is stored, and the conversation that leads to it.

At most three requests: the question, one repair of the form (the text is not one JSON object) and one repair of the
content (the object breaks the rules); both repairs name every fault. What fails then is a failed judge: its metrics
count 0, and it is counted apart from a failed monitor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from agentmonbench._strict_json import NotJson, decode_exactly
from agentmonbench.errors import DataError, ProviderError
from agentmonbench.examples import SubsetName
from agentmonbench.metrics import metrics_of
from agentmonbench.monitors import Message, Monitor, Reply
from judges import prompts
from judges._question import AnswerFaults, Question, Verdict

__all__ = ["Attempt", "Judgement", "Stage", "ask", "rescore"]

Stage = Literal["initial", "format_repair_1", "content_repair_1"]
Status = Literal["ok", "failed"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request to the judge and what came of it."""

    stage: Stage
    reply: Reply | None
    """None when the service gave none."""
    faults: tuple[str, ...] = ()
    """What was wrong with the answer, or with the service; empty for a valid one."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge said about one prediction, with all that is needed to read, check or repeat it."""

    judge: str
    """The judge's name, as it was asked for."""
    subset: SubsetName
    example_id: str
    repeat: int
    question: str
    """Hash of the messages: another prediction, gold or rubric is another question."""
    prompt_version: int
    prompts: Mapping[str, str]
    """Hash of each prompt text by name."""
    status: Status
    attempts: tuple[Attempt, ...]
    """Empty when there was only one possible answer and nobody was asked."""
    values: Mapping[str, float]
    """Every judged metric of the subset; all 0 for a failed judge."""
    answer: Mapping[str, Any] | None = None
    failure: str | None = None
    """Short code: `judge_format`, `judge_content`, or the code of the service's error."""
    detail: str | None = None
    """What the failure was, in words."""

    def to_record(self) -> dict[str, Any]:
        """Return the judgement as JSON values."""
        record: dict[str, Any] = _RECORDS.dump_python(self, mode="json")
        return record

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> Judgement:
        """Return the judgement that `to_record` wrote; further keys are ignored.

        Raises:
            DataError: when the record is not one.
        """
        try:
            return _RECORDS.validate_python(dict(record))
        except ValidationError as error:
            raise DataError(f"not a stored judgement: {error.errors(include_url=False)[0]}") from None


_RECORDS = TypeAdapter(Judgement)


async def ask(judge: Monitor, question: Question, *, repeat: int = 0, repairs: bool = True) -> Judgement:
    """Put `question` to `judge` and return its judgement, failed or not.

    Args:
        judge: any model behind the monitor protocol.
        question: made by the subset's module.
        repeat: index of the repetition, handed through to the model.
        repairs: False takes the first answer or none.
    """
    if question.settled is not None:
        return _judgement(judge.name, question, repeat, (), verdict=question.evaluate(question.settled))
    messages = list(question.messages)
    attempts: list[Attempt] = []
    stage: Stage = "initial"
    while True:
        try:
            reply = await judge.reply(messages, repeat=repeat)
        except ProviderError as error:
            attempts.append(Attempt(stage, None, (str(error),)))
            return _judgement(judge.name, question, repeat, attempts, failure=error.code, detail=str(error))
        try:
            verdict = question.evaluate(_one_object(reply.text))
        except NotJson as error:
            failure, repair = "judge_format", _repair("format_repair", (str(error),))
        except AnswerFaults as error:
            failure, repair = "judge_content", _repair("content_repair", error.faults)
        else:
            attempts.append(Attempt(stage, reply))
            return _judgement(judge.name, question, repeat, attempts, verdict=verdict)
        attempts.append(Attempt(stage, reply, repair.faults))
        if not repairs or any(each.stage == repair.stage for each in attempts):
            return _judgement(judge.name, question, repeat, attempts, failure=failure, detail="; ".join(repair.faults))
        stage = repair.stage
        messages += [Message("assistant", reply.text), Message("user", repair.request)]


class _Repair(NamedTuple):
    stage: Stage
    faults: tuple[str, ...]
    request: str


def _repair(kind: Literal["format_repair", "content_repair"], faults: tuple[str, ...]) -> _Repair:
    stage: Stage = "format_repair_1" if kind == "format_repair" else "content_repair_1"
    return _Repair(stage, faults, prompts.fill(kind, faults="\n".join(f"- {fault}" for fault in faults)))


def rescore(question: Question, judgement: Judgement) -> Verdict:
    """Check a stored answer again and return its verdict; the scores must be those that are stored.

    Raises:
        DataError: when the judgement failed, answers another question, or does not give its stored scores.
    """
    name = f"judgement of {judgement.example_id!r} by {judgement.judge!r}"
    if judgement.answer is None:
        raise DataError(f"{name}: the judge failed ({judgement.failure})")
    if judgement.question != question.sha256:
        raise DataError(f"{name}: answers another question; the prediction, the gold or the rubric has changed")
    try:
        verdict = question.evaluate(judgement.answer)
    except AnswerFaults as error:
        raise DataError(f"{name}: {error}") from None
    if dict(verdict.values) != dict(judgement.values):
        raise DataError(f"{name}: stored {dict(judgement.values)}, computed {dict(verdict.values)}")
    return verdict


def _one_object(text: str) -> dict[str, Any]:
    value = decode_exactly(text)
    if not isinstance(value, dict):
        raise NotJson(f"expected a JSON object, found {type(value).__name__}")
    return value


def _judgement(
    judge: str,
    question: Question,
    repeat: int,
    attempts: list[Attempt] | tuple[Attempt, ...],
    *,
    verdict: Verdict | None = None,
    failure: str | None = None,
    detail: str | None = None,
) -> Judgement:
    zeros = {each.name: 0.0 for each in metrics_of(question.subset, source="judge")}
    return Judgement(
        judge=judge,
        subset=question.subset,
        example_id=question.example_id,
        repeat=repeat,
        question=question.sha256,
        prompt_version=prompts.VERSION,
        prompts=dict(question.prompts),
        status="failed" if verdict is None else "ok",
        attempts=tuple(attempts),
        values=zeros if verdict is None else dict(verdict.values),
        answer=None if verdict is None else verdict.answer,
        failure=failure,
        detail=detail,
    )
