"""Judging a whole run: only what was predicted, nothing twice, failures counted apart."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import subsets
from agentmonbench._scoring import score_run, summarize
from agentmonbench.loop import Record
from agentmonbench.monitors import ScriptedMonitor
from agentmonbench.runs import Key, RunDirectory
from judges import judge_run, judged_values
from tests.judges.judged_run import gold_answers

RIGHT = json.dumps({"verification_point_relation": "equivalent", "evidence_case_evaluation": {}})


def _judge(
    run: RunDirectory,
    records: Mapping[Key, Record],
    subset: subsets.Subset,
    judge: ScriptedMonitor,
    *,
    again: bool = False,
) -> None:
    asyncio.run(judge_run(run, records, {subset.name: subset}, [judge], jobs=2, retry_errors=again))


@pytest.fixture
def subset() -> subsets.Subset:
    return subsets.load("feedbacktrace")


def test_every_prediction_is_judged_once(tmp_path: Path, subset: subsets.Subset) -> None:
    records = gold_answers(subset)
    judge = ScriptedMonitor([RIGHT], name="j")
    with RunDirectory(tmp_path) as run:
        _judge(run, records, subset, judge)
        assert len(judge.requests) == len(subset) - 1
        _judge(run, records, subset, judge)
        assert len(judge.requests) == len(subset) - 1
        scored = score_run(records, {subset.name: subset}, judged_values(run, records))
    means = {(row.metric, row.judge): (row.mean, row.failed) for row in summarize(scored.rows)}
    # The failed monitor is 0 in every metric, judged ones included: 3 of 4 right.
    expected = pytest.approx((len(subset) - 1) / len(subset))
    assert means["VPA", "j"] == (expected, 1)
    assert means["VPA", "mean"] == (expected, 1)
    assert means["EHR", ""] == (expected, 1)


def test_a_second_judge_pays_nothing_for_the_first(tmp_path: Path, subset: subsets.Subset) -> None:
    records = gold_answers(subset)
    first, second = ScriptedMonitor([RIGHT], name="first"), ScriptedMonitor(["no"], name="second")
    with RunDirectory(tmp_path) as run:
        _judge(run, records, subset, first)
        _judge(run, records, subset, second)
        scored = score_run(records, {subset.name: subset}, judged_values(run, records))
    assert len(first.requests) == len(subset) - 1
    means = {(row.metric, row.judge): (row.mean, row.failed) for row in summarize(scored.rows)}
    assert means["VPA", "second"] == (0.0, len(subset))
    # The paper's value is the mean of the judges' means: (0.75 + 0) / 2 for four examples.
    assert means["VPA", "mean"][0] == pytest.approx((len(subset) - 1) / len(subset) / 2)
    assert {row.failure for row in scored.rows if row.judge == "second"} == {"judge_format", "provider_error"}


def test_failed_judges_are_asked_again_only_on_demand(tmp_path: Path, subset: subsets.Subset) -> None:
    records = gold_answers(subset)
    with RunDirectory(tmp_path) as run:
        _judge(run, records, subset, ScriptedMonitor(["no"], name="j"))
        judge = ScriptedMonitor([RIGHT], name="j")
        _judge(run, records, subset, judge)
        assert judge.requests == []
        _judge(run, records, subset, judge, again=True)
        assert len(judge.requests) == len(subset) - 1
        assert {value.values["VPA"] for value in judged_values(run, records).values()} == {1.0}


def test_another_prediction_is_another_question(tmp_path: Path, subset: subsets.Subset) -> None:
    records = gold_answers(subset)
    judge = ScriptedMonitor([RIGHT], name="j")
    with RunDirectory(tmp_path) as run:
        _judge(run, records, subset, judge)
        key = min(records)
        prediction = records[key].prediction
        assert prediction is not None
        other = prediction.model_copy(update={"verification_point": "Something else. Entirely. Is it?"})
        records[key] = records[key].model_copy(update={"prediction": other})
        _judge(run, records, subset, judge)
    assert len(judge.requests) == len(subset)
