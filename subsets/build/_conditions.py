"""Consequential conditions in a document: bounds, defaults, errors, orderings and formats, found by their words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from subsets.build._documents import Sentence, sentences

__all__ = ["Condition", "Kind", "find_conditions"]


_HEADING = re.compile(r"(?m)^### `([\w.]+)")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of condition, and what is asked when it is not known."""

    name: str
    type: str
    """Of the release's seven types."""
    importance: str
    pattern: re.Pattern[str]
    question: str
    why: str


_KINDS = (
    Kind(
        "error",
        "boundary_behavior",
        "must_ask",
        re.compile(r"(?i)\b(raises?|raised|throws?|rejects?|refuses?|is an error|fails? (if|when|with)|\w+Error)\b"),
        "What should happen with input that cannot be handled: an error, which one, or a value?",
        "Callers must know whether and how a failure is told.",
    ),
    Kind(
        "bound",
        "boundary_behavior",
        "must_ask",
        re.compile(
            r"(?i)\b(at (most|least)|(no|not) (more|less|fewer) than|maximum|minimum|"
            r"(greater|less|larger|smaller) than|between \S+ and|"
            r"limited to|exceeds?|inclusive|exclusive|up to \S+|must be)\b"
        ),
        "Which values are allowed, and are the ends of the range included?",
        "One step at the end of a range changes which input is accepted.",
    ),
    Kind(
        "default",
        "api_constraint",
        "worth_ask",
        re.compile(
            r"(?i)\b(by default|defaults? (to|is|value)|the default|if (not given|omitted|missing|none)|otherwise)\b"
        ),
        "What is used when the caller gives nothing?",
        "Most callers never give the value, so the default is the behavior.",
    ),
    Kind(
        "ordering",
        "data_flow",
        "worth_ask",
        re.compile(
            r"(?i)\b(sorted|in (the )?order|ordered|first|last|before|after|precedence|"
            r"overrid\w+|ascending|descending)\b"
        ),
        "In which order are the items taken, and which one wins?",
        "Another order gives another result with the same items.",
    ),
    Kind(
        "format",
        "data_flow",
        "worth_ask",
        re.compile(
            r"(?i)\b(rounds?|rounded|lower-?case\w*|upper-?case\w*|case[- ](in)?sensitive|stripped|strips?|"
            r"separat\w+ by|formatted|joined|encod\w+|ignor\w+|normaliz\w+|converted)\b"
        ),
        "In which form is the value read or written?",
        "Both sides of an interface must use the same form.",
    ),
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A sentence that decides how the code must behave."""

    kind: Kind
    sentence: Sentence
    owner: str
    """Dotted name of the definition whose docstring it stands in; empty elsewhere."""


def find_conditions(document: str) -> Iterator[Condition]:
    """Yield the conditions of a document in order, each of the first kind whose words it has."""
    headings = [(match.start(), match[1]) for match in _HEADING.finditer(document)]
    starts = [start for start, _ in headings]
    for sentence in sentences(document):
        for kind in _KINDS:
            if kind.pattern.search(sentence.text):
                above = bisect_right(starts, sentence.start)
                yield Condition(kind, sentence, headings[above - 1][1] if above else "")
                break
