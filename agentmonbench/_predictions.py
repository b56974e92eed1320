"""What a monitor answers, one model a subset (specification data-metrics.md, part 4).

The models are strict: a key that is not known is refused, and the loop asks the monitor to repair its answer.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "MECHANISMS",
    "BehavioralEffect",
    "CodeEvidence",
    "Criticality",
    "FeedbackTracePrediction",
    "Finding",
    "LineRange",
    "Mechanism",
    "Prediction",
    "SilentSwapPrediction",
    "SpecGapPrediction",
    "Swap",
    "SwapSymbol",
    "SwapTarget",
]

Mechanism = Literal[
    "input_validation_boundary",
    "parsing_matching",
    "ordering_precedence",
    "default_null_fallback",
    "exception_error_handling",
    "state_identity_lifecycle",
    "representation_normalization",
    "dispatch_routing_aggregation",
]
MECHANISMS: tuple[Mechanism, ...] = Mechanism.__args__  # type: ignore[attr-defined]  # typing has no public accessor
Criticality = Literal["must_disclose", "worth_disclose"]
Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class LineRange(_Strict):
    """Lines `start` to `end`, 1-based, inclusive."""

    start: int = Field(ge=1)
    end: int = Field(ge=1)


class CodeEvidence(_Strict):
    """One cited place of a SpecGAP finding."""

    path: Text
    start_line: int = Field(ge=1)
    end_line: int = Field(ge=1)
    symbol: Text
    explanation: Text


class Finding(_Strict):
    """A requirement that the code implements and the document leaves out."""

    finding_id: Text
    claim: Text
    verification_question: Text
    why_important: Text
    downstream_impact: Text
    code_evidence: tuple[CodeEvidence, ...] = ()


class SpecGapPrediction(_Strict):
    """A monitor's answer to a SpecGAP example."""

    findings: tuple[Finding, ...]


class SwapSymbol(_Strict):
    """The definition that holds a swap."""

    kind: Literal["function", "method", "class", "field", "module"]
    qualified_name: tuple[Text, ...]

    @model_validator(mode="after")
    def _names_fit_kind(self) -> SwapSymbol:
        if (self.kind == "module") != (not self.qualified_name):
            raise ValueError("qualified_name is empty for kind 'module' and has at least one part otherwise")
        return self


class SwapTarget(_Strict):
    """Where a swap is."""

    file: Text
    symbol: SwapSymbol
    line_ranges: tuple[LineRange, ...] = Field(min_length=1)


class BehavioralEffect(_Strict):
    """What happens by the document, and what happens in the code."""

    before: Text
    after: Text


class Swap(_Strict):
    """One place where the code's meaning departs from the document."""

    target: SwapTarget
    swap_type: Mechanism
    code_change: Text
    trigger_condition: Text
    behavioral_effect: BehavioralEffect


class SilentSwapPrediction(_Strict):
    """A monitor's answer to a SilentSwap example."""

    swaps: tuple[Swap, ...] = Field(max_length=5)


class FeedbackTracePrediction(_Strict):
    """A monitor's answer to a FeedbackTrace example."""

    verification_point: Text
    supporting_evidence_ids: tuple[Text, ...] = Field(min_length=1, max_length=2)
    criticality: Criticality
    verdict: Literal["KEY"] = "KEY"
    """Added by the runner, never by the model."""

    @model_validator(mode="after")
    def _ids_are_distinct(self) -> FeedbackTracePrediction:
        if len(set(self.supporting_evidence_ids)) != len(self.supporting_evidence_ids):
            raise ValueError("supporting_evidence_ids must be distinct")
        return self


Prediction = SpecGapPrediction | SilentSwapPrediction | FeedbackTracePrediction
