"""Cost: means by hand, what is unknown, judges apart, and the command."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from agentmonbench.runs import Key
from experiments.cost import CostRow, Spent, costs_of, main
from experiments.main import main as main_job


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
