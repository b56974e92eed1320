"""Failure stages: worked scoring example 17 through a run folder, the trace rule, and the command."""

from __future__ import annotations

import asyncio
import csv
import json
from pathlib import Path
from typing import Any

import pytest

import subsets
from agentmonbench.examples import FeedbackTracePrediction, SpecGapPrediction
from agentmonbench.loop import Failure, Step
from agentmonbench.metrics import gold_prediction
from agentmonbench.monitors import ScriptedMonitor
from agentmonbench.runs import RunDirectory
from ebg.trajectory.events import TraceEvent
from experiments.failure_stages import STAGES, ItemRow, main, stages_of
from experiments.main import main as main_job
from judges import Judgement, ask, question_about
from tests.experiments.stored_runs import read, record, specgap_example, write_run, write_source
from tests.judges.test_silentswap_judge import answer
from tests.metrics.builders import evidence, finding, loc, specgap_gold

FILES = {"m.py": "import x\n\ndef f():\n\n    return 1\n", "test_m.py": "def test_f():\n    assert f() == 1\n"}
OPENING = "Read ID | File | Lines\nB0001 | m.py | 1-5\nB0002 | test_m.py | 1-2\nF0003.S0002 | m.py | name | f@3\n"


def place(file: str, start: int, end: int) -> dict[str, Any]:
    return {"file": file, "symbol": "f", "line_ranges": [{"start": start, "end": end}]}


def source(folder: Path) -> Path:
    """Condition c1 is implemented in lines 3-5 of m.py, of which 4 is blank, and tested in test_m.py."""
    gold = specgap_gold({"c1": ("holistic_alignment", [], [evidence(("m.py", "f", "3-5"))])}).model_dump(mode="json")
    gold["conditions"][0] |= {
        "implementation_locations": [place("m.py", 3, 5)],
        "test_locations": [place("test_m.py", 1, 2)],
    }
    return write_source(folder, [(specgap_example(FILES), gold)])


def stages(run: Path, *options: str) -> list[dict[str, str]]:
    assert main([str(run), "--items", str(run / "items.csv"), *options]) == 0
    with (run / "items.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("step", "stage"),
    [
        (read(("m.py", 3, 3), ("m.py", 5, 5)), "model_judgment"),
        (read(("m.py", 3, 3)), "evidence_presentation"),
        (read(("test_m.py", 1, 1)), "file_selection"),
        (read(("test_m.py", 1, 2)), "unresolved"),
        # It was asked for, and nothing of it fitted: that is no matter of selection.
        (read(ids=["B0001"]), "evidence_presentation"),
        (read(ids=["F0003.S0002"]), "evidence_presentation"),
        (read(ids=["B0002"]), "file_selection"),
    ],
)
def test_example_17(tmp_path: Path, step: Step, stage: str) -> None:
    missed = record("sg_001", "specgap", opening=OPENING, steps=[step], prediction=SpecGapPrediction(findings=()))
    (row,) = stages(write_run(tmp_path / "run", source(tmp_path / "data"), [missed]))
    assert (row["item"], row["kind"], row["decided_by"]) == ("c1", "boundary_behavior", "rule LF1")
    assert row["stage"] == stage


def test_what_was_found_has_no_stage_and_half_is_missed(tmp_path: Path) -> None:
    shown = read(("m.py", 1, 5))
    cited = {
        "base": SpecGapPrediction(findings=(finding("F1", loc("m.py", "f", "3-5")),)),
        "ebg": SpecGapPrediction(findings=(finding("F1", loc("m.py", "g", "3-5")),)),  # the lines alone: 0.5
    }
    records = [record("sg_001", "specgap", method=name, steps=[shown], prediction=each) for name, each in cited.items()]
    rows = stages(write_run(tmp_path / "run", source(tmp_path / "data"), records))
    assert {row["method"]: row["stage"] for row in rows} == {"base": "", "ebg": "model_judgment"}


def test_failed_predictions_are_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failed = record("sg_001", "specgap", failure=Failure(code="provider_error", message="no"))
    assert stages(write_run(tmp_path / "run", source(tmp_path / "data"), [failed])) == []
    assert "1 predictions without a score of their own are left out" in capsys.readouterr().err


