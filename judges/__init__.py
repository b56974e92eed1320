"""LLM judges, one module a subset: what is asked, how the answer is checked, and how it becomes scores.

    question = question_about(example, gold, prediction)
    judgement = await ask(model, question)

A judge is any model behind the monitor protocol. It sees the rubric and, fenced as data, what it compares; it never
gives a score. Only a prediction can be judged: an example whose monitor failed has no question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmonbench._lazy import lazy

if TYPE_CHECKING:
    from judges._about import question_about
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

__getattr__, __dir__ = lazy(
    __name__,
    {
        "AnswerFaults": "judges._question",
        "Attempt": "judges._judgement",
        "JudgeListener": "judges._batch",
        "Judgement": "judges._judgement",
        "JudgementKey": "judges._batch",
        "Question": "judges._question",
        "Verdict": "judges._question",
        "ask": "judges._judgement",
        "feedbacktrace_question": "judges.feedbacktrace",
        "judge_run": "judges._batch",
        "judged_values": "judges._batch",
        "question_about": "judges._about",
        "rescore": "judges._judgement",
        "silentswap_question": "judges.silentswap",
        "specgap_question": "judges.specgap",
        "stored_judgements": "judges._batch",
    },
)
