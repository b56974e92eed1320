"""SpecGAP: exact spans deleted from a document, and where the code implements them (specification parts 1.5, 5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from construction._layout import bundle, repository
from construction._sources import PROVENANCE, Source
from subsets.build._places import named, symbols
from subsets.build._spans import Span, delete, widened

_ROUTES = {"condition_by_condition": ("a", "cbc"), "holistic_alignment": ("b", "hol")}
"""Route, its key in `specgap.toml`, and the infix of its evidence ids."""


def read_conditions(source: Source) -> list[dict[str, Any]]:
    """Return the deleted conditions as their author described them."""
    conditions: list[dict[str, Any]] = source.table("specgap.toml")["conditions"]
    return conditions


def find_spans(document: str, conditions: Sequence[Mapping[str, Any]]) -> list[Span]:
    """Locate every deletion; each text occurs once, and a text alone on its line takes the whole line with it."""
    spans = []
    for condition in conditions:
        for number, text in enumerate(condition.get("spans", [condition["source_text"]]), start=1):
            if document.count(text) != 1:
                raise ValueError(f"{condition['id']}: deletion occurs {document.count(text)} times: {text!r}")
            start = document.index(text)
            spans.append(Span(condition["id"], number, *widened(document, start, start + len(text))))
    return spans


def build(source: Source) -> dict[str, bytes]:
    """Return the files of the SpecGAP example of a package."""
    example_id = f"sg_{source.number:03}"
    conditions = read_conditions(source)
    spans = find_spans(source.document, conditions)
    items = [_comparison(source, condition) for condition in conditions]
    scan = {
        "indexed_files": len(source.files),
        "indexed_snippets": sum(len(symbols(text)) for path, text in source.files.items() if path.endswith(".py")),
        "shards": 1,
    }
    gold = {
        "input_id": example_id,
        "benchmark": "specgap",
        "source_sample_id": f"project_sample__{source.name}",
        "provenance": PROVENANCE,
        "conditions": [_selected(condition, item) for condition, item in zip(conditions, items, strict=True)],
        "formal_reference": {
            "deleted_parts": [_deleted(source, condition, spans) for condition in conditions],
            "code_mappings": {
                "methods": {
                    "condition_by_condition": {
                        "mode": "one_condition_full_repository_sharded_alignment",
                        "input_scope": "single_deleted_condition_complete_repository",
                        "repository_scan": scan,
                    },
                    "holistic_alignment": {
                        "mode": "complete_document_repo_wide_alignment",
                        "input_scope": "complete_document_all_selected_conditions_and_repository",
                        "alignment_summary": source.table("specgap.toml")["holistic_summary"],
                        "repository_scan": scan,
                    },
                },
                "comparison_items": items,
                "gold_labels": [
                    {
                        "condition_id": condition["id"],
                        "mapping_explanation": condition["gold_explanation"],
                        "gold_source": condition["gold_source"],
                    }
                    for condition in conditions
                ],
            },
        },
    }
    after = delete(source.document, spans)
    visible = {"documents/3_document_after.md": after.encode(), **repository(source.files)}
    return bundle("specgap", example_id, visible, gold)


def _deleted(source: Source, condition: Mapping[str, Any], spans: Sequence[Span]) -> dict[str, Any]:
    document = source.document
    return {
        "condition_id": condition["id"],
        "type": condition["type"],
        "importance": condition["importance"],
        "source_text": condition["source_text"],
        "normalized_condition": condition["normalized_condition"],
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
            for span in spans
            if span.condition_id == condition["id"]
        ],
        "why_important": condition["why_important"],
        "sa_gap": condition["sa_gap"],
        "expected_verification_question": condition["expected_verification_question"],
        "downstream_impact": condition["downstream_impact"],
    }


def _comparison(source: Source, condition: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "condition_id": condition["id"],
        **{route: _mapping(source, condition, *names) for route, names in _ROUTES.items()},
        "manual_comparison": {"agreement": condition["agreement"], "notes": condition["notes"]},
    }


def _mapping(source: Source, condition: Mapping[str, Any], key: str, infix: str) -> dict[str, Any]:
    route = condition[key]
    evidence = [
        {
            "evidence_id": f"{condition['id']}_{infix}_ev{number:03}",
            "evidence_type": item["type"],
            "relation": item["relation"],
            "strength": item["strength"],
            "provenance": "original_repo",
            "locations": [
                _location(source, place, step if item["type"] == "data_flow" else None)
                for step, place in enumerate(item["at"], start=1)
            ],
            "explanation": item["explanation"],
            "confidence": item["confidence"],
        }
        for number, item in enumerate(route["evidence"], start=1)
    ]
    tests = [item["evidence_id"] for item in evidence if item["evidence_type"] == "test"]
    return {
        "condition_id": condition["id"],
        "mapping_status": "direct",
        "coverage": route["coverage"],
        "evidence_basis": list(dict.fromkeys(item["evidence_type"] for item in evidence)),
        "mapping_explanation": route["explanation"],
        "no_direct_mapping_reason": None,
        "evidence": evidence,
        "related_tests": {
            "status": "found" if tests else "none_found",
            "evidence_ids": tests,
            "search_notes": "All files below tests/ were read." if tests else "This route did not look at tests.",
        },
    }


def _location(source: Source, place: Mapping[str, str], flow_step: int | None) -> dict[str, Any]:
    text = source.files[place["file"]]
    is_python = place["file"].endswith(".py")
    symbol = named(text, place["symbol"]) if is_python else None
    start, end = (symbol.start, symbol.end) if symbol else (1, len(text.splitlines()))
    start, end = _narrow(text.splitlines(), start, end, place)
    excerpt = "\n".join(text.splitlines()[start - 1 : end])
    kind = symbol.kind if symbol and symbol.kind != "field" else "data" if symbol else "config_key"
    location: dict[str, Any] = {
        "file_path": place["file"],
        "file_sha256": sha256(text.encode()).hexdigest(),
        "symbol": {"kind": kind, "qualified_name": place["symbol"] or None},
        "line_ranges": [{"start": start, "end": end}],
        "excerpt": excerpt,
        "excerpt_sha256": sha256(excerpt.encode()).hexdigest(),
    }
    return location if flow_step is None else {**location, "flow_step": flow_step}


def _narrow(lines: Sequence[str], start: int, end: int, place: Mapping[str, str]) -> tuple[int, int]:
    """Cut a definition down to the lines from the one with `first` to the next one with `last`."""
    if "first" not in place:
        return start, end
    starts = [number for number in range(start, end + 1) if place["first"] in lines[number - 1]]
    if len(starts) != 1:
        raise ValueError(f"{place['file']}: {len(starts)} lines of {place['symbol']!r} hold {place['first']!r}")
    last = place.get("last", place["first"])
    for number in range(starts[0], end + 1):
        if last in lines[number - 1]:
            return starts[0], number
    raise ValueError(f"{place['file']}: no line of {place['symbol']!r} holds {last!r} after {place['first']!r}")


def _selected(condition: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    routes = [condition["gold_source"]] if condition["gold_source"] in _ROUTES else list(_ROUTES)
    evidence = [entry for route in routes for entry in item[route]["evidence"]]
    selected = {
        "condition_id": condition["id"],
        "normalized_condition": condition["normalized_condition"],
        "source_text": condition["source_text"],
        "implementation_locations": _places(evidence, "implementation"),
    }
    tests = _places(evidence, "test")
    return {**selected, "test_locations": tests} if tests else selected


def _places(evidence: Sequence[Mapping[str, Any]], evidence_type: str) -> list[dict[str, Any]]:
    places = [
        {
            "file": location["file_path"],
            "symbol": location["symbol"]["qualified_name"] or "<module>",
            "line_ranges": location["line_ranges"],
        }
        for entry in evidence
        if entry["evidence_type"] == evidence_type and entry["strength"] == "direct"
        for location in entry["locations"]
    ]
    return [place for index, place in enumerate(places) if place not in places[:index]]
