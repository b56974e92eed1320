"""Run-time templates: one evidence a line that is not blank, and an `output` behavior for each that prints something.

The scope of a line is the stack of `{% block x %}` and `{% macro x %}` that are open there; a line that is only a
`{% ... %}` tag or a comment prints nothing (specification part 2.5, ebg-method).
"""

from __future__ import annotations

import re

from ebg.model import ArtifactKind
from ebg.repository._facts import BehaviorFacts, FileFacts, ScopeFacts
from ebg.repository._syntax import MODULE

__all__ = ["template_facts"]

_TAG = re.compile(r"\{%-?\+?\s*(block|macro|endblock|endmacro)\b\s*([A-Za-z_][\w-]*)?")


def template_facts(path: str, kind: ArtifactKind, language: str, text: str, lines: tuple[str, ...]) -> FileFacts:
    """Return the lines of a template by block and macro."""
    del text
    evidence: list[tuple[str, int, int]] = []
    behaviors: list[BehaviorFacts] = []
    spans: dict[str, tuple[int, int]] = {}
    if lines:
        spans[MODULE] = (1, len(lines))
    stack: list[str] = []
    prints: list[int] = []
    for number, line in enumerate(lines, 1):
        symbol, opened = _scope_of(line, stack)
        for name in opened:
            spans.setdefault(name, (number, number))
        if symbol != MODULE:
            for depth in range(symbol.count(".") + 1):
                outer = ".".join(symbol.split(".")[: depth + 1])
                first, last = spans.get(outer, (number, number))
                spans[outer] = (first, max(last, number))
        if line.strip():
            if not _only_tags(line):
                prints.append(len(evidence))
            evidence.append((symbol, number, number))
    for index in prints:
        symbol, number, _ = evidence[index]
        behaviors.append(BehaviorFacts(symbol, number, "output", (), (), (index,), spans[symbol]))
    return FileFacts(
        path=path,
        kind=kind,
        language=language,
        scopes=tuple(ScopeFacts(symbol, "template", (span,), (span[0], span[0])) for symbol, span in spans.items()),
        evidence=tuple(evidence),
        behaviors=tuple(sorted(behaviors, key=lambda row: row[:6])),
    )


def _scope_of(line: str, stack: list[str]) -> tuple[str, list[str]]:
    """Return the scope of a line and the scopes that it opens, and bring the stack to its end.

    A line belongs to the innermost block that is open somewhere on it: the tags that open and close a block are its
    first and last line.
    """
    symbol, depth = ".".join(stack), len(stack)
    opened = []
    for keyword, name in _TAG.findall(line):
        if keyword.startswith("end"):
            if stack:
                stack.pop()
        elif name and len(stack) < _MAX_DEPTH:
            stack.append(name)
            opened.append(".".join(stack))
            if len(stack) > depth:
                symbol, depth = opened[-1], len(stack)
    return symbol or MODULE, opened


def _only_tags(line: str) -> bool:
    """Return whether a line holds nothing but `{% ... %}` and `{# ... #}`."""
    text = line.strip()
    position = 0
    while position < len(text):
        end = {"{%": "%}", "{#": "#}"}.get(text[position : position + 2])
        stop = text.find(end, position) if end is not None else -1
        if stop < 0:
            return False
        position = stop + 2
        while text[position : position + 1].isspace():
            position += 1
    return True


_MAX_DEPTH = 32
"""Blocks inside blocks that are told apart; real templates nest three or four."""
