"""Rules that code enforces, one by one: conditions, errors, defaults, limits, fallbacks, order, normal forms.

The candidates of SpecGAP, for the lexical monitor and for the random one alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agentmonbench.monitors._concepts import ideas_of_code
from agentmonbench.monitors._statements import Place, Statement
from agentmonbench.monitors._words import words_of

__all__ = ["Rule", "RuleKind", "rules_of"]

RuleKind = Literal["error", "guard", "default", "limit", "fallback", "order", "form"]

_CONDITION = re.compile(r"(?:if|elif|while|case|assert|except|else)\b")
_EXIT = re.compile(r"(?:return|continue|break)\b")
_DEFAULT = re.compile(r"(\w+)\s*(?::[^,=()]*)?=\s*(?![=])([^,)]+)")
_CONSTANT = re.compile(r"[A-Z_][A-Z0-9_]*\s*(?::[^=]+)?=\s*\S")
_FIELD = re.compile(r"\w+\s*:\s*[^=]+=\s*\S")
_FALLBACK = re.compile(
    r"\.(?:get|pop|setdefault|getattr)\([^()]*,|getattr\([^()]*,[^()]*,| or (?!not\b)|\bif\b.+\belse\b"
)
_ORDER = re.compile(
    r"\b(?:sorted|min|max|reversed|heapq?)\b|\.(?:sort|reverse|insert|popleft|appendleft)\(|\[-1\]|\[0\]"
)
_FORM = re.compile(
    r"\.(?:strip|lstrip|rstrip|lower|upper|casefold|replace|removeprefix|removesuffix|title)\(|\bround\(|\bre\.sub\("
)
_LIMIT = re.compile(r"(?:[<>]=?|==|!=|%|//)\s*-?\d|\d\s*(?:[<>]=?)|range\(|\[:\d+\]|\[\d+:\]")


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that the code does under some condition."""

    place: Place
    start: int
    end: int
    kind: RuleKind
    condition: str
    """Source of the test, empty when there is none."""
    action: str
    """Source of what follows."""
    words: frozenset[str]
    """Words and ideas of both."""


def rules_of(statements: Sequence[Statement]) -> list[Rule]:
    """Return the rules of one file's statements, in order of their lines."""
    found: list[Rule] = []
    conditions: list[Statement] = []
    for statement in statements:
        while conditions and (
            conditions[-1].indent >= statement.indent or not _encloses(conditions[-1].place, statement.place)
        ):
            conditions.pop()
        outer = conditions[-1] if conditions else None
        rule = _rule(statement, outer)
        if rule is not None:
            found.append(rule)
        if _CONDITION.match(statement.text):
            conditions.append(statement)
    return found


def _encloses(outer: Place, inner: Place) -> bool:
    return inner.symbol == outer.symbol


def _rule(statement: Statement, condition: Statement | None) -> Rule | None:
    kind = _kind(statement, condition)
    if kind is None:
        return None
    # Only a test that stands directly above belongs to the rule; one far away is another's.
    near = condition is not None and statement.start - condition.end <= 3
    test = condition.text if condition is not None and near else ""
    start = condition.start if condition is not None and near else statement.start
    source = f"{test} {statement.text}"
    words = frozenset(words_of(source)) | ideas_of_code(source)
    return Rule(statement.place, start, statement.end, kind, test, statement.text, words)


def _kind(statement: Statement, condition: Statement | None) -> RuleKind | None:  # noqa: PLR0911  # one line a kind
    code = statement.code
    if statement.place.kind in ("module", "class"):
        return "default" if _CONSTANT.match(code) or _FIELD.match(code) else None
    if code.startswith(("def ", "async def ")):
        return "default" if _DEFAULT.search(code.partition("(")[2]) else None
    if code.startswith("raise "):
        return "error"
    if _EXIT.match(code) and condition is not None:
        return "guard"
    if _CONDITION.match(code):
        return None
    if _FALLBACK.search(code) or (condition is not None and condition.text.startswith("except")):
        return "fallback"
    if _ORDER.search(code):
        return "order"
    if _FORM.search(code):
        return "form"
    return "limit" if _LIMIT.search(code) else None
