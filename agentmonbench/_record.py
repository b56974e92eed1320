"""The record of one monitor run: everything needed to replay it, score it and say where it failed.

`Record.model_dump_json()` and `Record.model_validate_json()` round-trip. Texts are kept exactly as the monitor saw and
wrote them. What a step newly showed is a list of spans, so failure stages need no view to be built again.
"""

from __future__ import annotations

from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from agentmonbench._limits import Protocol
from agentmonbench.examples import Prediction, SubsetName

__all__ = ["ANSWER_FAILURES", "FAILURE_CODES", "Failure", "Record", "SecondStage", "Span", "Step", "Totals"]

SecondStage = Literal["all", "ebg", "none"]
"""Which methods get the second stage of SilentSwap: every method, only `ebg` (the paper's protocol), or none."""

FAILURE_CODES: dict[str, str] = {
    "action_format_retries_exhausted": "the answer was not one well-formed action, also after its corrections",
    "context_unfit": "the prompt is larger than the context window allows",
    "context_unfit/provider_limit_mismatch": "the provider refused the prompt as too long, also after compression",
    "finish_format_retries_exhausted": "the finish did not have the asked form, also after its corrections",
    "internal_error": "a method or the loop failed; the message names the exception",
    "invalid_finish_grounding_or_content": "the finish cites what was not shown, also after its correction",
    "last_round_requires_finish": "the last round was spent on a search or a read",
    "monitor_error": "the monitor raised something else than a ProviderError",
    "output_truncated": "the answer was cut at the output limit and could not be read",
    "provider_error": "the provider gave no answer",
    "unreadable_input": "nothing of the example can be shown: no file is admitted, or the session breaks its form",
    "unsupported": "the method does not apply to this example",
}
"""Failure codes of a run and their meaning; a ProviderError with a code of its own keeps it."""

ANSWER_FAILURES = frozenset(
    {
        "action_format_retries_exhausted",
        "finish_format_retries_exhausted",
        "invalid_finish_grounding_or_content",
        "last_round_requires_finish",
        "output_truncated",
    }
)
"""Failures that the monitor's own answers led to: the same answers would lead there again."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Span(_Model):
    """Lines `start` to `end` of `path`, 1-based, inclusive."""

    path: str
    start: int
    end: int


class Failure(_Model):
    """Why a stage ended without a prediction."""

    code: str
    message: str


class Step(_Model):
    """One request to the monitor and what came of it."""

    stage: Literal[1, 2] = 1
    round: int
    """1-based round of the stage; repairs stay in the round of the answer they repair."""
    repair: int = 0
    """0 for the first answer of a round, then 1, 2, ... for its corrections."""
    reply: str
    """The monitor's text, as it came."""
    action: str | None = None
    """Canonical JSON of the action; None when the answer was not accepted."""
    problem: str | None = None
    """Why the answer was not accepted."""
    result: str | None = None
    """What a search or read gave back, before it was fenced."""
    error: str | None = None
    """Code of a tool error."""
    ids: tuple[str, ...] = ()
    """Ids that became readable."""
    deferred: tuple[str, ...] = ()
    shown_lines: tuple[Span, ...] = ()
    """Lines shown for the first time by this step."""
    prompt_tokens_estimate: int = 0
    compressed: bool = False
    """True when older results were reduced to receipts before this request."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0
    model: str | None = None
    finish_reason: str | None = None
    cached: bool = False
    retries: int = 0


class Totals(_Model):
    """Sums over the steps; None where any step did not say."""

    requests: int
    repairs: int
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    prompt_tokens_estimate: int
    cost_usd: float | None
    latency_s: float

    @classmethod
    def of(cls, steps: tuple[Step, ...]) -> Totals:
        """Return the sums over `steps`."""
        return cls(
            requests=len(steps),
            repairs=sum(step.repair > 0 for step in steps),
            input_tokens=_sum([step.input_tokens for step in steps]),
            output_tokens=_sum([step.output_tokens for step in steps]),
            cached_tokens=_sum([step.cached_tokens for step in steps]),
            prompt_tokens_estimate=sum(step.prompt_tokens_estimate for step in steps),
            cost_usd=_sum([step.cost_usd for step in steps]),
            latency_s=sum(step.latency_s for step in steps),
        )


class Record(_Model):
    """One run of one monitor on one example with one method."""

    schema_version: Literal[1] = 1
    example_id: str
    subset: SubsetName
    method: str
    monitor: str
    protocol: Protocol
    second_stage: SecondStage
    repeat: int
    seed: int
    limits: dict[str, int]
    prompts: dict[str, str] = Field(default_factory=dict)
    """sha256 of every prompt file used, by name."""
    system: str = ""
    """The system message of the first stage."""
    opening: str = ""
    """The first user message."""
    initial_lines: tuple[Span, ...] = ()
    """Lines that the opening already shows."""
    shown_events: tuple[str, ...] = ()
    """Citable events of a session, sorted."""
    steps: tuple[Step, ...] = ()
    prediction: Prediction | None = None
    """The answer that is scored; for SilentSwap the first stage's."""
    failure: Failure | None = None
    second_opening: str | None = None
    """The request of the second stage, when it ran."""
    second_prediction: Prediction | None = None
    """The second stage's answer, from which the paper scores CC."""
    second_failure: Failure | None = None
    totals: Totals

    @property
    def ok(self) -> bool:
        """Return whether there is a prediction to score."""
        return self.prediction is not None


_Number = TypeVar("_Number", int, float)


def _sum(values: list[_Number | None]) -> _Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(values) else None
