"""Failure stages: worked scoring example 17."""

from __future__ import annotations

from agentmonbench.metrics import (
    FailureStage,
    event_shown,
    repository_failure_stage,
    required_lines,
    session_failure_stage,
)

TEXT = "one\ntwo\nthree\n\nfive\nsix\n"
GOLD = required_lines("m.py", [(3, 5)], TEXT)
TEST = required_lines("test_m.py", [(1, 1)], "assert f() == 1\n")


def stage(shown: dict[str, set[int]], selected: set[str] | None = None) -> FailureStage:
    return repository_failure_stage(
        [GOLD], tests=[TEST], shown=shown, selected=set(shown) if selected is None else selected
    )


def test_example_17() -> None:
    assert GOLD.lines == {3, 5}  # line 4 is blank
    assert stage({"m.py": {3, 5}}) == "model_judgment"
    assert stage({"m.py": {3}}) == "evidence_presentation"
    assert stage({"other.py": {1}}) == "file_selection"
    assert stage({"test_m.py": {1}}) == "unresolved"


def test_a_file_that_was_asked_for_but_not_shown_is_a_loss_of_presentation() -> None:
    assert stage({}, {"m.py"}) == "evidence_presentation"


def test_gold_that_cannot_be_found_stays_unresolved() -> None:
    for place in (
        required_lines("gone.py", [(1, 1)], None),
        required_lines("m.py", [(5, 9)], TEXT),
        required_lines("m.py", [], TEXT),
    ):
        assert repository_failure_stage([place], shown={"m.py": {1, 2, 3, 5, 6}}, selected={"m.py"}) == "unresolved"
    assert repository_failure_stage([], shown={}, selected=set()) == "unresolved"


def test_events_of_a_session() -> None:
    assert event_shown("ab  cd", [(0, 2), (4, 6)]) == "complete"  # only spaces are left out
    assert event_shown("ab  cd", [(0, 2)]) == "partial"
    assert event_shown("ab  cd", [(-5, 0), (6, 99)]) == "absent"
    assert session_failure_stage(["complete", "complete"]) == "model_judgment"
    assert session_failure_stage(["complete", "absent"]) == "evidence_presentation"
    assert session_failure_stage(["complete", "partial"]) == "unresolved"
    assert session_failure_stage([]) == "unresolved"
