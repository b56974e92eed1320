"""SpecGAP without a model: rules of the code that the document does not speak of, where it speaks of their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentmonbench.monitors._rules import Rule, RuleKind
from agentmonbench.monitors._statements import Place
from agentmonbench.monitors._words import Sentence, Weights, words_of

__all__ = ["MAX_FINDINGS", "describe_rule", "rank_rules"]

MAX_FINDINGS = 5
"""Findings that are reported; a person would not read many more of this quality."""
_ENOUGH = 15.0
"""Weight of a rule's own words from which on they can be trusted: about four telling words."""
_SALIENCE: Mapping[RuleKind, float] = {
    "error": 1.0,
    "guard": 0.9,
    "fallback": 0.9,
    "default": 0.8,
    "limit": 0.8,
    "order": 0.8,
    "form": 0.7,
}
_OUTCOME: Mapping[RuleKind, str] = {
    "error": "it raises",
    "guard": "it stops early with",
    "fallback": "it falls back with",
    "default": "it has the default",
    "limit": "it keeps to",
    "order": "it chooses or orders by",
    "form": "it normalises with",
}


def rank_rules(rules: Sequence[Rule], sentences: Sequence[Sentence], document: str) -> list[Rule]:
    """Return `rules`, the most suspicious first.

    A rule is suspicious when its own words are missing from the document while the names around it are there: the
    operation is described, this part of it is not.
    """
    weights = Weights([rule.words for rule in rules] + [sentence.words for sentence in sentences])
    spoken = frozenset[str]().union(*(sentence.words | sentence.context for sentence in sentences))

    def score(rule: Rule) -> float:
        around = _names(rule.place)
        own = rule.words - around
        topic = 1.0 if _is_named(rule.place, document) else weights.share(around, spoken)
        known = 0.5 * weights.share(own, spoken) + 0.5 * _said(own, around, sentences, weights)
        enough = min(1.0, weights.of(own) / _ENOUGH)
        return _SALIENCE[rule.kind] * (1.0 - known) * (0.3 + 0.7 * topic) * enough * (0.7 if _is_private(rule) else 1.0)

    return _spread(sorted(rules, key=lambda rule: (-score(rule), rule.place.path, rule.start, rule.end)))


def _said(own: frozenset[str], around: frozenset[str], sentences: Sequence[Sentence], weights: Weights) -> float:
    """Return how much of a rule its best sentence says; a sentence about another place counts half."""
    best = 0.0
    for sentence in sentences:
        words = sentence.words | sentence.context
        near = min(1.0, 2.0 * weights.share(around, words))
        best = max(best, weights.share(own, words) * (0.5 + 0.5 * near))
    return best


def _is_named(place: Place, document: str) -> bool:
    return place.symbol in document or f"`{place.symbol.rpartition('.')[2]}" in document


def _is_private(rule: Rule) -> bool:
    """Return whether a caller could hardly meet the rule: an internal definition or constant."""
    parts = [*rule.place.symbol.split("."), rule.action]
    return any(part.startswith("_") and not part.startswith("__") for part in parts)


def _spread(rules: Sequence[Rule]) -> list[Rule]:
    """Put the best rule of each definition before the second best of any."""
    turns: dict[Place, int] = {}
    placed: list[tuple[int, int, Rule]] = []
    for position, rule in enumerate(rules):
        turn = turns.get(rule.place, 0)
        turns[rule.place] = turn + 1
        placed.append((turn, position, rule))
    return [rule for _, _, rule in sorted(placed, key=lambda item: item[:2])]


def _names(place: Place) -> frozenset[str]:
    module = place.path.rpartition("/")[2].partition(".")[0]
    symbol = "" if place.symbol == "<module>" else place.symbol
    return frozenset(words_of(f"{symbol} {module}"))


def describe_rule(rule: Rule, number: int) -> dict[str, Any]:
    """Return the finding for a rule."""
    name = rule.place.symbol
    outcome = f"{_OUTCOME[rule.kind]} `{_short(rule.action)}`"
    when = f" when `{_short(rule.condition)}` holds" if rule.condition else ""
    return {
        "finding_id": f"F{number}",
        "claim": f"In `{name}`, {outcome}{when}; the document does not say so.",
        "verification_question": f"Is it intended that in `{name}` {outcome}{when}?",
        "why_important": f"A caller of `{name}` cannot know this rule from the document.",
        "downstream_impact": "Another implementation of the document would behave differently here.",
        "code_evidence": [
            {
                "path": rule.place.path,
                "start_line": rule.start,
                "end_line": rule.end,
                "symbol": name,
                "explanation": f"`{_short(rule.action)}`",
            }
        ],
    }


def _short(text: str) -> str:
    text = text.rstrip(":")
    return text if len(text) <= 120 else f"{text[:117]}..."
