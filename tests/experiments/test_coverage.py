"""Coverage: what a form of input shows of the gold within a budget, without any model."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import subsets
from agentmonbench import methods
from agentmonbench._coverage import Covered, coverage, gold_lines, read_in_order
from experiments.coverage import Curve, Row, curves_of, main

METHODS = ("base", "repograph", "ebg")


@pytest.mark.parametrize("method", METHODS)
def test_more_tokens_never_show_less_and_the_budget_holds(method: str) -> None:
    subset = subsets.load("silentswap", limit=1)
    example, gold = subset.example("ss_001"), subset.gold("ss_001")
    found = [coverage(example, gold, methods.get(method), budget) for budget in (64, 4_096, 8_192, 65_536)]
    assert found[0].shown == 0
    assert [each.tokens <= budget for each, budget in zip(found[1:], (4_096, 8_192, 65_536), strict=True)] == [True] * 3
    assert found[1].shown <= found[3].shown


@pytest.mark.parametrize("method", ["base", "ebg"])
def test_everything_is_reachable_with_enough_tokens(method: str) -> None:
    subset = subsets.load("specgap", limit=1)
    found = coverage(subset.example("sg_001"), subset.gold("sg_001"), methods.get(method), 1_000_000)
    assert (found.shown, found.complete) == (found.gold, found.items)


def test_gold_lines_are_the_lines_of_the_gold_places_that_are_not_blank() -> None:
    subset = subsets.load("silentswap", limit=1)
    example, gold = subset.example("ss_001"), subset.gold("ss_001")
    items = gold_lines(example, gold)
    assert list(items) == ["swap 1", "swap 2", "swap 3", "swap 4", "swap 5"]
    for places in items.values():
        for path, lines in places.items():
            text = example.files[path].decode().split("\n")
            assert all(text[line - 1].strip() for line in lines)


def test_shown_lines_are_lines_of_the_files() -> None:
    example = subsets.load("specgap").example("sg_001")
    shown, _ = read_in_order(example, methods.get("ebg"), 16_384)
    for path, lines in shown.lines.items():
        assert max(lines) <= len(example.files[path].decode().splitlines())


def test_shares_are_over_all_lines_not_means_of_examples() -> None:
    # (8 + 0) / (8 + 2) = 0.8 of the lines, (2 + 0) / (2 + 1) of the items
    rows = [
        Row("specgap", "a", "ebg", 4096, 8, 8, 2, 2, 100),
        Row("specgap", "b", "ebg", 4096, 2, 0, 1, 0, 300),
    ]
    assert curves_of(rows) == (Curve("specgap", "ebg", 4096, 2, 0.8, 2 / 3, 200.0),)
    assert Covered(gold=0, shown=0, items=0, complete=0, tokens=0).gold == 0


def test_the_command_writes_a_tidy_file_and_a_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--subset", "specgap", "--limit", "1", "--method", "base", "--budget", "4096", "--budget", "16384"]
    assert main([*words, "--csv", str(tmp_path / "c.csv"), "--figure", str(tmp_path / "c")]) == 0
    rows = list(csv.DictReader((tmp_path / "c.csv").read_text().splitlines()))
    assert [(row["method"], row["budget"]) for row in rows] == [("base", "4096"), ("base", "16384")]
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    first = (tmp_path / "c.svg").read_bytes()
    assert main([*words, "--figure", str(tmp_path / "d")]) == 0
    assert (tmp_path / "d.svg").read_bytes() == first
    assert "16,384" in capsys.readouterr().out


def test_sessions_have_no_coverage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--subset", "feedbacktrace"]) == 2
    assert "valid: specgap, silentswap" in capsys.readouterr().err
