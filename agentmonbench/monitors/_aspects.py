"""Ways in which a statement can contradict a sentence, each with how much it says: from 0.0, nothing, to 1.5."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Known", "contradiction"]

_NUMBER = re.compile(r"(?<![\w.])\d[\d_,]*(?:\.\d+)?(?![\w])")
_NUMBER_WORDS = {
    word: float(value)
    for value, words in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
    for word in (words,)
}
_NUMBER_WORD = re.compile(r"\b(" + "|".join(_NUMBER_WORDS) + r")\b", re.IGNORECASE)
_FACTORS = (1.0, 60.0, 100.0, 1_000.0, 1_024.0, 3_600.0)
"""A documented number may stand in the code in another unit."""
_ERROR_NAME = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning|Timeout)\b")


@dataclass(frozen=True, slots=True)
class _Opposition:
    """Words of a sentence that a piece of code contradicts."""

    said: re.Pattern[str]
    done: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    weight: float = 0.7


def _opposition(said: str, done: str, unless: str | None = None, weight: float = 0.7) -> _Opposition:
    return _Opposition(
        re.compile(said, re.IGNORECASE), re.compile(done), re.compile(unless) if unless else None, weight
    )


_LESS = r"(?<![<>=!-])<(?![<=])"
_MORE = r"(?<![<>=!-])>(?![>=])"
_OPPOSITIONS = (
    # A limit that belongs to the allowed side, and code that shuts it out, or the other way round.
    _opposition(
        r"\bat least\b|\bbelow\b|\bless than\b|\bfewer than\b|\bminimum\b|\bnot under\b",
        rf"<=\s*[\w.]|{_MORE}",
        weight=0.5,
    ),
    _opposition(
        r"\bat most\b|\bup to\b|\bmore than\b|\babove\b|\bexceed|\bmaximum\b|\bover\b|\blonger than\b|\blarger than\b",
        rf">=\s*[\w.]|{_LESS}",
        weight=0.5,
    ),
    _opposition(r"\blongest\b|\blargest\b|\bhighest\b|\bgreatest\b|\blatest\b|\bnewest\b|\bmost\b", r"\bmin\("),
    _opposition(r"\bshortest\b|\bsmallest\b|\blowest\b|\bearliest\b|\boldest\b|\bemptiest\b|\bleast\b", r"\bmax\("),
    _opposition(r"\bfirst\b|\boldest\b|\bearliest\b", r"\[-1\]|\breverse=True|\breversed\(|\.pop\(\)|last=True"),
    _opposition(r"\blast\b|\blatest\b|\bnewest\b|\bmost recent", r"\[0\]|popleft\(|last=False|\.pop\(0\)"),
    _opposition(r"\bascending\b|\balphabetical|\blowest first|\boldest first", r"reverse=True|reversed\("),
    _opposition(r"\bdescending\b|\bhighest first|\bnewest first", r"\bsorted\(|\.sort\(", r"reverse=True|reversed\(|-"),
    _opposition(r"\bround(?:ed|s)? up\b", r"\bfloor\(|//|\bint\(|\bround\(", r"ceil|-\(?-|-\("),
    _opposition(r"\bround(?:ed|s)? down\b|\btruncat|\bwhole\b", r"\bceil\(|\bround\("),
    _opposition(r"\ball\b|\bevery\b|\beach\b|\bboth\b", r"\bany\(|\bbreak\b|\bnext\("),
    _opposition(r"\bany\b|\beither\b|\bat least one\b", r"\ball\("),
    _opposition(
        r"(?:regard|ignor|insensitiv|same).*\bcase\b|\bcase\b.*(?:ignor|insensitiv|the same)|upper and lower case",
        r"\.strip\(|==|\bin\b|startswith|\.get\(",
        r"lower|casefold|upper|IGNORECASE",
        weight=0.5,
    ),
    _opposition(r"\bcase[- ]sensitive", r"lower\(|casefold\(|IGNORECASE"),
    _opposition(r"\b(?:blanks?|white ?space|spaces)\b", r"lower\(|casefold\(|split\(|==", r"strip|\\s", weight=0.4),
    _opposition(
        r"\bdoes not\b|\bnever\b|\bwithout\b|\bno longer\b|\bis not\b|\bnot\b",
        r"\+=|\bappend\(|\badd\(|\bpop\(",
        weight=0.3,
    ),
    _opposition(
        r"\braises?\b|\brefused\b|\brejected\b|\berror\b|\binvalid\b", r"^(?:return\b|continue\b|pass\b)", weight=0.5
    ),
    _opposition(r"\bskip(?:s|ped)?\b|\bignored?\b", r"^raise\b", weight=0.5),
    _opposition(
        r"\bcop(?:y|ies)\b|\bnew\b|\bunchanged\b|\bindependent\b", r"^return self\.\w+$|^\w+ = self\.\w+$", weight=0.5
    ),
    _opposition(
        r"\bNone\b|\bnull\b|\bmissing\b|\babsent\b|\bnot (?:given|set)\b",
        r"\bor\b|^if not \w+:$|^if \w[\w.]*:$",
        r"is None|is not None",
        weight=0.5,
    ),
    _opposition(r"\bempty\b|\bzero\b|\b0\b", r"is None|is not None", weight=0.4),
    _opposition(
        r"\boverr(?:ide|ules)|\bwins?\b|\bprecedence\b|\btakes? priority|\bcomes? before\b",
        r"setdefault\(|\bnot in\b|\bif \w+ is None",
        weight=0.5,
    ),
)


@dataclass(frozen=True, slots=True)
class Known:
    """What the code as a whole has; what it has somewhere need not be here."""

    numbers: frozenset[float]
    errors: frozenset[str]
    """Names of errors that are raised."""

    @classmethod
    def of(cls, statements: Iterable[str]) -> Known:
        """Return what the given statements have."""
        numbers: set[float] = set()
        errors: set[str] = set()
        for statement in statements:
            numbers |= _numbers(statement)
            if statement.startswith("raise "):
                errors.update(_ERROR_NAME.findall(statement.partition("(")[0]))
        return cls(frozenset(numbers), frozenset(errors))


def contradiction(statement: str, code: str, sentence: str, known: Known) -> float:
    """Return how strongly a statement contradicts a sentence that speaks of the same thing.

    Args:
        statement: its source.
        code: its source with the contents of strings left out.
        sentence: what the document says.
        known: what the code has elsewhere.
    """
    found = [_other_number(statement, sentence, known), _other_error(statement, sentence, known)]
    found += [
        opposition.weight
        for opposition in _OPPOSITIONS
        if opposition.said.search(sentence)
        and opposition.done.search(code)
        and (opposition.unless is None or not opposition.unless.search(statement))
    ]
    return max(found)


def _numbers(text: str) -> set[float]:
    return {float(number.replace("_", "").replace(",", "").rstrip(".") or 0) for number in _NUMBER.findall(text)}


def _said_numbers(text: str) -> set[float]:
    return _numbers(text) | {_NUMBER_WORDS[word.lower()] for word in _NUMBER_WORD.findall(text)}


def _other_number(statement: str, sentence: str, known: Known) -> float:
    """A number that the document gives is nowhere in the code, and this statement has another one."""
    said = {number for number in _said_numbers(sentence) if not _is_known(number, known)}
    return 1.5 if said and _numbers(statement) else 0.0


def _is_known(number: float, known: Known) -> bool:
    # In another unit only numbers that say something count: 100 is not known because 1 occurs.
    in_units = {number * factor for factor in _FACTORS} | {number / factor for factor in _FACTORS}
    return number in known.numbers or bool((in_units - {0.0, 1.0}) & known.numbers)


def _other_error(statement: str, sentence: str, known: Known) -> float:
    """An error that the document names is raised nowhere, and this statement raises another one or none."""
    said = set(_ERROR_NAME.findall(sentence)) - known.errors
    if not said:
        return 0.0
    return 0.8 if statement.startswith(("raise ", "return", "except ", "continue", "pass")) else 0.0
