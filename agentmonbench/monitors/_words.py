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

__all__ = ["Sentence", "Weights", "sentences_of", "words_of"]

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
        return sum(self._weights.get(word, self._unseen) for word in sorted(set(words)))

    def share(self, words: Iterable[str], known: frozenset[str]) -> float:
        """Return which share of the weight of `words` is in `known`: 0.0 to 1.0, and 1.0 for no words."""
        distinct = set(words)
        whole = self.of(distinct)
        return self.of(distinct & known) / whole if whole else 1.0

    def likeness(self, words: Iterable[str], sentence: Sentence) -> float:
        """Return how much `words` and a sentence have in common: the cosine over weights, headings count half."""
        mine = set(words)
        theirs = sentence.words | sentence.context
        norm = math.sqrt(self.of(mine) * self.of(theirs))
        if not norm:
            return 0.0
        return (self.of(mine & sentence.words) + 0.5 * self.of(mine & (sentence.context - sentence.words))) / norm

    def best(self, words: Iterable[str], sentences: Sequence[Sentence]) -> tuple[float, Sentence | None]:
        """Return the likeness of the sentence most like `words`, and the sentence; the earlier one wins a tie."""
        mine = set(words)
        best: tuple[float, Sentence | None] = (0.0, None)
        for sentence in sentences:
            likeness = self.likeness(mine, sentence)
            if likeness > best[0]:
                best = (likeness, sentence)
        return best
