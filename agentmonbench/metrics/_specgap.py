"""Location F1 of SpecGAP: do the cited places implement a deleted condition (specification parts 2.1 and 2.2)?

Gold places come from the mapping route that the human label names, from both routes when the label was rewritten by
hand. Conditions without any such place cannot be scored: they leave the recall, but findings about them stay in the
precision. The matching is the rule's own, independent of what a judge matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from agentmonbench.errors import DataError, MonitorError
from agentmonbench.examples import CodeEvidence, ComparisonItem, ConditionMapping, Finding, SpecGapGold
from agentmonbench.metrics import _lines
from agentmonbench.metrics._lines import Lines
from agentmonbench.metrics._matching import Pair, best_matching
from agentmonbench.metrics._rounding import f1, round6

__all__ = [
    "CitationHit",
    "FindingMatch",
    "LocationF1",
    "LocationScore",
    "Target",
    "cited_path",
    "gold_targets",
    "location_f1",
    "location_score",
    "matched_f1",
]


class Target(NamedTuple):
    """A place where a condition is implemented."""

    path: str
    symbol: str
    ranges: tuple[tuple[int, int], ...]

    @property
    def lines(self) -> Lines:
        """All lines of the target."""
        return _lines.union(self.ranges)


class LocationScore(NamedTuple):
    """How well one cited place fits one target; ordered by score."""

    score: float
    """1.0 when symbol and lines fit, 0.5 when one of them does, else 0."""
    symbol: bool = False
    lines: bool = False


class CitationHit(NamedTuple):
    """The best fit of one cited place over all conditions."""

    location: LocationScore
    condition_id: str | None
    """None when it fits no target at all."""


@dataclass(frozen=True, slots=True)
class FindingMatch:
    """A finding that was matched with a condition."""

    finding: int
    """Index in the prediction."""
    finding_id: str
    condition_id: str
    score: float


@dataclass(frozen=True, slots=True)
class LocationF1:
    """LF1 of one example with everything that led to it."""

    value: float
    precision: float
    recall: float
    matches: tuple[FindingMatch, ...]
    """In order of the conditions."""
    scorable: tuple[str, ...]
    """Ids of the conditions that have a target, in gold order."""
    unscorable: tuple[str, ...]
    pair_scores: tuple[tuple[float, ...], ...]
    """A row per finding, a column per scorable condition."""
    citations: tuple[tuple[CitationHit, ...], ...]
    """Per finding, one entry per cited place."""


def gold_targets(gold: SpecGapGold) -> dict[str, tuple[Target, ...]]:
    """Return the targets of every selected condition, in gold order; the tuple is empty for an unscorable one.

    Raises:
        DataError: when a condition has no comparison item or no label.
    """
    mappings = gold.formal_reference.code_mappings
    items = {item.condition_id: item for item in mappings.comparison_items}
    sources = {label.condition_id: label.gold_source for label in mappings.gold_labels}
    targets: dict[str, tuple[Target, ...]] = {}
    for condition in gold.conditions:
        key = condition.condition_id
        if key not in items or key not in sources:
            missing = "comparison item" if key not in items else "gold label"
            raise DataError(f"gold {gold.input_id!r}: condition {key!r} has no {missing}", code="invalid_gold")
        found = [target for route in _routes(items[key], sources[key]) for target in _route_targets(route)]
        targets[key] = tuple(dict.fromkeys(found))
    return targets


def location_score(citation: CodeEvidence, target: Target) -> LocationScore:
    """Return how well one cited place fits one target (specification part 2.2).

    Raises:
        MonitorError: when the cited path is absolute or climbs out of the repository.
    """
    if cited_path(citation) != target.path:
        return LocationScore(0.0)
    symbol = _same_symbol(citation.symbol, target.symbol)
    lines = _lines.shared(_lines.union([(citation.start_line, citation.end_line)]), target.lines) > 0
    return LocationScore((symbol + lines) / 2, symbol, lines)


def location_f1(findings: Sequence[Finding], targets: Mapping[str, Sequence[Target]]) -> LocationF1:
    """Return LF1 of one example.

    Args:
        findings: the predicted findings.
        targets: targets by condition id, as `gold_targets` gives them.

    Raises:
        MonitorError: when a cited path is absolute or climbs out of the repository.
    """
    scorable = tuple(key for key, places in targets.items() if places)
    # Per finding and condition: the fit of each citation with its best target.
    fits = [
        [
            [max(location_score(citation, target) for target in targets[key]) for citation in finding.code_evidence]
            for key in scorable
        ]
        for finding in findings
    ]
    pair_scores = tuple(tuple(max((fit.score for fit in cell), default=0.0) for cell in row) for row in fits)
    pairs = best_matching(pair_scores)
    precision, recall, value = matched_f1(pairs, len(findings), len(scorable))
    return LocationF1(
        value=value,
        precision=precision,
        recall=recall,
        matches=tuple(
            FindingMatch(pair.row, findings[pair.row].finding_id, scorable[pair.column], pair.score) for pair in pairs
        ),
        scorable=scorable,
        unscorable=tuple(key for key, places in targets.items() if not places),
        pair_scores=pair_scores,
        citations=tuple(
            tuple(_citation_hit([cell[place] for cell in row], scorable) for place in range(len(finding.code_evidence)))
            for finding, row in zip(findings, fits, strict=True)
        ),
    )


def matched_f1(pairs: Sequence[Pair], findings: int, conditions: int) -> tuple[float, float, float]:
    """Return precision, recall and F1 of a matching, each rounded; F1 rests on the rounded two."""
    total = sum(pair.score for pair in pairs)
    precision = round6(total / findings) if findings else 0.0
    recall = round6(total / conditions) if conditions else 0.0
    return precision, recall, round6(f1(precision, recall))


def cited_path(citation: CodeEvidence) -> str:
    """Return the cited path in POSIX form.

    Raises:
        MonitorError: when it is absolute or climbs out of the repository; the example then counts as failed.
    """
    path = PurePosixPath(citation.path)
    if path.is_absolute() or ".." in path.parts:
        raise MonitorError(
            f"cited path {citation.path!r} must be relative and stay inside the repository", code="invalid_citation"
        )
    return path.as_posix()


def _routes(item: ComparisonItem, gold_source: str) -> tuple[ConditionMapping, ...]:
    if gold_source == "condition_by_condition":
        return (item.condition_by_condition,)
    if gold_source == "holistic_alignment":
        return (item.holistic_alignment,)
    return (item.condition_by_condition, item.holistic_alignment)


def _route_targets(route: ConditionMapping) -> list[Target]:
    return [
        Target(
            location.file_path,
            location.symbol.qualified_name,
            tuple((lines.start, lines.end) for lines in location.line_ranges),
        )
        for evidence in route.evidence
        if evidence.evidence_type == "implementation"
        and evidence.strength == "direct"
        and evidence.relation != "contradicts"
        for location in evidence.locations
        if location.symbol.qualified_name
    ]


def _same_symbol(cited: str, gold: str) -> bool:
    """Return whether the names agree: equal, or dotted both and equal in the last two parts."""
    if not cited or cited == gold:
        return bool(cited)
    left, right = cited.split("."), gold.split(".")
    return len(left) > 1 and len(right) > 1 and left[-2:] == right[-2:]


def _citation_hit(fits: Sequence[LocationScore], conditions: Sequence[str]) -> CitationHit:
    best = max(range(len(fits)), key=lambda index: (fits[index].score, -index), default=None)
    if best is None or fits[best].score == 0:
        return CitationHit(LocationScore(0.0), None)
    return CitationHit(fits[best], conditions[best])
