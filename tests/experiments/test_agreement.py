"""Judge agreement: Table E3 from the published rows, and the same from the judgements of a run."""

from __future__ import annotations

import asyncio
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from agentmonbench._scoring import score_run
from agentmonbench._tables import scores_csv
from agentmonbench.examples import Example, Gold, SpecGapPrediction
from agentmonbench.loop import Record, Totals
from agentmonbench.monitors import ScriptedMonitor
from agentmonbench.runs import Key, RunDirectory
from experiments.agreement import main, published_agreement
from judges import Judgement, JudgementKey, ask, judge_run, judged_values, question_about
from judges.agreement import BatchValue, label_agreement, labels_of, value_agreement
from tests.judges.test_silentswap_judge import EXAMPLE, GOLD, PREDICTION, answer
from tests.judges.test_specgap_judge import EXAMPLE as SPECGAP
from tests.judges.test_specgap_judge import GOLD as SPECGAP_GOLD
from tests.judges.test_specgap_judge import QUESTION, match, rest
from tests.metrics.builders import finding, loc


def test_table_e3_from_the_published_rows() -> None:
    rows = published_agreement()
    assert {row.metric: round(row.mean_absolute_difference, 4) for row in rows} == {
        "SF1": 0.0336,
        "QQ": 0.0219,
        "LC": 0.0969,
        "CC": 0.0222,
        "VPA": 0.0953,
        "ESS": 0.0109,
    }
    assert (sum(row.direction.agree for row in rows), sum(row.direction.total for row in rows)) == (40, 48)
    assert {row.metric: row.disagreeing for row in rows} == {
        "SF1": ("Claude Sonnet 5", "DeepSeek-V4.1-Flash"),
        "QQ": ("DeepSeek-V4.1-Flash",),
        "LC": ("GPT-5.6 Luna", "Kimi K3", "GLM-5.3"),
        "CC": ("GPT-5.6 Luna", "GPT-5.6 Sol"),
        "VPA": (),
        "ESS": (),
    }
    rankings = {row.metric: [round(rho, 4) for rho in row.spearman.values()] for row in rows}
    assert rankings == {
        "SF1": [1.0, 0.9762],
        "QQ": [1.0, 0.9341],
        "LC": [0.9048, 0.9222],
        "CC": [0.9286, 0.9577],
        "VPA": [0.8982, 0.9755],
        "ESS": [0.9581, 0.8121],
    }