# --- Judges ---------------------------------------------------------------------------------------------------------


def test_a_stored_judge_decides_instead_of_the_rule(tmp_path: Path) -> None:
    found = SpecGapPrediction(findings=(finding("F1", loc("m.py", "f", "3-5")),))
    run = write_run(
        tmp_path / "run",
        source(tmp_path / "data"),
        [record("sg_001", "specgap", steps=[read(("m.py", 1, 5))], prediction=found)],
    )
    key = {"subset": "specgap", "example": "sg_001", "method": "ebg", "monitor": "kimi", "repeat": 0}
    for judge, match in (("glm", 0.5), ("qwen", 1.0), ("dead", None)):
        answer = {"matches": [{"condition_id": "c1", "match_score": match}], "unmatched_conditions": []}
        judgement = Judgement(
            judge=judge,
            subset="specgap",
            example_id="sg_001",
            repeat=0,
            question="",
            prompt_version=1,
            prompts={},
            status="ok" if match else "failed",
            attempts=(),
            values={},
            answer=answer if match else None,
        )
        line = {**key, "stage": 1, "judge": judge, "judgement": judgement.to_record()}
        RunDirectory(run).judgments_log.append(line)
    rows = stages(run)
    assert {row["decided_by"]: row["stage"] for row in rows} == {"glm": "model_judgment", "qwen": ""}


def test_example_16_places_are_those_of_the_first_stage(tmp_path: Path) -> None:
    # Stage 1 has three places right, stage 2 all five: two swaps were missed.
    subset = subsets.load("silentswap")
    made = gold_prediction(subset.gold("ss_001"))
    run = write_run(
        tmp_path / "run", "sample", [record("ss_001", "silentswap", prediction=made, second_prediction=made)]
    )
    question = question_about(subset.example("ss_001"), subset.gold("ss_001"), made)
    for stage, located in ((1, 3), (2, 5)):
        judge = ScriptedMonitor([json.dumps(answer(located, 5))], name="glm")
        line = {"subset": "silentswap", "example": "ss_001", "method": "ebg", "monitor": "kimi", "repeat": 0}
        judgement = asyncio.run(ask(judge, question)).to_record()
        RunDirectory(run).judgments_log.append({**line, "stage": stage, "judge": "glm", "judgement": judgement})
    rows = stages(run)
    assert [(row["item"], row["stage"]) for row in rows] == [
        ("swap 1", ""),
        ("swap 2", ""),
        ("swap 3", ""),
        ("swap 4", "file_selection"),  # nothing was read at all
        ("swap 5", "file_selection"),
    ]


# --- Sessions -------------------------------------------------------------------------------------------------------

CONTENT = "first half, second half"


def session(tmp_path: Path, view: dict[str, Any], *, cited: str) -> list[dict[str, str]]:
    from agentmonbench.examples import Example

    example = Example(
        id="ft_001_long",
        subset="feedbacktrace",
        events=(
            TraceEvent("user_prompt", 0, "go", None, None),
            TraceEvent("assistant_response", 1, CONTENT, "e_1", None),
            TraceEvent("assistant_response", 2, "other", "e_2", None),
        ),
        cutoff_turn=3,
    )
    gold = {
        "input_id": "ft_001_long",
        "benchmark": "feedbacktrace",
        "verdict": "KEY",
        "verification_point": "The agent halved it.",
        "evidence_ids": ["e_1"],
        "feedback_type": "correction",
    }
    run_input = json.dumps({"example": "ft_001_long", "subset": "feedbacktrace", "marker": "mm"})
    opening = f"# Run input\n\n{run_input}\n\n<<<DATA mm\n{json.dumps(view)}\nmm DATA>>>"
    answer = FeedbackTracePrediction(
        verification_point="p", supporting_evidence_ids=(cited,), criticality="must_disclose"
    )
    data = write_source(tmp_path / "data", [(example, gold)])
    return stages(
        write_run(tmp_path / "run", data, [record("ft_001_long", "feedbacktrace", opening=opening, prediction=answer)])
    )


