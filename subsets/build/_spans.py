"""Deleting text from a document: exact spans, nothing else changed, and a look for what still tells (part 5.1)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from subsets._hygiene import GRAM_WORDS, SHORTEST_WORDS

__all__ = ["Span", "delete", "erased", "leaks", "plain_words", "widened"]

MIN_KEPT_CHARS = 100
MIN_KEPT_SHARE = 0.7
"""Of a document at least this much stays (specification part 5.1, step 2)."""

_ITEM_MARK = re.compile(r"\s*([-*+]|\d+[.)])?\s*")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Span:
    """A deleted piece of the complete document; characters are a half-open range."""

    condition_id: str
    number: int
    start: int
    end: int


def delete(document: str, spans: Sequence[Span]) -> str:
    """Return the document without the spans, and nothing else changed.

    Raises:
        ValueError: spans overlap.
    """
    kept, position = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        if span.start < position:
            raise ValueError(f"{span.condition_id}: deletions overlap")
        kept.append(document[position : span.start])
        position = span.end
    return "".join([*kept, document[position:]])


def widened(document: str, start: int, end: int) -> tuple[int, int]:
    """Return the range of a text, or of its whole line when that holds only indentation or a list mark besides it."""
    if "\n" in document[start:end]:
        return start, end
    line_start = document.rfind("\n", 0, start) + 1
    line_end = document.find("\n", end)
    line_end = len(document) if line_end < 0 else line_end + 1
    around = document[line_start:start] + document[end:line_end]
    return (line_start, line_end) if _ITEM_MARK.fullmatch(around) else (start, end)


def erased(source: str, text: str) -> str:
    """Return Python code without a text in its docstrings; lines keep their numbers.

    Raises:
        ValueError: the text is none of a docstring, or what is left is not the same code.
    """
    plain = source.replace(text, "")
    if plain.count("\n") != source.count("\n") or _code(plain) != _code(source):
        raise ValueError("the text is not only part of docstrings")
    return plain


def _code(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                first.value.value = ""
    return ast.dump(tree)


def leaks(deleted: str, texts: Iterable[str]) -> bool:
    """Tell whether a run of ten words of a deleted text (all, if it has fewer) still stands in one of the texts."""
    words = _WORD.findall(deleted.casefold())
    size = min(GRAM_WORDS, len(words))
    if size < SHORTEST_WORDS:
        return False
    grams = {f" {' '.join(words[at : at + size])} " for at in range(len(words) - size + 1)}
    return any(gram in text for text in texts for gram in grams)


def plain_words(texts: Mapping[str, str]) -> list[str]:
    """Return texts in the form in which `leaks` looks through them."""
    return [f" {' '.join(_WORD.findall(text.casefold()))} " for text in texts.values()]
