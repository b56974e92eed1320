"""The whole chain of judging over real HTTP: valid, malformed, repaired, refusing, slow, dying judges, and a kill."""

from __future__ import annotations

import asyncio
import collections
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import subsets
from agentmonbench._scoring import score_run, summarize
from agentmonbench.monitors import Connections
from agentmonbench.runs import RunDirectory
from agentmonbench.testing import Answer, ScriptedProvider
from judges import judged_values, stored_judgements
from tests.judges.judged_run import gold_answers, judge_all

RIGHT = json.dumps({"verification_point_relation": "equivalent", "evidence_case_evaluation": {}})
WRONG_WORD = json.dumps({"verification_point_relation": "splendid", "evidence_case_evaluation": {}})
JUDGES = {
    "openai/valid": [Answer(RIGHT)],
    "openai/fenced": [Answer(f"```json\n{RIGHT}\n```"), Answer(RIGHT)],
    "openai/malformed": [Answer('{"verification_point_relation": '), Answer(RIGHT)],
    "openai/misnamed": [Answer(WRONG_WORD), Answer(RIGHT)],
    "openai/hopeless": [Answer("I would rather not say.")],
    "openai/silent": [Answer(None, finish_reason="content_filter")],
    "openai/slow": [Answer(RIGHT, delay_s=0.05)],
    "openai/shaky": [Answer(RIGHT, cut=True), Answer("busy", status=503), Answer(RIGHT)],
    "openai/dead": [Answer("gone", status=500)],
}
REQUESTS = {
    "valid": 1,
    "fenced": 1,
    "malformed": 2,
    "misnamed": 2,
    "hopeless": 2,
    "silent": 3,
    "slow": 1,
    "shaky": 3,
    "dead": 3,
}
"""Requests for a question: one, one more for each repair, and at most three tries at a service that gives nothing."""


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTMONBENCH_API_KEY", "unused")


class Script:
    """Answers of each judge to each question in order, the last one repeated."""

    def __init__(self) -> None:
        self.asked: collections.Counter[str] = collections.Counter()
        self.turns: collections.Counter[tuple[str, str]] = collections.Counter()

    async def __call__(self, body: dict[str, Any]) -> Answer:
        judge, question = _short(body["model"]), body["messages"][1]["content"]
        answers = JUDGES[f"openai/{judge}"]
        turn = self.turns[judge, question]
        self.turns[judge, question] += 1
        self.asked[judge] += 1
        return answers[min(turn, len(answers) - 1)]


def _short(model: str) -> str:
    return model.rpartition("/")[2]


# litellm takes seconds to import
@pytest.mark.parametrize("client", ["direct", pytest.param("litellm", marks=pytest.mark.slow)])
def test_judges_of_every_kind_over_http(tmp_path: Path, client: Any) -> None:
    subset = subsets.load("feedbacktrace")
    judged = len(subset) - 1  # the last prediction failed: there is nothing to judge
    script = Script()

    async def run() -> None:
        async with ScriptedProvider(script) as provider:
            connections = Connections(client=client, api_base=provider.api_base, attempts=3)
            try:
                await judge_all(tmp_path, subset, list(JUDGES), connections)
                once = dict(script.asked)
                await judge_all(tmp_path, subset, list(JUDGES), connections)
                assert dict(script.asked) == once, "a second run pays for nothing"
            finally:
                await connections.aclose()

    asyncio.run(run())
    assert script.asked == {name: count * judged for name, count in REQUESTS.items()}
    records = gold_answers(subset)
    with RunDirectory(tmp_path) as folder:
        stored = stored_judgements(folder)
        scored = score_run(records, {subset.name: subset}, judged_values(folder, records))
    failures = {_short(name.judge): judgement.failure for name, judgement in stored.items()}
    assert failures == {
        **dict.fromkeys(("valid", "fenced", "malformed", "misnamed", "slow", "shaky")),
        "hopeless": "judge_format",
        "silent": failures["silent"],
        "dead": failures["dead"],
    }
    assert failures["silent"]
    assert failures["dead"]
    means = {(row.metric, _short(row.judge)): row for row in summarize(scored.rows)}
    for judge, failure in failures.items():
        row = means["VPA", judge]
        # The monitor's own failure is 0 for every judge; a failed judge is 0 as well, and counted.
        assert row.mean == pytest.approx(0.0 if failure else judged / len(subset))
        assert row.failed == (len(subset) if failure else 1)


def test_a_killed_judging_pays_only_for_what_was_in_flight(tmp_path: Path) -> None:
    """The service holds the third answer, the process is killed while it waits, and the same work is done again."""
    subset = subsets.load("feedbacktrace")
    questions: collections.Counter[str] = collections.Counter()
    held = asyncio.Event()

    async def script(body: dict[str, Any]) -> Answer:
        questions[body["messages"][1]["content"]] += 1
        if questions.total() == 3:
            held.set()
            return Answer(RIGHT, delay_s=60.0)
        return Answer(RIGHT)

    async def run() -> None:
        async with ScriptedProvider(script) as provider:
            code = "import sys; from tests.judges.judged_run import main; main(*sys.argv[1:])"
            arguments = (str(tmp_path), provider.api_base, subset.name, "openai/judge")
            process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, *arguments)
            await held.wait()
            process.kill()
            assert await process.wait() == -signal.SIGKILL
            assert questions.total() == 3
            connections = Connections(client="direct", api_base=provider.api_base)
            await judge_all(tmp_path, subset, ["openai/judge"], connections)
            await connections.aclose()

    asyncio.run(run())
    assert sorted(questions.values()) == [1] * (len(subset) - 2) + [2]
    with RunDirectory(tmp_path) as folder:
        assert {judgement.status for judgement in stored_judgements(folder).values()} == {"ok"}
