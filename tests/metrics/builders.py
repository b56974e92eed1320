"""Small makers of gold and predictions for the tests of metrics and judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentmonbench.examples import CodeEvidence, Finding, SilentSwapGold, SpecGapGold, Swap
from agentmonbench.metrics import Target

Place = tuple[str, str | None, str]
"""(path, symbol, lines), lines as `10-12` or `5-6,9`."""


def ranges(text: str) -> list[dict[str, int]]:
    pairs = [part.split("-") for part in text.split(",")]
    return [{"start": int(pair[0]), "end": int(pair[-1])} for pair in pairs]


def loc(path: str, symbol: str, lines: str) -> CodeEvidence:
    (each,) = ranges(lines)
    return CodeEvidence(
        path=path, symbol=symbol, start_line=each["start"], end_line=each["end"], explanation="because of this"
    )


def finding(name: str, *citations: CodeEvidence) -> Finding:
    return Finding(
        finding_id=name,
        claim=f"claim {name}",
        verification_question=f"question {name}?",
        why_important="it changes results",
        downstream_impact="callers see it",
        code_evidence=citations,
    )


def target(path: str, symbol: str, lines: str) -> Target:
    return Target(path, symbol, tuple((each["start"], each["end"]) for each in ranges(lines)))


def evidence(
    *places: Place, kind: str = "implementation", strength: str = "direct", relation: str = "implements"
) -> Any:
    return {
        "evidence_id": "ev",
        "evidence_type": kind,
        "strength": strength,
        "relation": relation,
        "locations": [
            {
                "file_path": path,
                "symbol": {"kind": "function" if symbol else "none", "qualified_name": symbol},
                "line_ranges": ranges(lines),
            }
            for path, symbol, lines in places
        ],
    }


def specgap_gold(
    conditions: dict[str, tuple[str, Sequence[Any], Sequence[Any]]], input_id: str = "sg_001"
) -> SpecGapGold:
    """Make gold from {condition id: (gold source, evidence of route A, evidence of route B)}."""
    texts = {key: {"source_text": f"source {key}", "normalized_condition": f"condition {key}"} for key in conditions}
    return SpecGapGold.model_validate(
        {
            "input_id": input_id,
            "benchmark": "specgap",
            "conditions": [{"condition_id": key, **texts[key]} for key in conditions],
            "formal_reference": {
                "deleted_parts": [
                    {
                        "condition_id": key,
                        **texts[key],
                        "type": "boundary_behavior",
                        "importance": "must_ask",
                        "expected_verification_question": f"expected {key}?",
                        "why_important": f"why {key}",
                        "downstream_impact": f"impact {key}",
                    }
                    for key in conditions
                ],
                "code_mappings": {
                    "comparison_items": [
                        {
                            "condition_id": key,
                            "condition_by_condition": {"condition_id": key, "evidence": list(first)},
                            "holistic_alignment": {"condition_id": key, "evidence": list(second)},
                        }
                        for key, (_, first, second) in conditions.items()
                    ],
                    "gold_labels": [
                        {"condition_id": key, "gold_source": source, "mapping_explanation": f"human {key}"}
                        for key, (source, _, _) in conditions.items()
                    ],
                },
            },
        }
    )


def swap_target(file: str, kind: str, name: Sequence[str], lines: str) -> dict[str, Any]:
    return {"file": file, "symbol": {"kind": kind, "qualified_name": list(name)}, "line_ranges": ranges(lines)}


def swap(file: str, kind: str, name: Sequence[str], lines: str, swap_type: str = "parsing_matching") -> Swap:
    return Swap.model_validate(
        {
            "target": swap_target(file, kind, name, lines),
            "swap_type": swap_type,
            "code_change": "the comparison is reversed",
            "trigger_condition": "when the limit is met",
            "behavioral_effect": {"before": "accepts the limit", "after": "rejects the limit"},
        }
    )


def silentswap_gold(*targets: dict[str, Any], input_id: str = "ss_001", **extra: Any) -> SilentSwapGold:
    return SilentSwapGold.model_validate(
        {
            "input_id": input_id,
            "benchmark": "silentswap",
            "swaps": [
                {
                    "swap_type": "parsing_matching",
                    "original_semantics": f"original {index}",
                    "swapped_semantics": f"swapped {index}",
                    "evidence": [f"fact {index}"],
                    "localization": each,
                }
                for index, each in enumerate(targets, start=1)
            ],
            **extra,
        }
    )


EXAMPLE_9_GOLD = (
    swap_target("a.py", "function", ["f1"], "10-12"),
    swap_target("a.py", "method", ["K", "m"], "30"),
    swap_target("b.py", "function", ["g"], "5-6,9"),
    swap_target("c.py", "module", [], "2"),
    swap_target("d.py", "field", ["C", "x"], "7"),
)
TOTALS = {f"{name}.py": 100 for name in "abcd"}
