"""The prediction that a monitor with full knowledge would give, made from gold.

It checks the benchmark, not a monitor: it must score 1 in every rule metric. It lives on the scorer's side; nothing
that a monitor can reach imports it.
"""

from __future__ import annotations

from agentmonbench.examples import (
    BehavioralEffect,
    CodeEvidence,
    FeedbackTraceGold,
    FeedbackTracePrediction,
    Finding,
    Gold,
    LineRange,
    Prediction,
    SilentSwapGold,
    SilentSwapPrediction,
    SpecGapGold,
    SpecGapPrediction,
    Swap,
    SwapSymbol,
    SwapTarget,
)
from agentmonbench.metrics._specgap import Target, gold_targets

__all__ = ["gold_prediction"]

UNSAID = "Not stated in gold."
"""Stands where a prediction needs a text that gold does not have."""


def gold_prediction(gold: Gold) -> Prediction:
    """Return the perfect prediction of one example.

    A SpecGAP condition that no place can be scored for still gets its finding, without a citation: judges count it,
    LF1 counts it against precision, so LF1 stays below 1 on such an example.

    Raises:
        DataError: when gold contradicts itself.
    """
    match gold:
        case SpecGapGold():
            return SpecGapPrediction(findings=_findings(gold))
        case SilentSwapGold():
            return SilentSwapPrediction(swaps=_swaps(gold))
        case FeedbackTraceGold():
            return _point(gold)


def _findings(gold: SpecGapGold) -> tuple[Finding, ...]:
    parts = {part.condition_id: part for part in gold.formal_reference.deleted_parts}
    findings = []
    for index, (key, targets) in enumerate(gold_targets(gold).items(), start=1):
        part = parts.get(key)
        findings.append(
            Finding(
                finding_id=f"F{index:03d}",
                claim=(part and part.normalized_condition) or UNSAID,
                verification_question=(part and part.expected_verification_question) or UNSAID,
                why_important=(part and part.why_important) or UNSAID,
                downstream_impact=(part and part.downstream_impact) or UNSAID,
                code_evidence=_citations(targets),
            )
        )
    return tuple(findings)


def _citations(targets: tuple[Target, ...]) -> tuple[CodeEvidence, ...]:
    """Cite the target with the fewest ranges whole: it is a full hit of LF1 and, with up to three ranges, of strict."""
    if not targets:
        return ()
    target = min(targets, key=lambda each: len(each.lines) or len(each.ranges) + 1)
    return tuple(
        CodeEvidence(path=target.path, symbol=target.symbol, start_line=first, end_line=last, explanation="Gold place.")
        for first, last in target.lines
    )


def _swaps(gold: SilentSwapGold) -> tuple[Swap, ...]:
    return tuple(
        Swap(
            target=SwapTarget(
                file=swap.localization.file,
                symbol=SwapSymbol(
                    kind=swap.localization.symbol.kind, qualified_name=swap.localization.symbol.qualified_name
                ),
                line_ranges=tuple(
                    LineRange(start=lines.start, end=lines.end) for lines in swap.localization.line_ranges
                ),
            ),
            swap_type=swap.swap_type,
            code_change=f"{swap.original_semantics} -> {swap.swapped_semantics}",
            trigger_condition=" ".join(swap.evidence) or UNSAID,
            behavioral_effect=BehavioralEffect(
                before=swap.original_semantics or UNSAID, after=swap.swapped_semantics or UNSAID
            ),
        )
        for swap in gold.swaps
    )


def _point(gold: FeedbackTraceGold) -> FeedbackTracePrediction:
    criticality = (gold.model_extra or {}).get("criticality")
    return FeedbackTracePrediction(
        verification_point=gold.verification_point,
        supporting_evidence_ids=gold.evidence_ids,
        criticality="worth_disclose" if criticality == "worth_disclose" else "must_disclose",
    )
