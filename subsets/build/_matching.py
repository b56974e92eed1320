"""Which documented sentence a change of code contradicts, found through the behavior graph.

A sentence belongs to a scope when it stands in the scope's docstring, names the scope, or does so for a scope that
calls it (two calls at most). Of these the sentence is taken that shares the rarest words with the changed statement
and the behaviors it is part of; words that tell of the mechanism count as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentmonbench.examples import Mechanism
from ebg.model import RepositoryGraph, Scope, ScopeId
from subsets.build._documents import Sentence, sentences
from subsets.build._rewrites import Rewrite

__all__ = ["Matcher", "Target", "words_of"]

MAX_CALLS = 2
MIN_SCORE = 3.0
"""Below it the pair is too weak: a guess, looked at on two packages."""

MIN_SHARED = 5.0
"""Weight of shared words that stands for a word of the mechanism."""
_NEED_CUE: frozenset[Mechanism] = frozenset({"exception_error_handling", "input_validation_boundary"})
"""Here other words prove little: messages of errors share theirs with all of the document."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HEADING = re.compile(r"(?m)^### `([\w.]+)")
_STOP = (
    "a an and are as at be been but by can do does each for from has have if in into is it its may more must "
    "no not of on one only or other return returns self should so such than that the their them then there "
    "these this to use used using was when which will with you your value values object function method class "
    "str int none true false def else elif result data name type args kwargs any all get set new "
)
_CUES: Mapping[Mechanism, str] = {
    "input_validation_boundary": (
        "minimum maximum min max least most limit between range valid invalid less greater equal positive "
        "negative length size exceed bound inclusive below above"
    ),
    "parsing_matching": (
        "match parse pattern regex prefix suffix start end begin separator split case first last find "
        "search delimiter contain"
    ),
    "ordering_precedence": (
        "order sort first last before after preced priority reverse ascending descending min max minimum "
        "maximum largest smallest overrid preference"
    ),
    "default_null_fallback": (
        "default none empty missing otherwise omit optional fallback absent given provid specif unless"
    ),
    "exception_error_handling": "rais error exception fail invalid ignore catch valueerror typeerror keyerror",
    "state_identity_lifecycle": (
        "copy copi same identity mutat modif place cache state add remov append pop insert update replac "
        "keep existing overwrit"
    ),
    "representation_normalization": (
        "format round lower upper case strip whitespace normaliz convert string join represent capitaliz trim space"
    ),
    "dispatch_routing_aggregation": (
        "any all every either both depend whether type instance combine skip stop until continue select"
    ),
}


@dataclass(frozen=True, slots=True)
class Target:
    """The sentence that a change contradicts, and how strong the pair is."""

    sentence: Sentence
    score: float


class Matcher:
    """Matches changes of one package with the sentences of its document."""

    def __init__(self, graph: RepositoryGraph, document: str) -> None:
        self._graph = graph
        self._cues = {name: frozenset(map(_stem, text.split())) for name, text in _CUES.items()}
        self._sentences = [(each, words_of(each.text)) for each in sentences(document)]
        counts = Counter(word for _, words in self._sentences for word in words)
        total = len(self._sentences) + 1
        self._weight = {word: math.log(total / count) for word, count in counts.items()}
        headings = [(match.start(), match[1]) for match in _HEADING.finditer(document)]
        self._of_name: dict[str, list[int]] = {}
        at = 0
        for number, (sentence, _) in enumerate(self._sentences):
            while at < len(headings) and headings[at][0] < sentence.start:
                at += 1
            names = set(re.findall(r"[A-Za-z_]\w{2,}", sentence.text))
            if at:
                names.add(headings[at - 1][1].rpartition(".")[2])
            for name in names:
                self._of_name.setdefault(name, []).append(number)

    def scope_of(self, path: str, line: int) -> Scope | None:
        """Return the smallest scope that holds a line."""
        holding = [
            (end - start, scope.symbol, scope)
            for scope in self._graph.scopes_of_file.get(path, ())
            for start, end in scope.spans
            if start <= line <= end
        ]
        return min(holding)[2] if holding else None

    def target(self, rewrite: Rewrite) -> Target | None:
        """Return the sentence that a change most likely contradicts, or None when no pair is strong enough."""
        scope = self.scope_of(rewrite.path, rewrite.line)
        if scope is None or scope.symbol == "<module>":
            return None
        near = words_of(f"{rewrite.statement} {rewrite.edit.before}")
        around = words_of(" ".join(self._behavior_texts(scope, rewrite.line)))
        best: tuple[float, int] | None = None
        for number, link in self._candidates(scope.id).items():
            words = self._sentences[number][1]
            shared = sum(self._weight[word] for word in sorted(words & near))
            cue = bool(words & self._cues[rewrite.mechanism])
            if not (cue and shared) and (shared < MIN_SHARED or rewrite.mechanism in _NEED_CUE):
                continue
            score = (
                link + shared + 1.5 * cue + 0.3 * sum(self._weight[word] for word in sorted(words & (around - near)))
            )
            if best is None or score > best[0]:
                best = (score, number)
        if best is None or best[0] < MIN_SCORE:
            return None
        return Target(self._sentences[best[1]][0], best[0])

    def _behavior_texts(self, scope: Scope, line: int) -> Sequence[str]:
        by_id = self._graph.evidence_by_id
        texts: dict[str, None] = {}
        for behavior in self._graph.behaviors_of_scope.get(scope.id, ()):
            items = [by_id[known] for known in behavior.evidence]
            if any(item.line_start <= line <= item.line_end for item in items):
                texts.update(dict.fromkeys(item.content for item in items))
        return list(texts)

    def _candidates(self, scope: ScopeId) -> dict[int, float]:
        """Return the sentences of a scope and of those that call it, with the strength of the link."""
        found: dict[int, float] = {}
        level = {scope}
        seen = set(level)
        for distance in range(MAX_CALLS + 1):
            for each in sorted(level):
                name = each.symbol.rpartition(".")[2]
                name = each.symbol.split(".")[-2] if name == "__init__" and "." in each.symbol else name
                for number in self._of_name.get(name, ()):
                    found.setdefault(number, 2.0 / (1 + distance))
            callers = {relation.source for each in level for relation in self._graph.incoming.get(each, ())}
            level = callers - seen
            seen |= level
        return found


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text or of code, split at case and underscores, without ends and common words."""
    stop = set(_STOP.split())
    words = (match[0].lower() for match in _WORD.finditer(text))
    return frozenset(_stem(word) for word in words if len(word) > 2 and word not in stop)


def _stem(word: str) -> str:
    for end in ("ings", "ing", "ies", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word
