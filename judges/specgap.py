"""Judge of SpecGAP: which finding discovers which deleted condition (specification data-metrics.md, part 3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import AfterValidator

from agentmonbench.errors import MonitorError, UsageError
from agentmonbench.examples import (
    CodeEvidence,
    ComparisonItem,
    ConditionMapping,
    Example,
    Finding,
    SpecGapGold,
    SpecGapPrediction,
)
from agentmonbench.metrics import cited_path, gap_scores
from agentmonbench.monitors import Message
from judges import prompts
from judges._fence import fenced
from judges._question import Answer, AnswerFaults, Json, Question, Verdict, parse_answer

__all__ = ["SpecGapAnswer", "specgap_question"]

MAX_EXCERPT_LINES = 160
MAX_EXCERPT_CHARS = 32_000
"""Ours: 160 lines of a minified file would drown everything else."""
SHOWN_EVIDENCE = frozenset({"implementation", "data_flow", "configuration"})


def _one_of(*allowed: float) -> AfterValidator:
    def check(value: float) -> float:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(f'{each:g}' for each in allowed)}, not {value:g}")
        return value

    return AfterValidator(check)


class Match(Answer):
    """A finding that discovers a condition."""

    finding_id: str
    condition_id: str
    match_score: Annotated[float, _one_of(1, 0.5)]
    question_score: Annotated[float, _one_of(1, 0.5, 0)]
    reason: str = ""


class UnmatchedFinding(Answer):
    """A finding that discovers none."""

    finding_id: str
    reason: str = ""


class SpecGapAnswer(Answer):
    """The form of the judge's answer."""

    matches: list[Match]
    unmatched_findings: list[UnmatchedFinding]


def specgap_question(example: Example, gold: SpecGapGold, prediction: SpecGapPrediction) -> Question:
    """Return what a judge is asked about a SpecGAP prediction.

    Findings that share an id are told apart by a suffix (`F1`, `F1~2`): a judge must account for each of them.

    Raises:
        UsageError: when the example has no document.
    """
    if example.document is None:
        raise UsageError(f"example {example.id!r} has no document; it is no SpecGAP example")
    findings = dict(zip(_distinct_ids(prediction.findings), prediction.findings, strict=True))
    conditions = [condition.condition_id for condition in gold.conditions]
    material = {
        "document_after": example.document.text,
        "gold_conditions": _gold_conditions(gold),
        "candidate_findings": [_candidate(key, finding, example.files) for key, finding in findings.items()],
    }

    def evaluate(answer: Json) -> Verdict:
        parsed = parse_answer(SpecGapAnswer, answer)
        faults = _accounting_faults(parsed, list(findings), conditions)
        if faults:
            raise AnswerFaults(faults)
        scores = gap_scores(
            ((match.match_score, match.question_score) for match in parsed.matches),
            findings=len(findings),
            conditions=len(conditions),
        )
        matched = {match.condition_id for match in parsed.matches}
        missed = [key for key in conditions if key not in matched]
        return Verdict(
            parsed.model_dump() | {"unmatched_conditions": missed}, {"SF1": scores.sf1, "QQ": scores.question_quality}
        )

    return Question(
        example_id=example.id,
        subset="specgap",
        messages=(Message("system", prompts.text("specgap")), Message("user", fenced(material))),
        prompts={name: prompts.sha256(name) for name in ("specgap", "data")},
        evaluate=evaluate,
        settled=None if findings else {"matches": [], "unmatched_findings": []},
    )


def _distinct_ids(findings: Iterable[Finding]) -> list[str]:
    taken: set[str] = set()
    ids = []
    for finding in findings:
        name, number = finding.finding_id, 1
        while name in taken:
            number += 1
            name = f"{finding.finding_id}~{number}"
        taken.add(name)
        ids.append(name)
    return ids


