"""Cost: means by hand, what is unknown, judges apart, and the command."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from agentmonbench.loop import Step
from agentmonbench.monitors import Reply, Usage
from agentmonbench.runs import Key, RunDirectory
from experiments.cost import CostRow, Spent, costs_of, main, published_tokens
from experiments.main import main as main_job
from judges import Attempt, Judgement
from tests.experiments.stored_runs import record, write_run


def spent(
    example: str, method: str, tokens: tuple[int | None, int | None], usd: float | None, repeat: int = 0
) -> Spent:
    key = Key("specgap", example, method, "kimi", repeat)
    return Spent(key, "monitor", 4, 1, *tokens, 1_000, usd)


def by_method(rows: tuple[CostRow, ...]) -> dict[str, CostRow]:
    return {row.method: row for row in rows}


def test_repeats_are_averaged_before_examples() -> None:
    # a: (100 + 10 + 300 + 30) / 2 = 220, b: 1,100; together 660. Base has 200 and 400, so ebg takes 1,320 / 600 - 1.
    rows = by_method(
        costs_of(
            [
                spent("a", "base", (150, 50), 0.5),
                spent("b", "base", (300, 100), 0.5),
                spent("a", "ebg", (100, 10), 1.0, 0),
                spent("a", "ebg", (300, 30), 3.0, 1),
                spent("b", "ebg", (1_000, 100), 4.0),
            ],
            reference="base",
        )
    )
    ebg = rows["ebg"]
    assert (ebg.examples, ebg.reported, ebg.requests, ebg.repairs) == (2, 2, 4.0, 1.0)
    assert (ebg.input_tokens, ebg.output_tokens, ebg.tokens) == (600.0, 60.0, 660.0)
    assert ebg.relative == pytest.approx(1_320 / 600 - 1)
    assert (ebg.cost_usd, ebg.total_usd) == (3.0, 8.0)  # (2 + 4) / 2 an example, 1 + 3 + 4 in all
    assert rows["base"].relative == 0


def test_what_is_not_reported_is_not_guessed() -> None:
    (row,) = costs_of([spent("a", "ebg", (100, 10), None), spent("b", "ebg", (100, None), 1.0)], reference="base")
    assert (row.examples, row.reported, row.tokens, row.input_tokens) == (2, 1, 110.0, 100.0)
    assert (row.cost_usd, row.total_usd, row.relative, row.prompt_estimate) == (None, None, None, 1_000.0)


def test_the_published_token_ratios_follow() -> None:
    # The paper's table: Kimi K3 on SpecGAP 53,641.8 against 45,293.6, 18.4% more.
    rows = by_method(
        costs_of([spent("a", "base", (452_936, 0), 0.0), spent("a", "ebg", (536_418, 0), 0.0)], reference="base")
    )
    assert round(100 * (rows["ebg"].relative or 0), 1) == 18.4


def test_the_published_table_and_its_extremes(capsys: pytest.CaptureFixture[str]) -> None:
    # "EBG costs 3-51% more on SpecGAP and 22-62% more on SilentSwap, about 3% less on FeedbackTrace."
    percent = {
        name: [round(100 * row.relative) for row in published_tokens() if row.subset == name]
        for name in ("specgap", "silentswap", "feedbacktrace")
    }
    assert {name: (len(each), min(each), max(each)) for name, each in percent.items()} == {
        "specgap": (7, 3, 51),
        "silentswap": (7, 22, 62),
        "feedbacktrace": (7, -3, -2),
    }
    assert main(["--published"]) == 0
    assert "+18.4%" in capsys.readouterr().out
    assert main([]) == 2
    assert "give run folders, or --published" in capsys.readouterr().err


def test_judges_are_counted_apart(tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "run",
        "sample",
        [record("sg_001", "specgap", steps=(Step(round=1, reply="", input_tokens=70, output_tokens=7, cost_usd=0.1),))],
    )
    key = {"subset": "specgap", "example": "sg_001", "method": "ebg", "monitor": "kimi", "repeat": 0, "stage": 1}
    judgement = Judgement(
        judge="glm",
        subset="specgap",
        example_id="sg_001",
        repeat=0,
        question="",
        prompt_version=1,
        prompts={},
        status="ok",
        attempts=(
            Attempt("initial", None, ("the service gave no answer",)),
            Attempt("initial", Reply("{", usage=Usage(100, 10), cost_usd=0.25)),
            Attempt("format_repair_1", Reply("{}", usage=Usage(200, 20), cost_usd=0.5)),
        ),
        values={},
    )
    RunDirectory(run).judgments_log.append({**key, "judge": "glm", "judgement": judgement.to_record()})
    assert main([str(run), "--csv", str(tmp_path / "c.csv")]) == 0
    with (tmp_path / "c.csv").open(newline="") as file:
        rows = {row["spent_by"]: row for row in csv.DictReader(file)}
    assert (rows["monitor"]["tokens"], rows["monitor"]["total_usd"]) == ("77.0", "0.1")
    assert (rows["glm"]["requests"], rows["glm"]["repairs"]) == ("3.0", "1.0")
    assert (rows["glm"]["tokens"], rows["glm"]["total_usd"], rows["glm"]["prompt_estimate"]) == ("330.0", "0.75", "")


def test_the_command_on_the_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    options = ["--monitor", "lexical", "--subset", "silentswap", "--limit", "1", "--runs-dir", str(tmp_path)]
    assert main_job([*options, "--method", "base", "--name", "r"]) == 0
    capsys.readouterr()
    assert main([str(tmp_path / "r"), "--csv", str(tmp_path / "c.csv"), "--figure", str(tmp_path / "c")]) == 0
    assert "silentswap" in capsys.readouterr().out
    with (tmp_path / "c.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    # `lexical` is no model: it reports zero tokens, and the prompts are estimated.
    assert (row["tokens"], row["total_usd"], row["spent_by"]) == ("0.0", "0.0", "monitor")
    assert float(row["prompt_estimate"]) > 1_000
    assert (tmp_path / "c.svg").exists()


def test_the_same_predictions_are_not_counted_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--monitor", "empty", "--subset", "specgap", "--limit", "1", "--runs-dir", str(tmp_path)]
    assert main_job([*options, "--name", "r"]) == 0
    assert main([str(tmp_path / "r"), str(tmp_path / "r")]) == 2
    assert "a second time" in capsys.readouterr().err
    assert main([str(tmp_path)]) == 2
    assert "no manifest.json" in capsys.readouterr().err
