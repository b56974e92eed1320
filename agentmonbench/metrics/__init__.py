"""Metrics of the paper and their companions.

`score` gives the rule metrics of one example; judges' answers are turned into scores by the functions of
the judged metrics. All of it is pure: values in, values out, no file, no clock, no model.
"""

from agentmonbench.metrics._agreement import (
    DirectionAgreement,
    Level,
    cohen_kappa,
    direction_agreement,
    krippendorff_alpha,
    mean_absolute_difference,
    spearman,
)
from agentmonbench.metrics._failure_stage import (
    EventShown,
    FailureStage,
    RequiredLines,
    event_shown,
    repository_failure_stage,
    required_lines,
    session_failure_stage,
)
from agentmonbench.metrics._feedbacktrace import EvidenceHit, EvidenceRelation, evidence_hit, evidence_relation
from agentmonbench.metrics._from_gold import gold_prediction
from agentmonbench.metrics._judged import (
    EvidenceJudgement,
    GapScores,
    PointRelation,
    change_correct,
    evidence_judgement,
    evidence_location_score,
    gap_scores,
    location_correct,
    verification_point_alignment,
)
from agentmonbench.metrics._location_rule import LocationRule, SwapLocation, location_rule
from agentmonbench.metrics._matching import Pair, best_matching
from agentmonbench.metrics._registry import METRICS, SECOND_STAGE, Metric, MetricSource, metric, metrics_of
from agentmonbench.metrics._rounding import round6, table_value
from agentmonbench.metrics._scores import (
    FeedbackTraceDetails,
    ScoreDetails,
    Scores,
    SilentSwapDetails,
    SpecGapDetails,
    failed_scores,
    line_totals,
    score,
)
from agentmonbench.metrics._silentswap import Localization, SwapMatch, localization
from agentmonbench.metrics._specgap import (
    CitationHit,
    FindingMatch,
    LocationF1,
    LocationScore,
    Target,
    cited_path,
    gold_targets,
    location_f1,
    location_score,
)
from agentmonbench.metrics._strict import strict_location_f1
from agentmonbench.metrics._terciles import Tercile, terciles

__all__ = [
    "METRICS",
    "SECOND_STAGE",
    "CitationHit",
    "DirectionAgreement",
    "EventShown",
    "EvidenceHit",
    "EvidenceJudgement",
    "EvidenceRelation",
    "FailureStage",
    "FeedbackTraceDetails",
    "FindingMatch",
    "GapScores",
    "Level",
    "Localization",
    "LocationF1",
    "LocationRule",
    "LocationScore",
    "Metric",
    "MetricSource",
    "Pair",
    "PointRelation",
    "RequiredLines",
    "ScoreDetails",
    "Scores",
    "SilentSwapDetails",
    "SpecGapDetails",
    "SwapLocation",
    "SwapMatch",
    "Target",
    "Tercile",
    "best_matching",
    "change_correct",
    "cited_path",
    "cohen_kappa",
    "direction_agreement",
    "event_shown",
    "evidence_hit",
    "evidence_judgement",
    "evidence_location_score",
    "evidence_relation",
    "failed_scores",
    "gap_scores",
    "gold_prediction",
    "gold_targets",
    "krippendorff_alpha",
    "line_totals",
    "localization",
    "location_correct",
    "location_f1",
    "location_rule",
    "location_score",
    "mean_absolute_difference",
    "metric",
    "metrics_of",
    "repository_failure_stage",
    "required_lines",
    "round6",
    "score",
    "session_failure_stage",
    "spearman",
    "strict_location_f1",
    "table_value",
    "terciles",
    "verification_point_alignment",
]
