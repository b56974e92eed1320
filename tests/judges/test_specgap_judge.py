"""SpecGAP judge: what it is shown, what it may answer, and worked scoring example 8."""

from __future__ import annotations

from typing import Any

import pytest

from agentmonbench.examples import Document, Example, SpecGapPrediction
from judges import AnswerFaults, Question, question_about
from tests.judges.reading import data_of
from tests.metrics.builders import evidence, finding, loc, specgap_gold

EXAMPLE = Example(
    "sg_001",
    "specgap",
    document=Document("documents/3_document_after.md", "# Loader\n\nIt loads a file.\n"),
    files={"a.py": b"def f():\n    return {}\n", "long.py": b"x\n" * 300, "wide.py": b"y" * 40_000},
)
ROUTE = [evidence(("a.py", "f", "1-2")), evidence(("t.py", "t", "1"), kind="test")]
GOLD = specgap_gold(
    {
        "kc_001": ("condition_by_condition", ROUTE, []),
        "kc_003": ("holistic_alignment", [], ROUTE),
    }
)


def ask_about(*findings: Any) -> Question:
    return question_about(EXAMPLE, GOLD, SpecGapPrediction(findings=findings))


QUESTION = ask_about(finding("F1", loc("a.py", "f", "1-2")), finding("F2"))


def match(finding_id: str, condition_id: str, m: object = 1, q: object = 1) -> dict[str, object]:
    ids = {"finding_id": finding_id, "condition_id": condition_id}
    return {**ids, "match_score": m, "question_score": q, "reason": "r"}


def rest(*ids: str) -> list[dict[str, str]]:
    return [{"finding_id": each, "reason": "r"} for each in ids]


def test_the_judge_sees_document_conditions_and_findings() -> None:
    data = data_of(QUESTION)
    assert list(data) == ["document_after", "gold_conditions", "candidate_findings"]
    assert data["document_after"] == "# Loader\n\nIt loads a file.\n"
    condition = data["gold_conditions"][0]
    assert list(condition) == [
        "condition_id",
        "type",
        "importance",
        "normalized_condition",
        "source_text",
        "expected_verification_question",
        "why_important",
        "downstream_impact",
        "manual_gold_explanation",
        "manual_gold_source",
        "condition_by_condition",
        "holistic_alignment",
    ]
    assert condition["manual_gold_explanation"] == "human kc_001"
    # Evidence of type test is left out of both routes.
    assert [each["evidence_type"] for each in condition["condition_by_condition"]["evidence"]] == ["implementation"]
    first, second = data["candidate_findings"]
    assert first["code_evidence"] == [
        {
            "path": "a.py",
            "start_line": 1,
            "end_line": 2,
            "symbol": "f",
            "explanation": "because of this",
            "resolved": True,
            "excerpt": "000001 | def f():\n000002 |     return {}",
        }
    ]
    assert second["code_evidence"] == []


@pytest.mark.parametrize(
    ("path", "lines", "error"),
    [
        ("gone.py", "1", "no file 'gone.py'"),
        ("../a.py", "1", "must be relative"),
        ("long.py", "1-161", "has 161 lines"),
        ("a.py", "2-1", "has 0 lines"),
        ("a.py", "7-9", "the file has 2 lines"),
        ("wide.py", "1", "40009 characters"),
    ],
)
def test_a_citation_that_cannot_be_shown_says_why(path: str, lines: str, error: str) -> None:
    (shown,) = data_of(ask_about(finding("F1", loc(path, "f", lines))))["candidate_findings"][0]["code_evidence"]
    assert shown["resolved"] is False
    assert error in shown["error"]
    assert "excerpt" not in shown


def test_an_excerpt_ends_with_the_file() -> None:
    (shown,) = data_of(ask_about(finding("F1", loc("a.py", "f", "2-99"))))["candidate_findings"][0]["code_evidence"]
    assert shown["excerpt"] == "000002 |     return {}"


def test_a_valid_answer_is_scored() -> None:
    verdict = QUESTION.evaluate({"matches": [match("F1", "kc_001", 1, 0.5)], "unmatched_findings": rest("F2")})
    # m = 1 over 2 findings and 2 conditions; QQ = 0.5.
    assert verdict.values == {"SF1": 0.5, "QQ": 0.5}


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ({"matches": [match("F1", "kc_001", 0)], "unmatched_findings": rest("F2")}, "matches[0].match_score: "),
        (
            {"matches": [match("F1", "kc_001"), match("F2", "kc_001")], "unmatched_findings": []},
            "condition 'kc_001' is matched 2 times",
        ),
        (
            {"matches": [match("F1", "kc_001")], "unmatched_findings": rest("F1", "F2")},
            "finding 'F1' is in both lists",
        ),
        ({"matches": [match("F1", "kc_001")], "unmatched_findings": []}, "finding 'F2' is in neither list"),
        ({"matches": [match("F1", "kc_001", 1, 0.25)], "unmatched_findings": rest("F2")}, "question_score: "),
        # Beyond the example.
        ({"matches": [match("F1", "kc_001", True)], "unmatched_findings": rest("F2")}, "matches[0].match_score"),
        ({"matches": [match("F1", "kc_001", "1")], "unmatched_findings": rest("F2")}, "matches[0].match_score"),
        ({"matches": [match("F9", "kc_001")], "unmatched_findings": rest("F1", "F2")}, "unknown finding_id 'F9'"),
        ({"matches": [match("F1", "kc_9")], "unmatched_findings": rest("F2")}, "unknown condition_id 'kc_9'"),
        ({"matches": [], "unmatched_findings": rest("F1", "F1", "F2")}, "finding 'F1' occurs 2 times"),
        ({"matches": []}, "unmatched_findings: Field required"),
    ],
)
def test_example_8_answers_that_are_rejected(answer: dict[str, Any], fault: str) -> None:
    with pytest.raises(AnswerFaults) as caught:
        QUESTION.evaluate(answer)
    assert any(fault in each for each in caught.value.faults), caught.value.faults


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(AnswerFaults) as caught:
        QUESTION.evaluate({"matches": [match("F1", "kc_001"), match("F9", "kc_001")], "unmatched_findings": []})
    assert caught.value.faults == (
        "unknown finding_id 'F9'",
        "condition 'kc_001' is matched 2 times",
        "finding 'F2' is in neither list",
    )


def test_findings_with_one_id_are_told_apart() -> None:
    question = ask_about(finding("F1"), finding("F1"), finding("F1~2"))
    assert [each["finding_id"] for each in data_of(question)["candidate_findings"]] == ["F1", "F1~2", "F1~2~2"]
    answer = {"matches": [match("F1~2", "kc_003")], "unmatched_findings": rest("F1", "F1~2~2")}
    # One of three findings, one of two conditions: P 0.333333, R 0.5.
    assert question.evaluate(answer).values["SF1"] == 0.4


def test_without_findings_there_is_only_one_answer() -> None:
    question = ask_about()
    assert question.settled is not None
    assert question.evaluate(question.settled).values == {"SF1": 0.0, "QQ": 0.0}
    assert QUESTION.settled is None
