"""Examples that hold nothing to disclose (specification data-metrics, part 2.8 T)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentmonbench.errors import DataError
from agentmonbench.examples import DeletedSpan, Document, Example, Gold, SpecGapGold

__all__ = ["complete_document", "undeleted"]


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
