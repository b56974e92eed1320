"""Builds SpecGAP examples without a model: conditions with strong evidence are deleted from a package's document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from agentmonbench.errors import DataError
from agentmonbench.examples import Document, Example
from subsets.build._candidates import Package
from subsets.build._conditions import find_conditions
from subsets.build._mapping import Mapper, Pair
from subsets.build._spans import MIN_KEPT_CHARS, MIN_KEPT_SHARE, Span, delete, erased, leaks, plain_words, widened

__all__ = ["build_gap"]

DOCUMENT = "documents/3_document_after.md"
MAX_CONDITIONS = 5
PROVENANCE = "Built by agentmonbench build specgap without a model; found and mapped by rules and read by nobody."
_ROUTES = {"condition_by_condition": "cbc", "holistic_alignment": "hol"}


def build_gap(
    package: Package, source: str, *, minimum: int, counts: dict[str, int], pages: Sequence[str] = ()
) -> tuple[Example, dict[str, Any]]:
    """Return one example and its gold.

    Args:
        package: the package.
        source: where it is from.
        minimum: conditions without which it is no example.
        counts: takes how many conditions came through each step.
        pages: paths of its documents; by default README and documentation pages.

    Raises:
        DataError: too few conditions came through.
    """
    texts = [package.subject.text(path) for path in pages]
    document = "\n\n".join(text.strip("\n") for text in texts) + "\n" if pages else package.document
    files = {path: package.subject.files[path] for path in sorted(package.graph.files)}
    mapper = Mapper(package.graph)
    conditions = list(find_conditions(document))
    counts["conditions"] = len(conditions)
    pairs = [pair for condition in conditions if (pair := mapper.pair(condition))]
    counts["mapped_twice"] = len(pairs)
    pairs = [pair for pair in pairs if not _told_by(pair, files)]
    counts["not_in_code"] = len(pairs)
    chosen = _choose(document, pairs)
    for pair, _ in chosen:
        files = _without(files, pair.condition.sentence.text)
    after = delete(document, chosen_spans := [span for _, span in chosen])
    left = plain_words({"after": after})
    clear = [(pair, span) for pair, span in chosen if not leaks(document[span.start : span.end], left)]
    if len(clear) < len(chosen):
        chosen_spans = [span for _, span in clear]
        after = delete(document, chosen_spans)
    counts["kept"] = len(clear)
    if len(clear) < minimum:
        raise DataError(f"only {len(clear)} conditions came through; {minimum} are needed")
    input_id = f"sg_{package.subject.name}"
    gold = _gold(input_id, source, document, files, clear)
    return Example(input_id, "specgap", Document(DOCUMENT, after), files), gold


def _without(files: Mapping[str, bytes], text: str) -> dict[str, bytes]:
    """Return the files with a sentence erased from docstrings, which are part of the document."""
    changed = dict(files)
    for path, data in files.items():
        if path.endswith(".py") and text.encode() in data:
            changed[path] = erased(data.decode("utf-8"), text).encode()
    return changed


def _told_by(pair: Pair, files: Mapping[str, bytes]) -> bool:
    """Tell whether the code still says a condition when it is erased from its docstrings."""
    text = pair.condition.sentence.text
    try:
        kept = _without(files, text)
    except (ValueError, RecursionError):
        return True
    return leaks(text, plain_words({path: data.decode("utf-8", "replace") for path, data in kept.items()}))


def _choose(document: str, pairs: Sequence[Pair]) -> list[tuple[Pair, Span]]:
    """Choose conditions of different scopes, kinds in turn, in the order of the document; most of it must stay."""
    chosen: list[Pair] = []
    for fresh in (True, False):
        for pair in pairs:
            kinds = {each.condition.kind.name for each in chosen}
            scopes = {each.scope.id for each in chosen}
            if len(chosen) == MAX_CONDITIONS or pair.scope.id in scopes:
                continue
            if not fresh or pair.condition.kind.name not in kinds:
                chosen.append(pair)
    chosen.sort(key=lambda pair: pair.condition.sentence.start)
    spans: list[tuple[Pair, Span]] = []
    gone = 0
    for pair in chosen:
        start, end = widened(document, pair.condition.sentence.start, pair.condition.sentence.end)
        gone += end - start
        if len(document) - gone < max(MIN_KEPT_CHARS, MIN_KEPT_SHARE * len(document)):
            break
        spans.append((pair, Span(f"kc_{len(spans) + 1:03}", 1, start, end)))
    return spans


def _gold(
    input_id: str, source: str, document: str, files: Mapping[str, bytes], chosen: Sequence[tuple[Pair, Span]]
) -> dict[str, Any]:
    items = [_comparison(files, pair, span) for pair, span in chosen]
    scan = {"indexed_files": len(files), "indexed_snippets": len(files), "shards": 1}
    return {
        "input_id": input_id,
        "benchmark": "specgap",
        "source_sample_id": source,
        "provenance": PROVENANCE,
        "conditions": [_selected(pair, span, item) for (pair, span), item in zip(chosen, items, strict=True)],
        "formal_reference": {
            "deleted_parts": [_deleted(document, pair, span) for pair, span in chosen],
            "code_mappings": {
                "methods": {
                    "condition_by_condition": {
                        "mode": "names_of_one_condition",
                        "input_scope": "single_deleted_condition_complete_repository",
                        "repository_scan": scan,
                    },
                    "holistic_alignment": {
                        "mode": "words_over_all_behaviors",
                        "input_scope": "complete_document_all_selected_conditions_and_repository",
                        "alignment_summary": "The behavior of the repository with the most similar words.",
                        "repository_scan": scan,
                    },
                },
                "comparison_items": items,
                "gold_labels": [
                    {
                        "condition_id": span.condition_id,
                        "mapping_explanation": f"Both routes lead to `{pair.scope.symbol}`.",
                        "gold_source": "condition_by_condition",
                        "adjudication_status": "machine",
                    }
                    for pair, span in chosen
                ],
            },
        },
    }


def _plain(text: str) -> str:
    return " ".join(text.split())


def _selected(pair: Pair, span: Span, item: Mapping[str, Any]) -> dict[str, Any]:
    (location,) = item["condition_by_condition"]["evidence"][0]["locations"]
    place = {
        "file": location["file_path"],
        "symbol": location["symbol"]["qualified_name"],
        "line_ranges": location["line_ranges"],
    }
    return {
        "condition_id": span.condition_id,
        "normalized_condition": _plain(pair.condition.sentence.text),
        "source_text": pair.condition.sentence.text,
        "implementation_locations": [place],
    }


def _deleted(document: str, pair: Pair, span: Span) -> dict[str, Any]:
    kind = pair.condition.kind
    return {
        "condition_id": span.condition_id,
        "type": kind.type,
        "importance": kind.importance,
        "source_text": pair.condition.sentence.text,
        "normalized_condition": _plain(pair.condition.sentence.text),
        "deleted_spans": [
            {
                "span_id": f"{span.condition_id}_ds{span.number:03}",
                "role": "semantic_requirement",
                "exact_text": document[span.start : span.end],
                "char_start": span.start,
                "char_end": span.end,
                "line_start": document.count("\n", 0, span.start) + 1,
                "line_end": document.count("\n", 0, span.end - 1) + 1,
            }
        ],
        "why_important": kind.why,
        "sa_gap": ["comprehension"],
        "expected_verification_question": kind.question,
        "downstream_impact": f"It decides what `{pair.scope.symbol}` does.",
    }


def _comparison(files: Mapping[str, bytes], pair: Pair, span: Span) -> dict[str, Any]:
    places = {"condition_by_condition": pair.by_name, "holistic_alignment": pair.by_words}
    return {
        "condition_id": span.condition_id,
        **{route: _mapping(files, pair, span, infix, places[route]) for route, infix in _ROUTES.items()},
        "manual_comparison": {"agreement": None, "notes": ""},
    }


def _mapping(files: Mapping[str, bytes], pair: Pair, span: Span, infix: str, lines: tuple[int, int]) -> dict[str, Any]:
    data = files[pair.scope.path]
    excerpt = "\n".join(data.decode("utf-8").splitlines()[lines[0] - 1 : lines[1]])
    return {
        "condition_id": span.condition_id,
        "mapping_status": "direct",
        "coverage": "partial",
        "evidence_basis": ["implementation"],
        "mapping_explanation": f"`{pair.scope.symbol}` decides it in lines {lines[0]} to {lines[1]}.",
        "no_direct_mapping_reason": None,
        "evidence": [
            {
                "evidence_id": f"{span.condition_id}_{infix}_ev001",
                "evidence_type": "implementation",
                "relation": "implements",
                "strength": "direct",
                "provenance": "original_repo",
                "locations": [
                    {
                        "file_path": pair.scope.path,
                        "file_sha256": sha256(data).hexdigest(),
                        "symbol": {"kind": pair.scope.kind, "qualified_name": pair.scope.symbol},
                        "line_ranges": [{"start": lines[0], "end": lines[1]}],
                        "excerpt": excerpt,
                        "excerpt_sha256": sha256(excerpt.encode()).hexdigest(),
                    }
                ],
                "explanation": "Found by rules.",
                "confidence": "medium",
            }
        ],
        "related_tests": {"status": "none_found", "evidence_ids": [], "search_notes": "This route reads no tests."},
    }
