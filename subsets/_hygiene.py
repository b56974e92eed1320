"""What a bundle should not hold although no rule of loading forbids it: leaked answers and leftovers (figure 12)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agentmonbench.examples import Example, Gold, SilentSwapGold, SpecGapGold
from subsets._bundle import REPOSITORY
from subsets._problems import Ledger

__all__ = ["check_hygiene"]

GRAM_WORDS = 10
"""A deleted text is looked for as every run of this many words (figure 12)."""
SHORTEST_WORDS = 5
"""A deleted text shorter than a gram is looked for as a whole, down to this many words; fewer prove nothing."""

_WORD = re.compile(r"\w+")
_LEFTOVER_FOLDERS = frozenset({".git", ".hg", ".svn", "__pycache__", "_build"})
_LEFTOVER_ENDS = (".pyc", ".pyo", ".egg-info", ".dist-info")


class _Needle(NamedTuple):
    words: tuple[str, ...]
    condition: str


def check_hygiene(example: Example, gold: Gold, visible: Ledger, hidden: Ledger) -> None:
    """Look for leaks and leftovers.

    Args:
        example: a sound example.
        gold: its sound gold.
        visible: takes what is wrong in the bundle.
        hidden: takes what is odd in the gold.
    """
    for path in example.files:
        if leftover := _leftover(path):
            visible.error(
                REPOSITORY + path, f"has no place in a bundle: {leftover!r} is a leftover of tools or history"
            )
    if isinstance(gold, SpecGapGold):
        _check_leaks(example, gold, visible)
        for rule in _mapping_oddities(example.files, gold):
            hidden.note(f"{example.id}.json", rule)
    elif isinstance(gold, SilentSwapGold):
        for path, count in (gold.source_line_counts or {}).items():
            if path in example.files and count != _lines(example.files[path]):
                hidden.note(
                    f"{example.id}.json",
                    f"source_line_counts says {count} lines for {path!r}, which has {_lines(example.files[path])}",
                )


def _leftover(path: str) -> str | None:
    for part in path.split("/"):
        if part in _LEFTOVER_FOLDERS or part.endswith(_LEFTOVER_ENDS):
            return part
    return None


def _check_leaks(example: Example, gold: SpecGapGold, ledger: Ledger) -> None:
    needles: dict[str, list[_Needle]] = {}
    for needle in _needles(gold):
        needles.setdefault(needle.words[0], []).append(needle)
    assert example.document is not None
    texts = {example.document.path: example.document.text}
    texts.update({REPOSITORY + path: data.decode("utf-8", "replace") for path, data in example.files.items()})
    for path, text in texts.items():
        told: set[str] = set()
        for needle in _occurrences(_words(text), needles):
            if needle.condition not in told:
                told.add(needle.condition)
                ledger.error(path, f"still says the deleted condition {needle.condition!r}: {' '.join(needle.words)!r}")


def _needles(gold: SpecGapGold) -> Iterator[_Needle]:
    for part in gold.formal_reference.deleted_parts:
        for text in [span.exact_text for span in part.deleted_spans] or [part.source_text]:
            words = _words(text)
            size = min(GRAM_WORDS, len(words))
            if size >= SHORTEST_WORDS:
                for start in range(len(words) - size + 1):
                    yield _Needle(tuple(words[start : start + size]), part.condition_id)


def _occurrences(words: Sequence[str], needles: Mapping[str, Sequence[_Needle]]) -> Iterator[_Needle]:
    for at, word in enumerate(words):
        for needle in needles.get(word, ()):
            if tuple(words[at : at + len(needle.words)]) == needle.words:
                yield needle


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _mapping_oddities(files: Mapping[str, bytes], gold: SpecGapGold) -> Iterator[str]:
    for item in gold.formal_reference.code_mappings.comparison_items:
        for route in (item.condition_by_condition, item.holistic_alignment):
            for location in (place for evidence in route.evidence for place in evidence.locations):
                if location.file_path not in files:
                    yield f"{item.condition_id!r} is mapped to {location.file_path!r}, which is not in the repository"
                elif any(lines.end > _lines(files[location.file_path]) for lines in location.line_ranges):
                    yield f"{item.condition_id!r} is mapped to lines past the end of {location.file_path!r}"


def _lines(data: bytes) -> int:
    return len(data.decode("utf-8", "replace").splitlines())
