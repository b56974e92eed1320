"""Ideas that code and prose spell differently: `casefold()` is "without regard to case", `ceil` is "rounded up"."""

from __future__ import annotations

import re

__all__ = ["ideas_of_code", "ideas_of_prose"]

# Idea, how code spells it, how prose spells it. The name of an idea starts with "@", which no word does.
_SPELLINGS: tuple[tuple[str, str, str], ...] = (
    (
        "@error",
        r"\braise\b|\bassert\b",
        r"\b(?:rais|refus|reject|fail|invalid|forbid|not allowed|illegal|error|malformed)",
    ),
    (
        "@none",
        r"\bNone\b",
        r"\b(?:none|null|missing|absent|unset|without|omitted|left out|no value|not (?:set|given))\b",
    ),
    ("@case", r"\.(?:lower|upper|casefold)\(|IGNORECASE", r"\bcase\b|\bcapital"),
    ("@blank", r"strip\(|\.split\(\)|\\s", r"\b(?:blank|whitespace|white space|space|trim|strip|indent)"),
    ("@order", r"\bsorted\(|\.sort\(|\breverse", r"\b(?:order|sort|ascending|descending|alphabetic|precede|reverse)"),
    (
        "@most",
        r"\bmax\(|>",
        r"\b(?:largest|longest|highest|greatest|latest|newest|most|maximum|above|more than|exceed|beyond)",
    ),
    (
        "@least",
        r"\bmin\(|<",
        r"\b(?:smallest|shortest|lowest|earliest|oldest|least|minimum|below|less|fewer|under|at least)",
    ),
    ("@last", r"\[-1\]|\.pop\(\)", r"\b(?:last|latest|newest|most recent|later)\b"),
    ("@first", r"\[0\]|\bnext\(|popleft|\bbreak\b", r"\b(?:first|earliest|oldest|earlier)\b"),
    ("@up", r"\bceil\(", r"\bround\w* up\b|\bceil"),
    ("@round", r"\bround\(|\bfloor\(|//|quantize|\bint\(", r"\bround|\bwhole\b|\btruncat|\binteger|\bdigits?\b"),
    ("@copy", r"\bcopy\b|deepcopy|\.copy\(|\blist\(|\bdict\(", r"\bcop(?:y|ies)\b|\bindependent|\bown\b|\bunchanged\b"),
    ("@prefix", r"startswith\(|removeprefix|\[len\(", r"\b(?:start|begin|prefix|front)"),
    ("@suffix", r"endswith\(|removesuffix", r"\b(?:end in|ends|ending|suffix|extension)"),
    ("@empty", r"\bif not \w+|== ?0\b|== ?\"\"|\"\"|\[\]|\(\)|\{\}", r"\b(?:empty|zero|nothing|no )"),
    ("@type", r"\bisinstance\(|\btype\(", r"\b(?:type|table|list|string|number|mapping|instance|integer)s?\b"),
    (
        "@default",
        r"\bdefault|\.get\([^()]+,|\bor\b|\belse\b",
        r"\b(?:default|fall|otherwise|instead|unless|without it)",
    ),
    ("@all", r"\ball\(|\bfor\b", r"\b(?:all|every|each|both)\b"),
    ("@any", r"\bany\(", r"\b(?:any|either|at least one|one of)\b"),
    (
        "@twice",
        r"\bset\(|dict\.fromkeys|\bnot in\b|\bin seen\b",
        r"\b(?:twice|duplicate|double|unique|distinct|repeat|once|again)",
    ),
    (
        "@limit",
        r"\bmin\(|\[:\w+\]|>=|(?i:\blimit|\bmax)",
        r"\b(?:limit|cap|at most|up to|no more than|maximum|never above|within)",
    ),
    (
        "@time",
        r"\btime\b|monotonic|clock|sleep|deadline|timeout|_s\b",
        r"\b(?:time|second|minute|clock|sleep|wait|deadline|timeout)",
    ),
    ("@retry", r"\bretry|attempt|backoff", r"\b(?:retr|attempt|again|tries|tried)"),
    ("@match", r"\bre\.|fullmatch|\.match\(|\.search\(", r"\b(?:match|pattern|form|format|written|expression)"),
    ("@split", r"split\(|partition\(", r"\b(?:separat|split|joined|comma|between|delimit)"),
    ("@join", r"\.join\(", r"\b(?:join|joined|list|comma|concat)"),
    (
        "@remove",
        r"\bdel\b|\.pop\(|\.remove\(|\.discard\(|\.clear\(|popitem",
        r"\b(?:remov|forget|forgot|drop|delet|evict|discard|clear)",
    ),
    ("@keep", r"setdefault|\bnot in\b|\bis None\b", r"\b(?:keep|kept|stay|remain|already|preserv)"),
    ("@skip", r"\bcontinue\b|\bpass\b", r"\b(?:skip|ignor|pass over|left out|not counted)"),
    ("@true", r"\bTrue\b", r"\b(?:true|yes|enabled|on)\b"),
    ("@false", r"\bFalse\b", r"\b(?:false|disabled|off)\b"),
    ("@encode", "encod|decod|utf", r"\b(?:encod|decod|utf|bytes|text|unicode)"),
    ("@count", r"\blen\(|\bsum\(|\bcount|\+= ?1", r"\b(?:count|number of|total|how many|sum|length|characters)"),
)
_CODE = tuple((idea, re.compile(spelling)) for idea, spelling, _ in _SPELLINGS)
_PROSE = tuple((idea, re.compile(spelling, re.IGNORECASE)) for idea, _, spelling in _SPELLINGS)


def ideas_of_code(text: str) -> frozenset[str]:
    """Return the ideas that a piece of source spells."""
    return frozenset(idea for idea, spelling in _CODE if spelling.search(text))


def ideas_of_prose(text: str) -> frozenset[str]:
    """Return the ideas that a sentence spells."""
    return frozenset(idea for idea, spelling in _PROSE if spelling.search(text))
