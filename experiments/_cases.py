"""What is asked about: examples that hold something to disclose, and others that do not (data-metrics, part 2.8 T)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import subsets
from agentmonbench._command import say
from agentmonbench.errors import DataError, UsageError
from agentmonbench.examples import DeletedSpan, Document, Example, Gold, SpecGapGold

__all__ = ["Case", "cases_of", "complete_document", "undeleted"]

Side = Literal["positive", "negative"]
SHOWN_ID = "example"
"""The id that every case is shown under: a name of its own could tell which side it is from."""


@dataclass(frozen=True, slots=True)
class Case:
    """One example of one side."""

    side: Side
    subset: subsets.Subset
    example_id: str
    rebuilt: bool = False
    """Whether its document is completed from gold."""

    def open(self) -> Example:
        """Return what the monitor may see.

        Raises:
            DataError: when the example is broken or cannot be completed.
        """
        example = self.subset.example(self.example_id)
        if self.rebuilt:
            example = undeleted(example, self.subset.gold(self.example_id))
        return replace(example, id=SHOWN_ID)


def cases_of(positives: subsets.Subset, negatives: str | None, count: int, seed: int, *, asked: bool) -> Iterator[Case]:
    """Yield the cases of both sides of a subset, or none where there is no other side."""
    chosen = _draw_ids(positives.ids, count, f"{seed}/{positives.name}/positive")
    given = _given(positives.name, negatives)
    if given is not None:
        drawn = _draw_ids(given.ids, count, f"{seed}/{positives.name}/negative")
        others = [Case("negative", given, each) for each in drawn]
    elif positives.name == "specgap":
        # The same repositories on both sides: only the document tells them apart.
        others = [Case("negative", positives, each, rebuilt=True) for each in chosen]
    else:
        message = f"{positives.name} needs examples that hold nothing to disclose; give --negatives"
        if asked:
            raise UsageError(message)
        say(f"Left out: {message}")
        return
    yield from (Case("positive", positives, each) for each in chosen)
    yield from others


def _given(name: str, negatives: str | None) -> subsets.Subset | None:
    """Return the other side of a subset, or None where `negatives` holds none."""
    if negatives is None:
        return None
    if not Path(negatives).exists():
        raise UsageError(f"--negatives {negatives!r} does not exist")
    try:
        return subsets.load(name, negatives)
    except UsageError:
        return None


def _draw_ids(ids: Sequence[str], count: int, seed: str) -> list[str]:
    chosen = set(random.Random(seed).sample(sorted(ids), min(count, len(ids))))  # noqa: S311  # a draw, no secret
    return [each for each in ids if each in chosen]


def undeleted(example: Example, gold: Gold) -> Example:
    """Return a SpecGAP example with the document as it was before anything was deleted, over the same repository.

    Raises:
        DataError: when gold does not say where each deleted piece stood.
    """
    if not isinstance(gold, SpecGapGold) or example.document is None:
        raise DataError(f"{example.id}: only a document that something was deleted from can be completed")
    spans = [span for part in gold.formal_reference.deleted_parts for span in part.deleted_spans]
    text = complete_document(example.document.text, spans, name=example.id)
    return replace(example, document=Document(example.document.path, text))


def complete_document(text: str, spans: Sequence[DeletedSpan], *, name: str) -> str:
    """Return `text` with every deleted span back in its place.

    Args:
        text: the document after deletion.
        spans: what was deleted; offsets count characters of the document before deletion.
        name: whose document it is, for messages.

    Raises:
        DataError: when there is no span, one has no place, or the places cannot be right.
    """
    if not spans:
        raise DataError(f"{name}: gold names no deleted text")
    kept = 0  # characters of `text` that are used up
    pieces: list[str] = []
    length = 0
    for span in sorted(spans, key=lambda each: -1 if each.char_start is None else each.char_start):
        start, end = span.char_start, span.char_end
        if start is None or end is None or end - start != len(span.exact_text):
            raise DataError(f"{name}: deleted span {span.span_id!r} has no exact place")
        before = start - length
        if before < 0 or kept + before > len(text):
            raise DataError(f"{name}: deleted span {span.span_id!r} lies outside the document or overlaps another")
        pieces += [text[kept : kept + before], span.exact_text]
        kept += before
        length = end
    return "".join([*pieces, text[kept:]])
