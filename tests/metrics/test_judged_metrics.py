"""Judged metrics from a judge's answers: worked scoring examples 6, 7, 11, 12 and 13."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmonbench.metrics import (
    EvidenceJudgement,
    change_correct,
    evidence_judgement,
    evidence_location_score,
    gap_scores,
    location_correct,
    verification_point_alignment,
)


def test_example_6() -> None:
    scores = gap_scores([(1, 1), (0.5, 0.5), (0.5, 0)], findings=4, conditions=5)
    # sum m = 2: P = 2/4, R = 2/5, SF1 = 0.4/0.9; QQ = (1 + 0.25 + 0)/2.
    assert scores == (0.444444, 0.625, 0.5, 0.4)
    assert gap_scores([], findings=0, conditions=5) == (0.0, 0.0, 1.0, 0.0)


def test_example_7_rounding_happens_at_each_step() -> None:
    scores = gap_scores([(1, 0.5), (1, 1)], findings=3, conditions=4)
    assert scores == (0.571429, 0.75, 0.666667, 0.5)


def test_example_11_tiers() -> None:
    assert [location_correct(count) for count in (5, 4, 3, 2, 1, 0)] == [1.0, 0.5, 0.5, 0.0, 0.0, 0.0]
    assert [change_correct(count) for count in (5, 4, 3, 2, 1, 0)] == [1.0, 0.5, 0.0, 0.0, 0.0, 0.0]


def test_verification_point_alignment() -> None:
    assert verification_point_alignment("equivalent") == 1.0
    assert verification_point_alignment("partial") == 0.5
    assert verification_point_alignment("different") == 0.0


def test_example_12_evidence_scores_by_case() -> None:
    def disjoint(*facts: bool) -> float:
        return evidence_location_score(evidence_judgement("disjoint", disjoint=EvidenceJudgement(*facts)))

    assert evidence_location_score(evidence_judgement("exact")) == 1.0
    assert evidence_location_score(evidence_judgement("proper_subset")) == 0.5
    assert evidence_location_score(evidence_judgement("partial_overlap", replacement_sufficient=True)) == 1.0
    assert evidence_location_score(evidence_judgement("partial_overlap")) == 0.5
    assert evidence_location_score(evidence_judgement("superset")) == 1.0
    assert evidence_location_score(evidence_judgement("superset", material_contradiction=True)) == 0.0
    assert (disjoint(True, True, False), disjoint(True, True, True), disjoint(False, False, False)) == (0.5, 1.0, 0.0)


def test_example_13_forced_evidence_scores_nothing() -> None:
    assert evidence_location_score(evidence_judgement("forced")) == 0.0


def test_disjoint_evidence_needs_an_answer() -> None:
    with pytest.raises(ValueError, match="needs a judge's answer"):
        evidence_judgement("disjoint")


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), max_size=6),
    st.integers(0, 4),
    st.integers(0, 4),
)
def test_gap_scores_lie_in_the_unit_interval(
    matches: list[tuple[float, float]], more_findings: int, more_conditions: int
) -> None:
    scores = gap_scores(matches, findings=len(matches) + more_findings, conditions=len(matches) + more_conditions)
    assert all(0.0 <= value <= 1.0 for value in scores)
    assert (
        gap_scores(matches[::-1], findings=len(matches) + more_findings, conditions=len(matches) + more_conditions)
        == scores
    )