def scope(status: str, *texts: str) -> dict[str, Any]:
    return {
        "status": status,
        "behaviors": [{"demand": [], "action": [], "response": [{"evidence_id": "e_1", "content": t} for t in texts]}],
    }


@pytest.mark.parametrize(
    ("view", "stage"),
    [
        ({"events": [{"evidence_id": "e_1", "content": CONTENT}]}, "model_judgment"),
        ({"events": [{"evidence_id": "e_2", "content": "other"}]}, "evidence_presentation"),
        ({"task_scopes": [scope("history"), scope("current", CONTENT)]}, "model_judgment"),
        ({"task_scopes": [scope("history", CONTENT), scope("current")]}, "evidence_presentation"),
        # Two excerpts that leave out only the space between them are complete, one alone is not.
        ({"task_scopes": [scope("current", "first half,", "second half")]}, "model_judgment"),
        ({"task_scopes": [scope("current", "first half,")]}, "unresolved"),
    ],
)
def test_the_trace_rule(tmp_path: Path, view: dict[str, Any], stage: str) -> None:
    (row,) = session(tmp_path, view, cited="e_2")
    assert (row["kind"], row["decided_by"], row["stage"]) == ("correction", "rule EHR", stage)


def test_a_hit_is_no_failure(tmp_path: Path) -> None:
    (row,) = session(tmp_path, {"events": []}, cited="e_1")
    assert row["stage"] == ""


# --- Counts ---------------------------------------------------------------------------------------------------------


def test_shares_are_of_resolved_failures() -> None:
    found = ["model_judgment", "model_judgment", "file_selection", "unresolved", ""]
    rows = [
        ItemRow("specgap", f"sg_{index}", "ebg", "kimi", 0, "glm", "c1", kind, stage)
        for index, (kind, stage) in enumerate(zip(["a", "a", "b", "b", "b"], found, strict=True))
    ]
    table = {(row.kind, row.stage): row for row in stages_of(rows)}
    assert [(table["all", stage].lost, table["all", stage].share) for stage in STAGES] == [
        (2, 2 / 3),
        (1, 1 / 3),
        (0, 0.0),
        (1, None),
    ]
    assert (table["all", "unresolved"].items, table["all", "unresolved"].failed) == (5, 4)
    # Kind b: one resolved failure, one unresolved, one found.
    assert (table["b", "file_selection"].items, table["b", "file_selection"].share) == (3, 1.0)


# --- The command ----------------------------------------------------------------------------------------------------


def test_the_command_on_the_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert main_job(["--monitor", "empty", "--method", "base", "--runs-dir", str(tmp_path), "--name", "floor"]) == 0
    capsys.readouterr()
    rows = stages(tmp_path / "floor", "--csv", str(tmp_path / "s.csv"), "--figure", str(tmp_path / "s"))
    out, err = capsys.readouterr()
    # Nothing was read, so every condition and swap was lost before any file was selected; sessions are shown whole.
    by_subset = {name: {row["stage"] for row in rows if row["subset"] == name} for name in ("specgap", "silentswap")}
    assert by_subset == {"specgap": {"file_selection"}, "silentswap": {"file_selection"}}
    assert {row["stage"] for row in rows if row["subset"] == "feedbacktrace"} <= {"model_judgment", ""}
    assert "20 (100.0%)" in out
    assert "decided by rule EHR, rule LF1, rule LS" in err
    with (tmp_path / "s.csv").open(newline="") as file:
        shares = {(row["subset"], row["kind"], row["stage"]): row for row in csv.DictReader(file)}
    assert shares["silentswap", "all", "file_selection"]["share"] == "1.0"
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "s.svg").read_text(encoding="utf-8")


def test_other_data_than_the_run_saw_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = record("sg_001", "specgap", prediction=SpecGapPrediction(findings=()))
    run = write_run(tmp_path / "run", source(tmp_path / "data"), [empty])
    assert main([str(run), "--source", "sample"]) == 2
    assert "is not what" in capsys.readouterr().err
    assert main([str(tmp_path)]) == 2
    assert "no manifest.json" in capsys.readouterr().err
