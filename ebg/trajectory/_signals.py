"""What a text is about: operations, objects and terms, and how well two texts match (part 4.2, steps 2 and 3).

Everything here is linear in the text. Only the first `_MAX_TEXT` characters are read: what a call or a prompt is about
stands at its beginning, and a written file of a megabyte must not cost seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ebg.trajectory._exchange import path_values, read_invocation, split_exchange
from ebg.trajectory._vocabulary import OPERATIONS, SHELL_OPERATIONS, STOP_WORDS, TOOL_OPERATIONS

__all__ = [
    "Signal",
    "match",
    "normal_path",
    "objects_of",
    "stable_keys",
    "terms_of",
    "text_signal",
    "tool_objects",
    "tool_signal",
]

_MAX_TEXT = 20_000
_MAX_INPUT = 4_000
"""Characters read of one input of a tool: a written file speaks of too much to tell tasks apart."""
_MAX_VALUE = 300
"""A value longer than this names nothing; its parts still count."""

_URL = re.compile(r"https?://[^\s<>\"'`)\]]+")
_PATH = re.compile(
    r"(?<![\w/.~-])(?:~?/|\.{1,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*|(?<![\w./-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}\b"
)
_NOT_A_PATH = frozenset(
    re.findall(
        r"\S+",
        """
    and/or either/or n/a w/o i/o yes/no true/false on/off read/write input/output his/her client/server e.g i.e
        """,
    )
)
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_BACKTICKED = re.compile(r"`([^`\n]{1,200})`")
_WORD = re.compile(r"[A-Za-z_][\w/.-]*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
_PART = re.compile(r"[/_.\-]+")

_STABLE: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    # A word that the key must have, then the key: most texts have none, and looking for a word costs next to nothing.
    (("http",), re.compile(r"https?://[^\s<>\"')]+/(?:issues|pull|pulls|merge_requests)/\d+")),
    (("#",), re.compile(r"(?<![\w/])#\d{2,}\b")),
    (
        ("task", "job", "run", "execution"),
        re.compile(
            r"\b(?:task|job|run|execution)[\s_-]*(?:id|no|number|#)[\"'`]?\s*[:=#]?\s*[\"'`]?"
            r"(?=[\w.:-]*\d)[a-z0-9][\w.:-]*"
        ),
    ),
    (("trial", "shard"), re.compile(r"\b(?:trial|shard)\s+#?\d+\b")),
    (("branch",), re.compile(r"\bbranch\s+[`'\"]?[\w./-]*[\w-][\w./-]*[/-][\w./-]*\w")),
)


@dataclass(slots=True)
class Signal:
    """What a text is about; all strings are casefolded."""

    operations: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    terms: set[str] = field(default_factory=set)

    def absorb(self, other: Signal) -> None:
        """Take over everything that `other` is about."""
        self.operations |= other.operations
        self.objects |= other.objects
        self.terms |= other.terms


def match(a: Signal, b: Signal, *, loose: bool = False) -> int:
    """Return how well two texts match; 0 when they do not.

    Args:
        a: one text.
        b: the other.
        loose: let a shared operation and term do even when both have objects and share none (for responses).
    """
    objects, operations, terms = a.objects & b.objects, a.operations & b.operations, a.terms & b.terms
    by_objects = a.objects and b.objects and not (loose and not objects)
    fits = objects if by_objects else operations and terms
    return 100 * len(objects) + 10 * len(operations) + min(len(terms), 5) if fits else 0


def text_signal(text: str) -> Signal:
    """Return the signal of a prompt, a demand or a response."""
    text = text[:_MAX_TEXT]
    return Signal({name for name, pattern in OPERATIONS if pattern.search(text)}, objects_of(text), terms_of(text))


def tool_signal(tool_name: str, content: str) -> Signal:
    """Return the signal of the invocation part of a tool exchange."""
    invocation = split_exchange(content).invocation
    text = _tool_text(read_invocation(invocation), invocation)
    return Signal({_tool_operation(tool_name, text)}, tool_objects(content)[0], terms_of(text))


def tool_objects(content: str) -> tuple[set[str], frozenset[str]]:
    """Return (objects, stable keys) of the invocation part of a tool exchange."""
    invocation = split_exchange(content).invocation
    arguments = read_invocation(invocation)
    text = _tool_text(arguments, invocation)
    stable = stable_keys(text)
    objects = {*_objects(text), *stable}
    for _, value in path_values(arguments):
        if len(value) <= _MAX_VALUE:
            objects.update(_components(value) if "/" in value and " " not in value else (value.casefold(),))
    return objects, stable


def stable_keys(text: str) -> frozenset[str]:
    """Return keys that name one thing for good: issue and PR links, `#NN`, typed ids, trials, branches."""
    text = text[:_MAX_TEXT].casefold()
    found = (
        " ".join(m.group().split())
        for words, pattern in _STABLE
        if any(word in text for word in words)
        for m in pattern.finditer(text)
    )
    return frozenset(key.rstrip(".,;:") for key in found)


def normal_path(path: str) -> str:
    """Return a path without `./`, doubled or trailing slashes, casefolded."""
    return re.sub(r"/{2,}", "/", path).removeprefix("./").rstrip("/.").casefold()


def _tool_operation(tool_name: str, text: str) -> str:
    name = tool_name.casefold()
    for operation, suffixes in TOOL_OPERATIONS:
        if name.endswith(suffixes):
            return operation
    return next((operation for operation, pattern in SHELL_OPERATIONS if pattern.search(text)), "execute")


def _tool_text(arguments: Mapping[str, object], invocation: str) -> str:
    text = " \n".join(value[:_MAX_INPUT] for value in _texts(arguments)) if arguments else invocation
    return text[:_MAX_TEXT]


def _texts(arguments: Mapping[str, object]) -> Iterator[str]:
    for value in arguments.values():
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, str):
                yield item


def objects_of(text: str) -> set[str]:
    """Return the things that a text names, casefolded: links, paths and their endings, variables, code in backticks."""
    return {*_objects(text[:_MAX_TEXT]), *stable_keys(text)}


def terms_of(text: str) -> set[str]:
    """Return the words of a text that tell something, and their parts, casefolded."""
    return set(_terms(text[:_MAX_TEXT]))


def _objects(text: str) -> Iterator[str]:
    for found in _URL.finditer(text) if "://" in text else ():
        yield found.group().rstrip(".,;:").casefold()
    for found in _PATH.finditer(text):
        if found.group().casefold() not in _NOT_A_PATH:
            yield from _components(found.group())
    for found in _VARIABLE.finditer(text):
        yield "$" + found.group(1).casefold()
    for found in _BACKTICKED.finditer(text):
        yield found.group(1).strip().casefold()


def _components(path: str) -> Iterator[str]:
    normal = normal_path(path)
    if not normal:
        return
    yield normal
    parts = normal.strip("/").split("/")
    for count in range(1, min(3, len(parts)) + 1):
        yield "/".join(parts[-count:])


def _terms(text: str) -> Iterator[str]:
    for found in dict.fromkeys(_WORD.findall(text)):
        word = found.strip("/_.-").casefold()
        for term in {word, *_PART.split(word)} if _PART.search(word) else (word,):
            if len(term) >= (3 if term.isascii() else 2) and term not in STOP_WORDS:
                yield term
