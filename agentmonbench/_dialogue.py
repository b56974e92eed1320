"""Requests to a monitor: each is sent, noted as a step, and corrected within the run's repairs (parts 7.5 and 7.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agentmonbench import prompts
from agentmonbench._actions import ActionError
from agentmonbench._grounding import FinishError
from agentmonbench._limits import Limits
from agentmonbench._messages import EXAMPLE_ANSWERS
from agentmonbench._record import Failure, Step
from agentmonbench.errors import BudgetExceeded, ProviderError, UsageError
from agentmonbench.examples import SubsetName
from agentmonbench.monitors._protocol import Message, Monitor, Reply
from ebg.tokens import estimate

__all__ = ["CONTEXT_EXCEEDED", "Dialogue", "Repairs", "StageEnded"]

CONTEXT_EXCEEDED = "context_exceeded"
"""Code of a ProviderError that says that the prompt is too long for the model."""


class StageEnded(Exception):  # noqa: N818  # not an error of ours: the stage has failed and its record says why
    """A stage of a run ends without a prediction."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(code=code, message=message)


@dataclass(slots=True)
class Repairs:
    """Corrections that a stage has left."""

    format: int
    grounding: int


class Dialogue:
    """The requests of one run, in order, with everything that is recorded about them."""

    def __init__(self, monitor: Monitor, subset: SubsetName, limits: Limits, *, repeat: int) -> None:
        self.steps: list[Step] = []
        self.prompt_names: set[str] = set()
        self._monitor = monitor
        self._subset = subset
        self._limits = limits
        self._repeat = repeat

    async def request(
        self, messages: Sequence[Message], *, stage: Literal[1, 2], round_: int, repair: int, compressed: bool = False
    ) -> Reply:
        """Send `messages` and note the step.

        Raises:
            StageEnded: when the prompt is too large, or no answer could be had.
            UsageError: from the monitor; concerns the whole run.
            BudgetExceeded: from the monitor; concerns the whole run.
        """
        tokens = sum(estimate(message.content) for message in messages)
        if tokens > self._limits.hard_prompt_tokens:
            limit = self._limits.hard_prompt_tokens
            raise StageEnded("context_unfit", f"the prompt has about {tokens} tokens; the limit is {limit}")
        step = Step(
            stage=stage, round=round_, repair=repair, prompt_tokens_estimate=tokens, compressed=compressed, reply=""
        )
        self.steps.append(step)
        try:
            reply = await self._monitor.reply(messages, repeat=self._repeat)
        except (UsageError, BudgetExceeded):
            raise
        except Exception as error:  # a monitor may be anyone's code
            failure = _failure_of(error)
            self.amend(problem=failure.message, error=failure.code)
            raise StageEnded(failure.code, failure.message) from error
        if not isinstance(reply, Reply) or not isinstance(reply.text, str):
            raise StageEnded("monitor_error", f"the monitor returned {type(reply).__name__}, not a Reply with a text")
        reply = replace(reply, text=reply.text.encode("utf-8", "replace").decode())
        self.amend(
            reply=reply.text,
            input_tokens=reply.usage.input_tokens,
            output_tokens=reply.usage.output_tokens,
            cached_tokens=reply.usage.cached_tokens,
            cost_usd=reply.cost_usd,
            latency_s=reply.latency_s,
            model=reply.model,
            finish_reason=reply.finish_reason,
            cached=reply.cached,
            retries=reply.retries,
        )
        return reply

    def amend(self, **changes: object) -> None:
        """Note more about the last step."""
        self.steps[-1] = self.steps[-1].model_copy(update=changes)

    def correction(
        self, error: ActionError | FinishError, reply: Reply, repairs: Repairs, *, finish_due: bool, as_action: bool
    ) -> list[Message]:
        """Return the two messages that ask for a correction of `reply`, and take it from `repairs`.

        Args:
            error: what is wrong.
            reply: the answer that is not accepted.
            repairs: what the stage has left.
            finish_due: whether the answer had to be a finish.
            as_action: whether a prediction is wrapped as a finish action, or stands bare.

        Raises:
            StageEnded: when no correction is left.
        """
        problem = str(error)
        self.amend(problem=problem)
        if isinstance(error, FinishError) and error.kind == "grounding":
            if repairs.grounding == 0:
                raise StageEnded("invalid_finish_grounding_or_content", problem)
            repairs.grounding -= 1
            request = self._fill("repair-grounding", problem=problem)
        else:
            if repairs.format == 0:
                raise _format_exhausted(problem, reply, finish_due=finish_due)
            repairs.format -= 1
            request = self._format_request(problem, finish_due=finish_due, as_action=as_action)
        # Some providers refuse an empty message.
        return [Message("assistant", reply.text.strip() or "(no text)"), Message("user", request)]

    def _format_request(self, problem: str, *, finish_due: bool, as_action: bool) -> str:
        if not finish_due:
            return self._fill("repair-action", problem=problem)
        example = EXAMPLE_ANSWERS[self._subset]
        if as_action:
            example = f'{{"action":"finish","prediction":{example}}}'
        return self._fill("repair-finish", problem=problem, example=example)

    def _fill(self, name: str, **values: str) -> str:
        self.prompt_names.add(name)
        return prompts.fill(name, **values)


def _format_exhausted(problem: str, reply: Reply, *, finish_due: bool) -> StageEnded:
    if reply.finish_reason == "length":
        return StageEnded("output_truncated", f"the answer was cut at the output limit: {problem}")
    return StageEnded(f"{'finish' if finish_due else 'action'}_format_retries_exhausted", problem)


def _failure_of(error: Exception) -> Failure:
    if not isinstance(error, ProviderError):
        return Failure(code="monitor_error", message=f"{type(error).__name__}: {error}")
    return Failure(code="provider_error" if error.code == type(error).__name__ else error.code, message=str(error))