def _gold_conditions(gold: SpecGapGold) -> list[dict[str, object]]:
    reference = gold.formal_reference
    parts = {part.condition_id: part for part in reference.deleted_parts}
    items = {item.condition_id: item for item in reference.code_mappings.comparison_items}
    labels = {label.condition_id: label for label in reference.code_mappings.gold_labels}
    shown = []
    for condition in gold.conditions:
        key = condition.condition_id
        part, label = parts.get(key), labels.get(key)
        shown.append(
            {
                "condition_id": key,
                "type": part.type if part else "",
                "importance": part.importance if part else "",
                "normalized_condition": condition.normalized_condition,
                "source_text": condition.source_text,
                "expected_verification_question": part.expected_verification_question if part else "",
                "why_important": part.why_important if part else "",
                "downstream_impact": part.downstream_impact if part else "",
                "manual_gold_explanation": label.mapping_explanation if label else "",
                "manual_gold_source": label.gold_source if label else "",
                **_routes(items.get(key)),
            }
        )
    return shown


def _routes(item: ComparisonItem | None) -> dict[str, object]:
    if item is None:
        return {}
    return {
        "condition_by_condition": _route(item.condition_by_condition),
        "holistic_alignment": _route(item.holistic_alignment),
    }


def _route(mapping: ConditionMapping) -> dict[str, object]:
    return {
        "mapping_status": mapping.mapping_status,
        "coverage": mapping.coverage,
        "mapping_explanation": mapping.mapping_explanation,
        "evidence": [
            evidence.model_dump(
                include={"evidence_id", "evidence_type", "relation", "strength", "locations", "explanation"},
                mode="json",
            )
            for evidence in mapping.evidence
            if evidence.evidence_type in SHOWN_EVIDENCE
        ],
    }


def _candidate(key: str, finding: Finding, files: Mapping[str, bytes]) -> dict[str, object]:
    return {
        "finding_id": key,
        "claim": finding.claim,
        "verification_question": finding.verification_question,
        "why_important": finding.why_important,
        "downstream_impact": finding.downstream_impact,
        "code_evidence": [citation.model_dump() | _resolve(citation, files) for citation in finding.code_evidence],
    }


def _resolve(citation: CodeEvidence, files: Mapping[str, bytes]) -> dict[str, object]:
    """Return the cited lines, numbered, or why they cannot be shown. LF1 scores a citation either way."""
    try:
        return {"resolved": True, "excerpt": _excerpt(citation, files)}
    except MonitorError as error:
        return {"resolved": False, "error": str(error)}


def _excerpt(citation: CodeEvidence, files: Mapping[str, bytes]) -> str:
    path, start, end = cited_path(citation), citation.start_line, citation.end_line
    if path not in files:
        raise MonitorError(f"no file {path!r} in the repository")
    if not 0 <= end - start < MAX_EXCERPT_LINES:
        raise MonitorError(f"the range has {end - start + 1} lines; 1 to {MAX_EXCERPT_LINES} are shown")
    lines = files[path].decode("utf-8", errors="replace").splitlines()
    if start > len(lines):
        raise MonitorError(f"the file has {len(lines)} lines")
    excerpt = "\n".join(f"{number:06d} | {lines[number - 1]}" for number in range(start, min(end, len(lines)) + 1))
    if len(excerpt) > MAX_EXCERPT_CHARS:
        raise MonitorError(f"the lines have {len(excerpt)} characters; at most {MAX_EXCERPT_CHARS} are shown")
    return excerpt


def _accounting_faults(answer: SpecGapAnswer, findings: list[str], conditions: list[str]) -> list[str]:
    matched = Counter(match.finding_id for match in answer.matches)
    unmatched = Counter(each.finding_id for each in answer.unmatched_findings)
    taken = Counter(match.condition_id for match in answer.matches)
    faults = [f"unknown finding_id {key!r}" for key in sorted({*matched, *unmatched} - set(findings))]
    faults += [f"unknown condition_id {key!r}" for key in sorted(set(taken) - set(conditions))]
    faults += [f"condition {key!r} is matched {taken[key]} times" for key in conditions if taken[key] > 1]
    for key in findings:
        times = matched[key] + unmatched[key]
        if times == 0:
            faults.append(f"finding {key!r} is in neither list")
        elif matched[key] and unmatched[key]:
            faults.append(f"finding {key!r} is in both lists")
        elif times > 1:
            faults.append(f"finding {key!r} occurs {times} times")
    return faults
