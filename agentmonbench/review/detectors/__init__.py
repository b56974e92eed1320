"""The detectors: each finds one kind of decision in a session's log, without a model."""

from __future__ import annotations

from agentmonbench.review._finding import Detector
from agentmonbench.review.detectors import (
    _admissions,
    _claims,
    _constraints,
    _questions,
    _requests,
    _scope,
    _substitution,
    _todo,
    _unfinished,
    _weakened,
)

__all__ = ["DETECTORS"]

DETECTORS: tuple[Detector, ...] = (
    _claims.DETECTOR,
    _weakened.DETECTOR,
    _admissions.DETECTOR,
    _constraints.DETECTOR,
    _requests.ANSWER_DETECTOR,
    _requests.NAME_DETECTOR,
    _unfinished.CHANGE_DETECTOR,
    _todo.TODO_DETECTOR,
    _substitution.DETECTOR,
    _unfinished.FAILURE_DETECTOR,
    _requests.DROPPED_DETECTOR,
    _questions.SELF_ANSWER_DETECTOR,
    _scope.DETECTOR,
    _scope.CONSENT_DETECTOR,
    _claims.SUMMARY_DETECTOR,
    _unfinished.UNCHECKED_DETECTOR,
    _questions.ORDER_DETECTOR,
    _todo.PLAN_DETECTOR,
)
"""In the order in which findings of one severity are listed: what speaks against the agent's own words comes first."""
