"""The conversation with a judge: one repair of each kind, failures as data, and what is stored."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agentmonbench.errors import BudgetExceeded, DataError, ProviderError, UsageError
from agentmonbench.examples import SilentSwapPrediction
from agentmonbench.monitors import Reply, ScriptedMonitor
from judges import Judgement, ask, prompts, question_about, rescore
from tests.judges.test_specgap_judge import EXAMPLE, GOLD, QUESTION, ask_about, match, rest
from tests.metrics.builders import EXAMPLE_9_GOLD, finding, silentswap_gold

GOOD = {"matches": [match("F1", "kc_001")], "unmatched_findings": rest("F2")}
INCOMPLETE = {"matches": [match("F1", "kc_001")], "unmatched_findings": []}


def scripted(*answers: object) -> ScriptedMonitor:
    """Return a judge that says the answers in turn; JSON objects are dumped."""
    return ScriptedMonitor([json.dumps(each) if isinstance(each, dict) else each for each in answers])  # type: ignore[misc]


def judged(*answers: object, **options: Any) -> tuple[Judgement, ScriptedMonitor]:
    judge = scripted(*answers)
    return asyncio.run(ask(judge, QUESTION, **options)), judge


def stages(judgement: Judgement) -> list[str]:
    return [attempt.stage for attempt in judgement.attempts]


def test_a_valid_answer_needs_one_request() -> None:
    judgement, judge = judged(Reply(json.dumps(GOOD), model="glm-5.2-air", cost_usd=0.01))
    assert (judgement.status, stages(judgement)) == ("ok", ["initial"])
    assert judgement.values == {"SF1": 0.5, "QQ": 1.0}
    assert [message.role for message in judge.requests[0]] == ["system", "user"]
    (attempt,) = judgement.attempts
    assert attempt.reply is not None
    assert (attempt.reply.model, attempt.reply.cost_usd) == ("glm-5.2-air", 0.01)


def test_a_code_fence_around_the_object_is_understood() -> None:
    assert judged(f"```json\n{json.dumps(GOOD)}\n```")[0].status == "ok"


def test_a_text_that_is_no_object_is_repaired_once() -> None:
    judgement, judge = judged("The verdict: F1 is right.", GOOD)
    assert (judgement.status, stages(judgement)) == ("ok", ["initial", "format_repair_1"])
    assert [message.role for message in judge.requests[1]] == ["system", "user", "assistant", "user"]
    assert judge.requests[1][2].content == "The verdict: F1 is right."
    assert "exactly one JSON object" in judge.requests[1][3].content


def test_an_object_that_breaks_the_rules_is_repaired_once_with_all_faults() -> None:
    judgement, judge = judged({"matches": [match("F1", "kc_9")], "unmatched_findings": []}, GOOD)
    assert (judgement.status, stages(judgement)) == ("ok", ["initial", "content_repair_1"])
    request = judge.requests[1][3].content
    assert "- unknown condition_id 'kc_9'" in request
    assert "- finding 'F2' is in neither list" in request


def test_each_kind_of_repair_is_used_once_at_most() -> None:
    judgement, _ = judged("no", INCOMPLETE, GOOD)
    assert (judgement.status, stages(judgement)) == ("ok", ["initial", "format_repair_1", "content_repair_1"])
    judgement, _ = judged(INCOMPLETE, "no", GOOD)
    assert (judgement.status, stages(judgement)) == ("ok", ["initial", "content_repair_1", "format_repair_1"])


@pytest.mark.parametrize(
    ("answers", "failure", "detail"),
    [
        (["no", "[1, 2]"], "judge_format", "expected a JSON object, found list"),
        ([INCOMPLETE, INCOMPLETE], "judge_content", "finding 'F2' is in neither list"),
        (["no", INCOMPLETE, "no"], "judge_format", "Expecting value"),
        (['{"matches": [], "matches": []}', "NaN"], "judge_format", "NaN is not JSON"),
        (["[" * 100_000, "{" * 10], "judge_format", "Expecting property name"),
    ],
)
def test_what_stays_wrong_is_a_failed_judge(answers: list[Any], failure: str, detail: str) -> None:
    judgement, judge = judged(*answers)
    assert (judgement.status, judgement.failure) == ("failed", failure)
    assert detail in (judgement.detail or "")
    assert judgement.values == {"SF1": 0.0, "QQ": 0.0}
    assert judgement.answer is None
    assert len(judge.requests) == len(answers)


def test_without_repairs_the_first_answer_decides() -> None:
    judgement, judge = judged("no", repairs=False)
    assert (judgement.failure, len(judge.requests)) == ("judge_format", 1)


def test_a_service_that_fails_is_a_failed_judge_that_keeps_what_was_said() -> None:
    judgement, _ = judged("no", ProviderError("503 from the service", code="provider_unavailable"))
    assert (judgement.status, judgement.failure) == ("failed", "provider_unavailable")
    assert judgement.detail == "503 from the service"
    first, second = judgement.attempts
    assert first.reply is not None
    assert second.reply is None
    assert second.faults == ("503 from the service",)


def test_the_end_of_the_budget_is_not_the_judges_fault() -> None:
    with pytest.raises(BudgetExceeded):
        judged(BudgetExceeded("10 USD are spent"))


def test_nobody_is_asked_when_only_one_answer_is_possible() -> None:
    judge = scripted()
    judgement = asyncio.run(ask(judge, ask_about()))
    assert (judgement.status, judgement.attempts, judge.requests) == ("ok", (), [])
    swaps = question_about(
        EXAMPLE.__class__("ss_001", "silentswap"), silentswap_gold(*EXAMPLE_9_GOLD), SilentSwapPrediction(swaps=())
    )
    assert asyncio.run(ask(judge, swaps)).values == {"LC": 0.0, "CC": 0.0, "LC-rate": 0.0, "CC-rate": 0.0}


def test_a_judgement_survives_its_record() -> None:
    for judgement in (judged("no", GOOD)[0], judged("no", ProviderError("gone"))[0]):
        record = json.loads(json.dumps(judgement.to_record()))
        assert Judgement.from_record(record | {"method": "ebg", "monitor": "lexical"}) == judgement
    with pytest.raises(DataError, match="not a stored judgement"):
        Judgement.from_record({"judge": "glm"})


def test_a_stored_judgement_is_checked_and_scored_again() -> None:
    judgement, _ = judged(GOOD)
    stored = Judgement.from_record(json.loads(json.dumps(judgement.to_record())))
    assert rescore(QUESTION, stored).values == judgement.values
    with pytest.raises(DataError, match="answers another question"):
        rescore(ask_about(finding("F1"), finding("F2")), stored)
    forged = Judgement.from_record(judgement.to_record() | {"values": {"SF1": 1.0, "QQ": 1.0}})
    with pytest.raises(DataError, match=r"stored .* computed"):
        rescore(QUESTION, forged)
    failed, _ = judged("no", "no")
    with pytest.raises(DataError, match="the judge failed"):
        rescore(QUESTION, failed)


def test_prompts_are_versioned_and_hashed() -> None:
    judgement, _ = judged(GOOD)
    assert judgement.prompt_version == prompts.VERSION
    assert judgement.prompts == {"specgap": prompts.sha256("specgap"), "data": prompts.sha256("data")}
    assert judgement.question == QUESTION.sha256
    # The rubric is one text for every example: it can be cached by a provider.
    assert ask_about(finding("F7")).messages[0] == QUESTION.messages[0]
    assert ask_about(finding("F7")).sha256 != QUESTION.sha256


def test_gold_of_another_example_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot judge"):
        question_about(EXAMPLE, silentswap_gold(*EXAMPLE_9_GOLD), SilentSwapPrediction(swaps=()))
    with pytest.raises(UsageError, match="SilentSwapPrediction cannot be judged with SpecGapGold"):
        question_about(EXAMPLE, GOLD, SilentSwapPrediction(swaps=()))
