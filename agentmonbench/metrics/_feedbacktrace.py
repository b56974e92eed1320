"""Evidence Hit Rate of FeedbackTrace, and how the cited set of ids lies to the gold set (specification part 2.6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["EvidenceHit", "EvidenceRelation", "evidence_hit", "evidence_relation"]

EvidenceRelation = Literal["exact", "proper_subset", "superset", "partial_overlap", "disjoint", "forced"]

MAX_CITED = 2


@dataclass(frozen=True, slots=True)
class EvidenceHit:
    """EHR of one example with everything that led to it."""

    value: float
    """1 when a gold id is cited under the verdict KEY, else 0; ids are not checked otherwise."""
    hits: tuple[str, ...]
    """Cited ids that are gold, in cited order."""
    misses: tuple[str, ...]
    precision: float
    """Share of the distinct cited ids that are gold; 0 when none is cited or the verdict is not KEY."""


def evidence_hit(cited: Sequence[str], gold: Collection[str], *, verdict: str = "KEY") -> EvidenceHit:
    """Return EHR of one example. An id that does not exist is a miss; another may still hit."""
    distinct = tuple(dict.fromkeys(cited))
    hits = tuple(each for each in distinct if each in gold)
    key = verdict == "KEY"
    return EvidenceHit(
        value=float(key and bool(hits)),
        hits=hits,
        misses=tuple(each for each in distinct if each not in gold),
        precision=len(hits) / len(distinct) if key and distinct else 0.0,
    )


def evidence_relation(
    cited: Sequence[str], gold: Collection[str], selectable: Collection[str], *, verdict: str = "KEY"
) -> EvidenceRelation:
    """Return the case that decides what a judge is asked about the evidence.

    Args:
        cited: the predicted ids.
        gold: the gold ids.
        selectable: all ids of the trace that may be cited.
        verdict: the predicted verdict; any but KEY forces the result.
    """
    chosen, wanted = set(cited), set(gold)
    valid = 1 <= len(cited) <= MAX_CITED and len(chosen) == len(cited) and chosen <= set(selectable)
    if verdict != "KEY" or not valid:
        return "forced"
    if chosen == wanted:
        return "exact"
    if chosen < wanted:
        return "proper_subset"
    if chosen > wanted:
        return "superset"
    return "partial_overlap" if chosen & wanted else "disjoint"
