"""The typed gold: enough for the metrics, tolerant of what it does not know."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from agentmonbench.examples import GoldSwapTarget, LineRange, SilentSwapGold, SpecGapGold, SwapTarget


def mapping(path: str) -> dict[str, Any]:
    location = {
        "file_path": path,
        "file_sha256": "0" * 64,
        "symbol": {"kind": "function", "qualified_name": "load"},
        "line_ranges": [{"start": 3, "end": 4}],
        "excerpt": "return {}\n",
        "flow_step": None,
    }
    evidence = {
        "evidence_id": "kc_001_cbc_ev001",
        "evidence_type": "implementation",
        "relation": "implements",
        "strength": "direct",
        "provenance": "original_repo",
        "locations": [location],
        "confidence": "high",
    }
    return {"condition_id": "kc_001", "mapping_status": "direct", "coverage": "full", "evidence": [evidence]}


def specgap_gold() -> dict[str, Any]:
    return {
        "input_id": "sg_001",
        "benchmark": "specgap",
        "source_sample_id": None,
        "reviewed_by": "somebody",
        "conditions": [
            {
                "condition_id": "kc_001",
                "normalized_condition": "Empty input gives an empty mapping.",
                "source_text": "Empty input gives `{}`.",
                "implementation_locations": [
                    {"file": "a.py", "symbol": "load", "line_ranges": [{"start": 3, "end": 4}]}
                ],
            }
        ],
        "formal_reference": {
            "deleted_parts": [
                {
                    "condition_id": "kc_001",
                    "type": "boundary_behavior",
                    "importance": "must_ask",
                    "source_text": "Empty input gives `{}`.",
                    "normalized_condition": "Empty input gives an empty mapping.",
                    "deleted_spans": [{"exact_text": "Empty input gives `{}`.", "char_start": 0, "char_end": 23}],
                }
            ],
            "code_mappings": {
                "comparison_items": [
                    {
                        "condition_id": "kc_001",
                        "condition_by_condition": mapping("a.py"),
                        "holistic_alignment": mapping("b.py"),
                        "manual_comparison": {"agreement": None, "notes": ""},
                    }
                ],
                "gold_labels": [{"condition_id": "kc_001", "gold_source": "holistic_alignment"}],
            },
        },
    }


def test_specgap_gold_gives_the_metrics_typed_routes() -> None:
    gold = SpecGapGold.model_validate(specgap_gold())
    (item,) = gold.formal_reference.code_mappings.comparison_items
    (evidence,) = item.holistic_alignment.evidence
    (location,) = evidence.locations
    assert (location.file_path, location.symbol.qualified_name) == ("b.py", "load")
    assert [(lines.start, lines.end) for lines in location.line_ranges] == [(3, 4)]
    assert gold.formal_reference.code_mappings.gold_labels[0].gold_source == "holistic_alignment"


def test_unknown_gold_keys_are_kept() -> None:
    gold = SpecGapGold.model_validate(specgap_gold())
    assert gold.model_extra == {"reviewed_by": "somebody"}


def test_null_where_a_default_exists_means_not_given() -> None:
    raw = specgap_gold()
    raw["conditions"][0]["implementation_locations"] = None
    assert SpecGapGold.model_validate(raw).conditions[0].implementation_locations == ()


def test_a_gold_range_may_not_be_reversed_but_a_predicted_one_may() -> None:
    target = {
        "file": "a.py",
        "symbol": {"kind": "module", "qualified_name": []},
        "line_ranges": [{"start": 9, "end": 2}],
    }
    # A reversed predicted range empties the swap's lines (specification part 2.4); it is no error of form.
    assert SwapTarget.model_validate(target).line_ranges == (LineRange(start=9, end=2),)
    with pytest.raises(ValidationError, match="ends at 2, before its start 9"):
        GoldSwapTarget.model_validate(target)


def test_a_silentswap_gold_has_exactly_five_swaps() -> None:
    swap = {
        "swap_type": "parsing_matching",
        "original_semantics": "a",
        "swapped_semantics": "b",
        "localization": {
            "file": "a.py",
            "symbol": {"kind": "method", "qualified_name": ["K", "run"], "note": "kept"},
            "line_ranges": [{"start": 1, "end": 1}],
        },
        "why_different": "kept",
    }
    raw = {"input_id": "ss_001", "benchmark": "silentswap", "swaps": [swap] * 5}
    assert SilentSwapGold.model_validate(raw).swaps[4].localization.symbol.qualified_name == ("K", "run")
    with pytest.raises(ValidationError, match="at least 5"):
        SilentSwapGold.model_validate(raw | {"swaps": [swap] * 4})
