"""What a judge is asked about one example, and how its answer is checked and scored.

A subset's module makes a `Question`; nothing outside it knows the subset's form of answer. Every fault of an answer is
found at once, so that one request for repair can name them all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agentmonbench.examples import SubsetName
from agentmonbench.monitors import Message

__all__ = ["Answer", "AnswerFaults", "Question", "Verdict", "parse_answer"]

MAX_FAULTS = 40

Json = Mapping[str, Any]
_Model = TypeVar("_Model", bound=BaseModel)


class Answer(BaseModel):
    """Base of the forms of answer: values are not coerced, unknown keys are dropped."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, defer_build=True)


class AnswerFaults(ValueError):  # noqa: N818  # several faults, reads as what it says
    """An answer that breaks its form; `faults` lists every point."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A valid answer and the scores that follow from it."""

    answer: Json
    """The answer in its checked form."""
    values: Mapping[str, float]
    """Every judged metric of the subset, in table order."""


@dataclass(frozen=True, slots=True)
class Question:
    """A judge's task for one prediction."""

    example_id: str
    subset: SubsetName
    messages: tuple[Message, ...]
    """System message (rubric) and user message (data)."""
    prompts: Mapping[str, str]
    """Hash of every prompt text that was used, by name."""
    evaluate: Callable[[Json], Verdict]
    """Check an answer and score it; raises `AnswerFaults`."""
    settled: Json | None = None
    """The only possible answer, when there is just one: nothing was predicted, so nobody has to be asked."""

    @property
    def sha256(self) -> str:
        """Hash of the messages: a stored judgement is valid for exactly this question."""
        content = json.dumps([(each.role, each.content) for each in self.messages], ensure_ascii=False)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def parse_answer(form: type[_Model], answer: Json) -> _Model:
    """Return the answer as its model.

    Raises:
        AnswerFaults: with every place that does not fit.
    """
    try:
        return form.model_validate(answer)
    except ValidationError as error:
        faults = [f"{_place(each['loc'])}: {each['msg']}" for each in error.errors(include_url=False)]
        surplus = len(faults) - MAX_FAULTS
        raise AnswerFaults(faults[:MAX_FAULTS] + ([f"and {surplus} more"] if surplus > 0 else [])) from None


def _place(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "answer"
