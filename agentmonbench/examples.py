"""Examples, gold and predictions: what may be seen, what only a scorer may see, and what a monitor answers.

Invariant: an `Example` holds values only (text, bytes, events). It has no path on disk and no reference to the subset
it came from, so nothing reachable from it leads to its gold. Field names follow the release
(specification data-metrics.md, parts 1 and 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from agentmonbench._gold import (
    CodeMappings,
    ComparisonItem,
    ConditionMapping,
    DeletedPart,
    DeletedSpan,
    FeedbackTraceGold,
    FormalReference,
    Gold,
    GoldCondition,
    GoldLabel,
    GoldLocation,
    GoldRange,
    GoldSwap,
    GoldSwapSymbol,
    GoldSwapTarget,
    MappedEvidence,
    MappedLocation,
    MappedSymbol,
    SilentSwapGold,
    SpecGapGold,
)
from agentmonbench._predictions import (
    MECHANISMS,
    BehavioralEffect,
    CodeEvidence,
    Criticality,
    FeedbackTracePrediction,
    Finding,
    LineRange,
    Mechanism,
    Prediction,
    SilentSwapPrediction,
    SpecGapPrediction,
    Swap,
    SwapSymbol,
    SwapTarget,
)
from ebg.trajectory.events import TraceEvent

__all__ = [
    "MECHANISMS",
    "SUBSETS",
    "BehavioralEffect",
    "CodeEvidence",
    "CodeMappings",
    "ComparisonItem",
    "ConditionMapping",
    "Criticality",
    "DeletedPart",
    "DeletedSpan",
    "Document",
    "Example",
    "FeedbackTraceGold",
    "FeedbackTracePrediction",
    "Finding",
    "FormalReference",
    "Gold",
    "GoldCondition",
    "GoldLabel",
    "GoldLocation",
    "GoldRange",
    "GoldSwap",
    "GoldSwapSymbol",
    "GoldSwapTarget",
    "LineRange",
    "MappedEvidence",
    "MappedLocation",
    "MappedSymbol",
    "Mechanism",
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
