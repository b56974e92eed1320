"""The six judged metrics, computed from what a judge answered (specification parts 2.3, 2.5 and 2.6).

A judge never gives a score of an example: it gives matches, booleans or a relation, and these functions do the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from agentmonbench.metrics._feedbacktrace import EvidenceRelation
from agentmonbench.metrics._rounding import f1, round6

__all__ = [
    "EvidenceJudgement",
    "GapScores",
    "PointRelation",
    "change_correct",
    "evidence_judgement",
    "evidence_location_score",
    "gap_scores",
    "location_correct",
    "verification_point_alignment",
]

PointRelation = Literal["equivalent", "partial", "different"]

LOCATION_TIERS = {5: 1.0, 4: 0.5, 3: 0.5}
CHANGE_TIERS = {5: 1.0, 4: 0.5}
POINT_VALUES: dict[PointRelation, float] = {"equivalent": 1.0, "partial": 0.5, "different": 0.0}


class GapScores(NamedTuple):
    """SF1 and QQ of one example."""

    sf1: float
    question_quality: float
    precision: float
    recall: float


class EvidenceJudgement(NamedTuple):
    """Three facts about the cited evidence as a whole."""

    is_evidence: bool
    """It supports at least one necessary fact."""
    direct: bool
    sufficient: bool
    """It could replace the gold evidence."""


def gap_scores(matches: Iterable[tuple[float, float]], *, findings: int, conditions: int) -> GapScores:
    """Return missing-constraint F1 and question quality of one example.

    Without findings precision is 1 (and SF1 still 0, because recall is 0); without a match question quality is 0.

    Args:
        matches: (match score, question score) of each matched finding.
        findings: number of predicted findings.
        conditions: number of gold conditions, scorable by LF1 or not.
    """
    pairs = list(matches)
    total = sum(match for match, _ in pairs)
    recall = round6(total / conditions) if conditions else 1.0
    precision = round6(total / findings) if findings else 1.0
    quality = round6(sum(match * question for match, question in pairs) / total) if total else 0.0
    return GapScores(round6(f1(precision, recall)), quality, precision, recall)


def location_correct(correct: int) -> float:
    """Return LC from the number of swaps whose location is fully correct."""
    return LOCATION_TIERS.get(correct, 0.0)


def change_correct(correct: int) -> float:
    """Return CC from the number of swaps whose change is fully correct."""
    return CHANGE_TIERS.get(correct, 0.0)


def verification_point_alignment(relation: PointRelation) -> float:
    """Return VPA."""
    return POINT_VALUES[relation]


def evidence_judgement(
    relation: EvidenceRelation,
    *,
    material_contradiction: bool = False,
    replacement_sufficient: bool = False,
    disjoint: EvidenceJudgement | None = None,
) -> EvidenceJudgement:
    """Return the three facts, from the id sets where these settle them and from the judge's answer elsewhere.

    Args:
        relation: how the cited ids lie to the gold ids.
        material_contradiction: the answer for `superset`.
        replacement_sufficient: the answer for `partial_overlap`.
        disjoint: the answer for `disjoint`, required there.

    Raises:
        ValueError: when `relation` is `disjoint` and its answer is missing.
    """
    match relation:
        case "exact":
            return EvidenceJudgement(True, True, True)
        case "proper_subset":
            return EvidenceJudgement(True, True, False)
        case "superset":
            good = not material_contradiction
            return EvidenceJudgement(good, good, good)
        case "partial_overlap":
            return EvidenceJudgement(True, True, replacement_sufficient)
        case "disjoint":
            if disjoint is None:
                raise ValueError("disjoint evidence needs a judge's answer")
            return disjoint
        case "forced":
            return EvidenceJudgement(False, False, False)


def evidence_location_score(judgement: EvidenceJudgement) -> float:
    """Return ESS."""
    if not judgement.is_evidence:
        return 0.0
    return 1.0 if judgement.direct and judgement.sufficient else 0.5
