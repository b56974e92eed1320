"""The question about a prediction, whatever its subset."""

from __future__ import annotations

from agentmonbench.errors import UsageError
from agentmonbench.examples import (
    Example,
    FeedbackTraceGold,
    FeedbackTracePrediction,
    Gold,
    Prediction,
    SilentSwapGold,
    SilentSwapPrediction,
    SpecGapGold,
    SpecGapPrediction,
)
from judges._question import Question
from judges.feedbacktrace import feedbacktrace_question
from judges.silentswap import silentswap_question
from judges.specgap import specgap_question

__all__ = ["question_about"]


def question_about(example: Example, gold: Gold, prediction: Prediction) -> Question:
    """Return what a judge is asked about a prediction, whatever its subset.

    Raises:
        UsageError: when example, gold and prediction are not of one subset and one id.
    """
    if gold.input_id != example.id:
        raise UsageError(f"gold of {gold.input_id!r} cannot judge example {example.id!r}")
    match gold, prediction:
        case SpecGapGold(), SpecGapPrediction():
            return specgap_question(example, gold, prediction)
        case SilentSwapGold(), SilentSwapPrediction():
            return silentswap_question(example, gold, prediction)
        case FeedbackTraceGold(), FeedbackTracePrediction():
            return feedbacktrace_question(example, gold, prediction)
        case _:
            raise UsageError(f"{type(prediction).__name__} cannot be judged with {type(gold).__name__}")
