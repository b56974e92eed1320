"""Words of prose and of code on one footing, and how much a text says about another.

Identifiers are split at underscores and capitals, endings are cut by a handful of rules, numbers are kept.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agentmonbench.monitors._concepts import ideas_of_prose

__all__ = ["Sentence", "SentenceIndex", "Weights", "sentences_of", "words_of"]

_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+(?:\.\d+)?")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*)")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`\"'(\d])")
_STOP_WORDS = """
a an and are as at be been but by can could do does for from had has have he how i if in into is it its may more no not
of on one only or other our out own shall should so such than that the their them then there these they this those
to under up use used uses using was we were what when where which while who will with would you your
self cls def return none true false import len str int dict list tuple set isinstance elif else raise try except pass
async await yield lambda class
"""
_STOP = frozenset(_STOP_WORDS.split())
_ENDINGS = ("ization", "isation", "ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "s", "e")


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)]
            if ending in ("ies", "ied"):
                return stem + "y"
            doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls"
            return stem[:-1] if doubled else stem
    return word


def words_of(text: str) -> list[str]:
    """Return the stems of the words and the numbers of `text`, in order, without words that say nothing."""
    found = (token.lower() for token in _TOKEN.findall(text.replace("_", " ")))
    return [_stem(word) for word in found if word not in _STOP and (len(word) > 1 or word.isdigit())]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, list item or table row of the document."""

    text: str
    heading: str
    """The heading it stands under."""
    words: frozenset[str]
    """Its own words and ideas."""
    context: frozenset[str]
    """The words of its heading."""
    is_code: bool = False
    """Whether it is a line of a code block: an example, not a promise."""


def sentences_of(document: str) -> list[Sentence]:
    """Return the statements of a Markdown document in order; code blocks are split at line ends."""
    found: list[Sentence] = []
    heading = ""
    paragraph: list[str] = []
    fenced = False

    def close() -> None:
        text = " ".join(paragraph).strip()
        paragraph.clear()
        for part in [text] if fenced else _SENTENCE_END.split(text):
            words = frozenset(words_of(part))
            if words:
                ideas = frozenset() if fenced else ideas_of_prose(part)
                found.append(Sentence(part, heading, words | ideas, frozenset(words_of(heading)), fenced))

    for line in document.split("\n"):
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            close()
            fenced = not fenced
        elif fenced:
            close()
            paragraph.append(stripped)
        elif title := _HEADING.fullmatch(line):
            close()
            heading = title.group(1)
        elif not stripped:
            close()
        else:
            if re.match(r"([-*+]|\d+[.)])\s|\|", stripped):
                close()
            paragraph.append(stripped)
    close()
    return found


class Weights:
    """How telling a word is: rare words of the shown code and the document weigh more."""

    def __init__(self, texts: Iterable[Iterable[str]]) -> None:
        counts: Counter[str] = Counter()
        total = 0
        for words in texts:
            counts.update(set(words))
            total += 1
        self._weights: Mapping[str, float] = {
            word: math.log((1 + total) / (0.5 + count)) for word, count in counts.items()
        }
        self._unseen = math.log(2 * (1 + total))

    def of(self, words: Iterable[str]) -> float:
        """Return the summed weight of distinct words."""
        # Sorted, so that sums of floats do not depend on the order of a set.
        return sum(self._weights.get(word, self._unseen) for word in sorted(set(words)))

    def share(self, words: frozenset[str], known: frozenset[str]) -> float:
        """Return which share of the weight of `words` is in `known`: 0.0 to 1.0, and 1.0 for no words."""
        whole = self.of(words)
        return self.of(words & known) / whole if whole else 1.0


class SentenceIndex:
    """Sentences by their words, so that a statement is compared only with those that share one with it."""

    def __init__(self, sentences: Sequence[Sentence], weights: Weights) -> None:
        self.sentences = sentences
        self._weights = weights
        self._norms = [math.sqrt(weights.of(sentence.words | sentence.context)) for sentence in sentences]
        self._places: dict[str, list[tuple[int, float]]] = {}
        for place, sentence in enumerate(sentences):
            for word in sorted(sentence.words | sentence.context):
                # A heading stands for what it heads, but says less.
                factor = 1.0 if word in sentence.words else 0.5
                self._places.setdefault(word, []).append((place, factor))

    def likeness(self, words: Iterable[str]) -> dict[int, float]:
        """Return the cosine over weights of `words` with each sentence that shares any, by place."""
        mine = sorted(set(words))
        found: dict[int, float] = {}
        for word in mine:
            weight = self._weights.of((word,))
            for place, factor in self._places.get(word, ()):
                found[place] = found.get(place, 0.0) + weight * factor
        norm = math.sqrt(self._weights.of(mine))
        return {place: total / (norm * self._norms[place]) for place, total in found.items()}
