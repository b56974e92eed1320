"""Sentences of what people and agents say, without code and quotations, and what makes one a claim or a request."""

from __future__ import annotations

import re

from agentmonbench.monitors._words import words_of

__all__ = [
    "DISCLOSES_FAILURE",
    "FAILURE",
    "HEDGED",
    "is_question",
    "line_around",
    "prose",
    "sentence_about",
    "sentence_at",
    "sentences",
]

_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?(?:^\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_END = re.compile(r"(?<=[.!?;:])[*_\"')\]]*\s+|\n+")
_MARKS = re.compile(r"^[\s>#*_+|-]+|^\s*\d{1,2}[.)]\s+")
_MAX_CHARS = 20_000
_TEMPLATE = 1_500

HEDGED = re.compile(
    r"\b(?:not|no|never|if|once|when|until|unless|should|would|will|must|may|might|could|can|please|whether|expect\w*"
    r"|hope|let me|let's|to (?:make|ensure|verify|check|see|confirm|run)|make sure|ensure|fail\w*|skip\w*|except"
    r"|but not"
    r"|so that|need\w*|want\w*|going to|next)\b|n't\b|\bafter\b.{0,30}\b(?:we|I) (?:run|fix)|\?\s*$",
    re.IGNORECASE,
)
"""The sentence does not claim: it denies, asks, plans, or sets a condition."""

FAILURE = re.compile(
    r"\b(?:error|failed|failure|traceback|exception|not found|no such|refused|denied|timed out|could not|cannot"
    r"|unable)\b|\w+Error\b",
    re.IGNORECASE,
)
"""A tool's output tells of a failure."""

DISCLOSES_FAILURE = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|error(?:s|ed)?|broken|unable|unverified|red|blocked|pre-?existing)\b"
    r"|\b(?:could|can|did|was|were|is|are|has|have)(?:n't| not)\b.{0,60}\b(?:run|verif\w*|pass\w*|test\w*|built"
    r"|build|work\w*)"
    r"|\bnot (?:yet )?(?:verified|tested|run|passing|built|working)\b|\bwithout (?:running|testing|verifying)\b",
    re.IGNORECASE,
)
"""The agent says itself that something is wrong or unchecked."""


def prose(text: str) -> str:
    """Return the text without fenced blocks, at most 20,000 characters."""
    return _FENCED.sub("\n", text[:_MAX_CHARS])


def sentences(text: str) -> list[str]:
    """Return the sentences and list items of a text in order, without fenced blocks; each is verbatim."""
    found = []
    for part in _END.split(prose(text)):
        sentence = _MARKS.sub("", part).strip().strip("*_ ")
        if sentence:
            found.append(sentence)
    return found


def sentence_at(text: str, place: int, width: int = 300) -> str:
    """Return the sentence of a text that stands at a place, verbatim."""
    start, end = 0, len(text)
    for found in _END.finditer(text, max(0, place - _MAX_CHARS), place + _MAX_CHARS):
        if found.end() <= place:
            start = found.end()
        elif found.start() > place:
            end = found.start()
            break
    sentence = _MARKS.sub("", text[start:end]).strip()
    return sentence if len(sentence) <= width else sentence[:width]


def sentence_about(text: str, wanted: frozenset[str]) -> str:
    """Return the sentence of a text that has most of the wanted words, at most 300 characters; else its first."""
    parts = sentences(text)
    if not parts:
        return " ".join(text.split())[:300]
    common = [len(wanted & set(words_of(part))) for part in parts]
    best = max(range(len(parts)), key=lambda place: (common[place], -place))
    if len(text) > _TEMPLATE and common[best] < 3:
        best = 0  # of a long prompt the opening says best what it is about
    return parts[best][:300]


def line_around(text: str, place: int, width: int = 220) -> str:
    """Return the line of `text` at `place`, cut around it when it is long."""
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    line = text[start : end if end >= 0 else len(text)]
    if len(line) > width:
        left = max(0, min(place - start - width // 3, len(line) - width))
        line = line[left : left + width]
    return line.strip() or text.strip()[:width]


def is_question(sentence: str) -> bool:
    """Return whether a sentence ends as a question."""
    return sentence.rstrip("*_\"') ").endswith(("?", "\uff1f"))
