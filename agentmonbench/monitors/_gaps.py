"""SpecGAP without a model: rules of the code that the document does not speak of, where it speaks of their place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentmonbench.monitors._rules import Rule, RuleKind
from agentmonbench.monitors._statements import Place
from agentmonbench.monitors._words import Sentence, Weights, words_of

__all__ = ["MAX_FINDINGS", "describe_rule", "rank_rules"]

MAX_FINDINGS = 5
"""Findings that are reported; a person would not read many more of this quality."""
_ENOUGH = 25.0
"""Weight of a rule's own words from which on they can be trusted: about half a dozen telling words."""
_NAME = re.compile(r"[A-Za-z_]\w+")
_CODE = re.compile(r"`+[^`]+`+|[A-Za-z_][\w.]*\(|\b(?:(?:\w+\.)+\w+|\w*_\w+)\b")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*)$", re.MULTILINE)
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

    A rule is suspicious when its own words are missing where the document speaks of its definition: the operation is
    described, this part of it is not.
    """
    weights = Weights([rule.words for rule in rules] + [sentence.words for sentence in sentences])
    spoken = frozenset[str]().union(*(sentence.words | sentence.context for sentence in sentences))
    mentions = _Mentions(sentences, document)

    def score(rule: Rule) -> float:
        around = _names(rule.place)
        own = rule.words - around
        about = mentions.about(rule.place)
        topic = 1.0 if about is not None else 0.6 * weights.share(around, spoken)
        said = frozenset[str]().union(*about) if about else frozenset[str]()
        best = max((weights.share(own, words) for words in about or ()), default=0.0)
        known = 0.35 * best + 0.35 * (weights.share(own, said) if said else 0.0) + 0.3 * weights.share(own, spoken)
        enough = min(1.0, weights.of(own) / _ENOUGH)
        private = 0.5 if _is_private(rule) else 1.0
        return _SALIENCE[rule.kind] * (1.0 - known) * (0.1 + 0.9 * topic) * enough * private

    return _spread(sorted(rules, key=lambda rule: (-score(rule), rule.place.path, rule.start, rule.end)))


class _Mentions:
    """Where a document names a definition: in a heading, or in code style in a sentence."""

    def __init__(self, sentences: Sequence[Sentence], document: str) -> None:
        self._words = [sentence.words | sentence.context for sentence in sentences]
        self._in_heading: dict[str, set[int]] = {}
        self._in_text: dict[str, set[int]] = {}
        for place, sentence in enumerate(sentences):
            for name in _NAME.findall(sentence.heading):
                self._in_heading.setdefault(name, set()).add(place)
            # An ordinary word of a sentence (`run`, `get`) is no mention of a function of that name.
            code = [sentence.text] if sentence.is_code else [found.group(0) for found in _CODE.finditer(sentence.text)]
            for name in _NAME.findall(" ".join(code)):
                self._in_text.setdefault(name, set()).add(place)
        self._headings = {name for heading in _HEADING.findall(document) for name in _NAME.findall(heading)}
        self._about: dict[str, list[frozenset[str]] | None] = {}

    def about(self, place: Place) -> list[frozenset[str]] | None:
        """Return the words of each sentence about a definition; None when the document does not name it."""
        if place.symbol not in self._about:
            self._about[place.symbol] = self._find(place.symbol)
        return self._about[place.symbol]

    def _find(self, symbol: str) -> list[frozenset[str]] | None:
        owner, _, name = symbol.removeprefix("<module>").rpartition(".")
        if name == "__init__":
            owner, _, name = owner.rpartition(".")
        owner = owner.rpartition(".")[2]
        in_heading = self._in_heading.get(name, set())
        headed = name in self._headings
        if owner:
            # Many classes have a method of one name: the heading has to name the class as well.
            in_heading = in_heading & self._in_heading.get(owner, set())
            headed = headed and owner in self._headings
        found = in_heading | self._in_text.get(name, set())
        return [self._words[place] for place in sorted(found)] if found or headed else None


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
