"""LLM judges, one module a subset: what is asked, how the answer is checked, and how it becomes scores.

    question = question_about(example, gold, prediction)
    judgement = await ask(model, question)

A judge is any model behind the monitor protocol. It sees the rubric and, fenced as data, what it compares; it never
gives a score. Only a prediction can be judged: an example whose monitor failed has no question.
"""

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
from judges._batch import JudgeListener, JudgementKey, judge_run, judged_values, stored_judgements
from judges._judgement import Attempt, Judgement, ask, rescore
from judges._question import AnswerFaults, Question, Verdict
from judges.feedbacktrace import feedbacktrace_question
from judges.silentswap import silentswap_question
from judges.specgap import specgap_question

__all__ = [
    "AnswerFaults",
    "Attempt",
    "JudgeListener",
    "Judgement",
    "JudgementKey",
    "Question",
    "Verdict",
    "ask",
    "feedbacktrace_question",
    "judge_run",
    "judged_values",
    "question_about",
    "rescore",
    "silentswap_question",
    "specgap_question",
    "stored_judgements",
]


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
