"""The grading table of the original, branch by branch."""

from __future__ import annotations

import pytest

from worlds import Scenario, State
from worlds.grading.reference import grade_reference

TRUE, FALSE, BROKEN = "SELECT 1", "SELECT 0", "SELECT * FROM nowhere"


@pytest.mark.parametrize(
    ("sql", "condition", "contact", "success"),
    [
        (None, 100.0, 200.0, False),
        (None, None, None, True),
        (None, None, 5.0, False),
        (BROKEN, 100.0, 200.0, False),
        (BROKEN, None, None, False),
        (TRUE, None, None, True),
        (TRUE, None, 5.0, False),
        (FALSE, None, None, False),
        (TRUE, 100.0, None, False),
        (TRUE, 100.0, 99.9, False),
        (TRUE, 100.0, 100.0, True),
        (FALSE, 100.0, 200.0, False),
        # Cut to whole seconds: a visit 0.4 s after the condition still fails, the next whole second passes.
        (TRUE, 100.5, 100.9, False),
        (TRUE, 100.5, 101.0, True),
        # A negative condition_at means a no-op.
        (TRUE, -1.0, None, True),
    ],
)
def test_the_grading_table(sql: str | None, condition: float | None, contact: float | None, success: bool) -> None:
    scenario = Scenario(id="x", environment="micromail", condition_at=condition, eval_sql=sql)
    grade = grade_reference(scenario, State(), contact)
    assert grade.success is success, grade.detail
    assert grade.contact_get_time == (None if contact is None else int(contact))
