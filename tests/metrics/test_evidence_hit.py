"""EHR and the relation of id sets: worked scoring examples 12 and 13."""

from __future__ import annotations

import pytest

from agentmonbench.metrics import evidence_hit, evidence_relation

TRACE = [f"e{number}" for number in range(1, 10)]


@pytest.mark.parametrize(
    ("cited", "gold", "relation", "hit", "precision"),
    [
        (["e1", "e2"], ["e1", "e2"], "exact", 1.0, 1.0),
        (["e2", "e1"], ["e1", "e2"], "exact", 1.0, 1.0),
        (["e1"], ["e1", "e2"], "proper_subset", 1.0, 1.0),
        (["e1", "e9"], ["e1", "e2"], "partial_overlap", 1.0, 0.5),
        (["e8", "e9"], ["e1", "e2"], "disjoint", 0.0, 0.0),
        (["e1", "e9"], ["e1"], "superset", 1.0, 0.5),
    ],
)
def test_example_12(cited: list[str], gold: list[str], relation: str, hit: float, precision: float) -> None:
    assert evidence_relation(cited, gold, TRACE) == relation
    result = evidence_hit(cited, gold)
    assert (result.value, result.precision) == (hit, precision)


def test_example_13_invalid_ids_force_the_relation_but_may_hit() -> None:
    assert evidence_relation(["e1", "e404"], ["e1"], TRACE) == "forced"
    assert evidence_hit(["e1", "e404"], ["e1"]).value == 1.0
    assert evidence_relation(["e1", "e1"], ["e1"], TRACE) == "forced"
    assert evidence_hit(["e1", "e1"], ["e1"]).value == 1.0
    assert evidence_relation([], ["e1"], TRACE) == "forced"
    assert evidence_relation(["e1", "e2", "e3"], ["e1"], TRACE) == "forced"


def test_example_13_a_verdict_other_than_key_never_hits() -> None:
    assert evidence_relation(["e1"], ["e1"], TRACE, verdict="NO_KEY") == "forced"
    assert evidence_hit(["e1"], ["e1"], verdict="NO_KEY").value == 0.0
    assert evidence_hit(["e1"], ["e1"], verdict="NO_KEY").precision == 0.0
