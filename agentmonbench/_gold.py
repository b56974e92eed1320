"""What only a scorer may see: the gold file of an example, one model a subset (specification part 1.5 to 1.7).

The models ask for what the metrics need and tolerate the rest: unknown keys are kept as extra attributes, a null where
a default exists means "not given", and closed vocabularies are plain strings with their known values named, because
the frozen release is larger than any description of it. Line ranges are 1-based and inclusive, in the visible source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agentmonbench._predictions import LineRange, Mechanism, SwapSymbol, SwapTarget, Text

__all__ = [
    "CodeMappings",
    "ComparisonItem",
    "ConditionMapping",
    "DeletedPart",
    "DeletedSpan",
    "FeedbackTraceGold",
    "FormalReference",
    "Gold",
    "GoldCondition",
    "GoldLabel",
    "GoldLocation",
    "GoldRange",
    "GoldSwap",
    "GoldSwapSymbol",
    "GoldSwapTarget",
    "MappedEvidence",
    "MappedLocation",
    "MappedSymbol",
    "SilentSwapGold",
    "SpecGapGold",
]


class _Tolerant(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _null_means_not_given(cls, data: object) -> object:
        if not isinstance(data, Mapping):
            return data
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {key: value for key, value in data.items() if value is not None or key not in optional}


class GoldRange(LineRange):
    """Lines `start` to `end` of a gold location; never reversed."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    @model_validator(mode="after")
    def _is_not_reversed(self) -> GoldRange:
        if self.end < self.start:
            raise ValueError(f"line range ends at {self.end}, before its start {self.start}")
        return self


# --- SpecGAP (part 1.5) ---------------------------------------------------------------------------------------------


class GoldLocation(_Tolerant):
    """Where a condition is implemented or tested; read by the failure analysis, not by LF1."""

    file: Text
    symbol: str | None = None
    """Dotted name, or None."""
    line_ranges: tuple[GoldRange, ...] = ()


class GoldCondition(_Tolerant):
    """A condition that was deleted from the document and that the monitor should ask about."""

    condition_id: Text
    normalized_condition: str
    source_text: str
    implementation_locations: tuple[GoldLocation, ...] = ()
    test_locations: tuple[GoldLocation, ...] = ()


class DeletedSpan(_Tolerant):
    """A verbatim piece of the document before deletion; offsets count characters of that document, half open."""

    span_id: str = ""
    role: str = ""
    exact_text: Text
    char_start: int | None = None
    char_end: int | None = None
    line_start: int | None = None
    line_end: int | None = None


class DeletedPart(_Tolerant):
    """What was deleted for one condition, and why it matters."""

    condition_id: Text
    source_text: str
    normalized_condition: str
    type: str = ""
    """One of seven: boundary_behavior, api_constraint, data_flow, dependency_choice, evidence_boundary,
    metric_or_eval or test_related."""
    importance: str = ""
    """must_ask, worth_ask or can_ignore."""
    deleted_spans: tuple[DeletedSpan, ...] = ()
    why_important: str = ""
    sa_gap: tuple[str, ...] = ()
    """Of perception, comprehension, projection."""
    expected_verification_question: str = ""
    downstream_impact: str = ""


class MappedSymbol(_Tolerant):
    """The definition that holds a mapped location."""

    kind: str = "none"
    """function, method, class, module, config_key, data or none."""
    qualified_name: str | None = None
    """Dotted name; None or empty when the location is in no definition."""


class MappedLocation(_Tolerant):
    """A place in the repository that a mapping cites."""

    file_path: Text
    symbol: MappedSymbol = MappedSymbol()
    line_ranges: tuple[GoldRange, ...] = ()
    file_sha256: str = ""
    excerpt: str = ""
    excerpt_sha256: str = ""
    flow_step: int | None = None
    """Position in the flow, from 1; only for evidence of type data_flow."""


class MappedEvidence(_Tolerant):
    """One piece of support for a mapping."""

    evidence_id: str = ""
    evidence_type: str
    """implementation, test, configuration, data_flow, fixture, build_metadata or documentation."""
    relation: str
    """implements, enforces, validates, configures, routes, constrains, demonstrates or contradicts."""
    strength: str
    """direct or indirect."""
    locations: tuple[MappedLocation, ...] = ()
    provenance: str = ""
    explanation: str = ""
    confidence: str = ""


class ConditionMapping(_Tolerant):
    """What one of the two routes found for one condition."""

    condition_id: Text
    mapping_status: str = ""
    """direct or no_direct_mapping."""
    coverage: str = ""
    """full, partial or none."""
    evidence_basis: tuple[str, ...] = ()
    mapping_explanation: str = ""
    no_direct_mapping_reason: Mapping[str, object] | None = None
    evidence: tuple[MappedEvidence, ...] = ()
    related_tests: Mapping[str, object] | None = None


class ComparisonItem(_Tolerant):
    """Both routes of one condition side by side."""

    condition_id: Text
    condition_by_condition: ConditionMapping
    holistic_alignment: ConditionMapping
    manual_comparison: Mapping[str, object] | None = None


class GoldLabel(_Tolerant):
    """The final text of one condition and the route that it was taken from."""

    condition_id: Text
    gold_source: str
    """condition_by_condition, holistic_alignment or manually_rewritten."""
    mapping_explanation: str = ""


class CodeMappings(_Tolerant):
    """How the conditions were mapped to code."""

    comparison_items: tuple[ComparisonItem, ...]
    gold_labels: tuple[GoldLabel, ...]
    methods: Mapping[str, object] | None = None


class FormalReference(_Tolerant):
    """The construction record that the metrics and the judge read."""

    deleted_parts: tuple[DeletedPart, ...]
    code_mappings: CodeMappings


class SpecGapGold(_Tolerant):
    """Deleted conditions and where the code implements them."""

    input_id: Text
    benchmark: Literal["specgap"]
    conditions: tuple[GoldCondition, ...]
    formal_reference: FormalReference
    source_sample_id: str | int | None = None


# --- SilentSwap (part 1.6) ------------------------------------------------------------------------------------------


class GoldSwapSymbol(SwapSymbol):
    """The definition that holds a gold swap."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)


class GoldSwapTarget(SwapTarget):
    """Where a gold swap is, in lines of the visible (swapped) source."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    symbol: GoldSwapSymbol
    line_ranges: tuple[GoldRange, ...] = Field(min_length=1)


class GoldSwap(_Tolerant):
    """One swap as the builders recorded it."""

    swap_type: Mechanism
    original_semantics: str
    swapped_semantics: str
    localization: GoldSwapTarget
    evidence: tuple[str, ...] = ()


class SilentSwapGold(_Tolerant):
    """Five swaps of one repository."""

    input_id: Text
    benchmark: Literal["silentswap"]
    swaps: tuple[GoldSwap, ...] = Field(min_length=5, max_length=5)
    source_line_counts: Mapping[str, int] | None = None
    """Lines of each swapped file; None means that they are counted in the bundle."""
    official_judge_reference: Mapping[str, object] | None = None
    """What the judge is shown as reference; None means that it is made from `swaps`."""
    source_sample_id: str | int | None = None


# --- FeedbackTrace (part 1.7) ---------------------------------------------------------------------------------------


class FeedbackTraceGold(_Tolerant):
    """The decision that the user pushed back on."""

    input_id: Text
    benchmark: Literal["feedbacktrace"]
    verdict: Literal["KEY"]
    verification_point: Text
    evidence_ids: tuple[Text, ...] = Field(min_length=1, max_length=2)


Gold = SpecGapGold | SilentSwapGold | FeedbackTraceGold
