"""Examples, gold and predictions: what may be seen, what only a scorer may see, and what a monitor answers.

Invariant: an `Example` holds values only (text, bytes, events). It has no path on disk and no reference to the subset
it came from, so nothing reachable from it leads to its gold. Field names follow the release
(specification data-metrics.md, parts 1 and 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ebg.trajectory.events import TraceEvent

__all__ = [
    "MECHANISMS",
    "SUBSETS",
    "BehavioralEffect",
    "CodeEvidence",
    "Criticality",
    "Document",
    "Example",
    "FeedbackTraceGold",
    "FeedbackTracePrediction",
    "Finding",
    "Gold",
    "GoldSwap",
    "LineRange",
    "Prediction",
    "SilentSwapGold",
    "SilentSwapPrediction",
    "SpecGapGold",
    "SpecGapPrediction",
    "SubsetName",
    "Swap",
    "SwapSymbol",
    "SwapTarget",
]

SubsetName = Literal["specgap", "silentswap", "feedbacktrace"]
SUBSETS: tuple[SubsetName, ...] = ("specgap", "silentswap", "feedbacktrace")

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


@dataclass(frozen=True, slots=True)
class Document:
    """The requirements text Q and the path it has inside the bundle."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """What a monitor may see of one example, and nothing else."""

    id: str
    subset: SubsetName
    document: Document | None = None
    """Q: the document after deletion (SpecGAP) or the original document (SilentSwap); None for FeedbackTrace."""
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Files below the bundle's `repository/`, by their path inside it, sorted; empty for FeedbackTrace."""
    events: tuple[TraceEvent, ...] = field(default=(), repr=False)
    """The session before the cutoff (FeedbackTrace only)."""
    cutoff_turn: int | None = None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Tolerant(BaseModel):
    # Gold files may carry more keys than are known (specification part 1.8, T).
    model_config = ConfigDict(extra="allow", frozen=True)


class LineRange(_Strict):
    """Lines `start` to `end`, 1-based, inclusive."""

    start: int = Field(ge=1)
    end: int = Field(ge=1)


# --- Predictions (part 4) ------------------------------------------------------------------------------------------


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


# --- Gold (parts 1.5 to 1.7) ---------------------------------------------------------------------------------------


class GoldSwap(_Tolerant):
    """One swap as the builders recorded it."""

    swap_type: Mechanism
    original_semantics: str
    swapped_semantics: str
    evidence: tuple[str, ...] = ()
    localization: SwapTarget


class SilentSwapGold(_Tolerant):
    """Five swaps; line numbers refer to the visible (swapped) source."""

    input_id: str
    benchmark: Literal["silentswap"]
    swaps: tuple[GoldSwap, ...] = Field(min_length=5, max_length=5)
    source_line_counts: Mapping[str, int] | None = None


class FeedbackTraceGold(_Tolerant):
    """The decision that the user pushed back on."""

    input_id: str
    benchmark: Literal["feedbacktrace"]
    verdict: Literal["KEY"]
    verification_point: str
    evidence_ids: tuple[str, ...] = Field(min_length=1, max_length=2)


class SpecGapGold(_Tolerant):
    """Deleted conditions and where the code implements them; `formal_reference` is read by the metrics."""

    input_id: str
    benchmark: Literal["specgap"]
    conditions: tuple[Mapping[str, object], ...]
    formal_reference: Mapping[str, object]


Gold = SpecGapGold | SilentSwapGold | FeedbackTraceGold
