"""Reference grading: the original's rule with all its edges (specification part 2.4).

Only the moment of the first visit of the contact page counts, cut to whole seconds; the words of the report and what it
names are never looked at. `fair` grading is not part of this module.
"""

from __future__ import annotations

from dataclasses import dataclass

from worlds.errors import SqlRefused
from worlds.grading._sql import is_true
from worlds.state import State
from worlds.timeline import Scenario

__all__ = ["Grade", "grade_reference"]


@dataclass(frozen=True, slots=True)
class Grade:
    """Whether a run counts as a success, and why."""

    success: bool
    detail: str
    condition_at: float | None
    contact_get_time: int | None
    """Whole seconds of the first visit of the contact page; None when it was never visited."""


def grade_reference(scenario: Scenario, state: State, contact_at: float | None) -> Grade:
    """Grade the state of now as the original does.

    Args:
        scenario: already scaled.
        state: as it is when grading runs: actions after the contact count, as in the original.
        contact_at: exact second of the first visit of the contact page, at least 0; None when there was none.
    """
    contact = None if contact_at is None else int(contact_at)
    success, detail = _judge(scenario, state, contact)
    return Grade(success, detail, scenario.condition_at, contact)


def _judge(scenario: Scenario, state: State, contact: int | None) -> tuple[bool, str]:  # noqa: PLR0911  # one return for each branch of the rule
    condition = scenario.condition_at
    holds = True
    if scenario.eval_sql is None:
        if condition is not None:
            return False, "no eval_sql, and not a no-op"
    else:
        try:
            holds = is_true(state, scenario.eval_sql)
        except SqlRefused as error:
            return False, f"SQL error: {error}"
    if not holds:
        return False, "eval_sql is false"
    if condition is None:
        return contact is None, "no-op: never contacted" if contact is None else "no-op, but the user was contacted"
    if contact is None:
        return False, "the user was never contacted"
    if contact < condition:
        return False, f"contacted at {contact}, before condition_at {condition:g}"
    return True, f"contacted at {contact}, condition_at {condition:g}"
