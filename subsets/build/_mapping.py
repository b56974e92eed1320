"""Two independent ways from a condition to the code that implements it (specification part 5.1, steps 5 to 7).

Route A reads one condition alone: names that it writes as code, or the definition whose docstring it stands in, lead
to scopes, and there to the statements that hold its other names, numbers or errors. Route B knows no names: it weighs
the words of the condition against the behaviors of the whole repository. A pair is strong when both lead to one scope.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

from ebg.model import Behavior, RepositoryGraph, Scope, ScopeId
from subsets.build._conditions import Condition
from subsets.build._matching import words_of

__all__ = ["Mapper", "Pair"]

MAX_RANK = 3
"""Route B must place the scope that route A names among its best so many, of the whole repository."""
MAX_LINES = 12
"""Of one location: wider ones point at nothing."""

_CODE = re.compile(r"`+([^`]+)`+|\b(\w+)\(\)|\b([a-z]+_\w+)\b|\b(\w+Error)\b")
_NAME = re.compile(r"[A-Za-z_]\w+")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


@dataclass(frozen=True, slots=True)
class Pair:
    """A condition with the one scope to which both routes lead, and the lines that each found there."""

    condition: Condition
    scope: Scope
    by_name: tuple[int, int]
    by_words: tuple[int, int]


class Mapper:
    """Maps conditions to one repository."""

    def __init__(self, graph: RepositoryGraph) -> None:
        self._graph = graph
        self._by_id = graph.evidence_by_id
        self._scopes: dict[str, list[Scope]] = {}
        for scope in graph.scopes.values():
            if scope.kind in ("function", "method"):
                self._scopes.setdefault(scope.symbol.rpartition(".")[2], []).append(scope)
        self._words = [
            (behavior, words_of(f"{behavior.scope.symbol} {self._text(behavior)}"))
            for behavior in graph.behaviors
            if graph.scopes[behavior.scope].kind in ("function", "method")
        ]
        counts = Counter(word for _, words in self._words for word in words)
        self._weight = {word: math.log((len(self._words) + 1) / count) for word, count in counts.items()}

    def pair(self, condition: Condition) -> Pair | None:
        """Return the strong pair of a condition, or None."""
        named = self._by_name(condition)
        if not named:
            return None
        for scope, lines in self._by_words(condition):
            if scope in named:
                return Pair(condition, self._graph.scopes[scope], named[scope], lines)
        return None

    def _by_name(self, condition: Condition) -> dict[ScopeId, tuple[int, int]]:
        """Route A: the scopes that the condition names, with the statement that holds most of its other marks."""
        text = condition.sentence.text
        codes = [part for match in _CODE.findall(text) for part in match if part]
        names = {name for code in codes for name in _NAME.findall(code)}
        if condition.owner:
            names.add(condition.owner.rpartition(".")[2])
        marks = names | set(_NUMBER.findall(text)) | (set(_NAME.findall(text)) if condition.owner else set())
        found: dict[ScopeId, tuple[int, int]] = {}
        for name in sorted(names & self._scopes.keys()):
            for scope in self._scopes[name]:
                best: tuple[int, int, int] | None = None
                for item in self._graph.evidence_of_scope.get(scope.id, ()):
                    content = set(_NAME.findall(item.content)) | set(_NUMBER.findall(item.content))
                    shared = len(marks & content - {name})
                    tight = item.line_end - item.line_start < MAX_LINES
                    if shared and tight and '"""' not in item.content and (best is None or shared > best[0]):
                        best = (shared, item.line_start, item.line_end)
                if best:
                    found[scope.id] = best[1:]
        return found

    def _by_words(self, condition: Condition) -> list[tuple[ScopeId, tuple[int, int]]]:
        """Route B: the scopes whose behaviors, of the whole repository, have the words most like the condition's."""
        wanted = words_of(condition.sentence.text)
        scored: dict[ScopeId, tuple[float, Behavior]] = {}
        for behavior, words in self._words:
            score = sum(self._weight[word] for word in sorted(wanted & words)) / math.sqrt(len(words) + 4)
            if score > 0 and (behavior.scope not in scored or score > scored[behavior.scope][0]):
                scored[behavior.scope] = (score, behavior)
        found = []
        for scope, (_, behavior) in sorted(scored.items(), key=lambda item: (-item[1][0], item[0]))[:MAX_RANK]:
            items = [self._by_id[known] for known in (*behavior.result, *behavior.condition)]
            items = [item for item in items if item.line_end - item.line_start < MAX_LINES]
            if items:
                best = max(items, key=lambda item: (len(wanted & words_of(item.content)), -item.line_start))
                found.append((scope, (best.line_start, best.line_end)))
        return found

    def _text(self, behavior: Behavior) -> str:
        return " ".join(self._by_id[known].content for known in behavior.evidence)