def test_the_command_prints_40_of_48_and_the_differences(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--published"]) == 0
    out = capsys.readouterr().out
    assert "Direction agreement: 40 of 48 (83.3%)" in out
    differences = [line.split()[2] for line in out.splitlines()[3:9]]
    assert differences == ["0.0336", "0.0219", "0.0969", "0.0222", "0.0953", "0.0109"]


def test_what_is_missing_on_one_side_is_left_out() -> None:
    values = [
        BatchValue(judge, monitor, method, "SF1", value)
        for judge in ("a", "b")
        for monitor, method, value in [("m1", "base", 0.1), ("m1", "ebg", 0.2), ("m2", "ebg", 0.3)]
    ]
    (row,) = value_agreement(values, ("a", "b"), reference="base", method="ebg")
    assert (row.direction, row.mean_absolute_difference) == ((1, 1), 0.0)


# --- A run ----------------------------------------------------------------------------------------------------------


def judged(name: str, question: Any, *answers: object) -> Judgement:
    script = [each if isinstance(each, str) else json.dumps(each) for each in answers]
    return asyncio.run(ask(ScriptedMonitor(script, name=name), question))


SWAPS = question_about(EXAMPLE, GOLD, PREDICTION)
HALF = {"matches": [match("F1", "kc_001", 0.5, 1)], "unmatched_findings": rest("F2")}
FULL = {"matches": [match("F1", "kc_001", 1, 0.5), match("F2", "kc_003", 1, 1)], "unmatched_findings": []}


def test_labels_of_a_judgement() -> None:
    labels = {dimension.name: units for dimension, units in labels_of(judged("glm", QUESTION, HALF)).items()}
    assert labels == {
        "match": {"sg_001/kc_001": 0.5, "sg_001/kc_003": 0.0},
        "question": {"sg_001/kc_001": 1.0},
    }
    swaps = {dimension.name: units for dimension, units in labels_of(judged("glm", SWAPS, answer(4, 3))).items()}
    assert list(swaps["location"].values()) == [1.0, 1.0, 1.0, 1.0, 0.0]
    assert list(swaps["change"].values()) == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert list(swaps["line_range_acceptable"].values()) == [1.0, 1.0, 1.0, 1.0, 0.0]
    assert len(swaps) == 12  # four and six booleans, and the two totals
    assert labels_of(judged("glm", SWAPS, "no")) == {}


def named(judgement: Judgement, method: str = "ebg") -> tuple[JudgementKey, Judgement]:
    return JudgementKey(Key("specgap", "sg_001", method, "kimi"), 1, judgement.judge), judgement


def test_labels_are_compared_where_both_judged() -> None:
    glm, qwen = judged("glm", QUESTION, HALF), judged("qwen", QUESTION, FULL)
    rows = {row.dimension.name: row for row in label_agreement(dict([named(glm), named(qwen)]))}
    assert (rows["match"].units, rows["match"].equal) == (2, 0.0)
    assert (rows["question"].units, rows["question"].equal) == (1, 0.0)
    # Answers of other methods are other units.
    assert [row.units for row in label_agreement(dict([named(glm), named(qwen, "base")]))] == [0, 0]


class OneExample:
    name = "specgap"
    source = "made here"
    fingerprint = "0"
    ids = ("sg_001",)

    def example(self, example_id: str) -> Example:
        return SPECGAP

    def gold(self, example_id: str) -> Gold:
        return SPECGAP_GOLD


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of one example with two methods and two judges."""
    records = {
        Key("specgap", "sg_001", method, "kimi"): Record(
            example_id="sg_001",
            subset="specgap",
            method=method,
            monitor="kimi",
            protocol="fair",
            second_stage="all",
            repeat=0,
            seed=0,
            limits={},
            prediction=SpecGapPrediction(findings=(finding("F1", loc("a.py", "f", "1-2")), finding("F2"))),
            totals=Totals.of(()),
        )
        for method in ("base", "ebg")
    }
    judges = [
        ScriptedMonitor([json.dumps(each) for each in said], name=name)
        for name, said in (("glm", (HALF, FULL)), ("qwen", (HALF, HALF)))
    ]
    subsets = {"specgap": OneExample()}
    with RunDirectory(tmp_path) as folder:
        asyncio.run(judge_run(folder, records, subsets, judges, jobs=1))
        scored = score_run(records, subsets, judged_values(folder, records))
    (tmp_path / "scores.csv").write_text(scores_csv(scored.rows), encoding="utf-8")
    return tmp_path


def test_the_command_reads_a_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = run / "agreement.csv"
    assert main([str(run), "--csv", str(target)]) == 0
    out = capsys.readouterr().out
    # base: both judges SF1 0.25 and QQ 1; ebg: glm 1 and 0.75, qwen as before. Only glm sees SF1 rise and QQ fall.
    assert "glm and qwen, ebg against base\nDirection agreement: 0 of 2 (0.0%)" in out
    assert "match" in out
    with target.open(encoding="utf-8", newline="") as file:
        rows = {(row["what"], row["statistic"], row["method"]): row for row in csv.DictReader(file)}
    assert rows["SF1", "mean_absolute_difference", "ebg against base"]["value"] == "0.375"  # (0 + 0.75) / 2
    assert rows["SF1", "spearman", "base"]["value"] == ""
    assert rows["match", "equal", ""]["n"] == "4"


def test_the_command_draws_a_figure(run: Path) -> None:
    pytest.importorskip("matplotlib")
    assert main([str(run), "--figure", str(run / "agreement")]) == 0
    assert (run / "agreement.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (run / "agreement.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "give run folders, or --published"), (["--published", "runs/x"], "give run folders, or --published")],
)
def test_a_wrong_command_line_is_told(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_folder_without_scores_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "scores.csv: no scores to compare" in capsys.readouterr().err


def test_a_broken_judgement_is_told(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "judgments.jsonl").write_text('{"judge": "glm"}\n', encoding="utf-8")
    assert main([str(run)]) == 2
    assert "a line is no judgement" in capsys.readouterr().err


def test_one_judge_alone_cannot_be_compared(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("scores.csv", "judgments.jsonl"):
        lines = (run / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (run / name).write_text("".join(line for line in lines if "qwen" not in line), encoding="utf-8")
    assert main([str(run)]) == 2
    assert "there are no two judges to compare" in capsys.readouterr().err
