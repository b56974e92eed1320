"""Input size: worked scoring example 15, means, gains and slopes by hand, and the command."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

import subsets
from agentmonbench._comparison import Arm, ArmScores
from ebg.tokens import TokenCounter
from experiments._slopes import slope
from experiments.input_size import SizeRow, input_tokens, main, rows_of
from experiments.main import main as main_job

SIZES = {"a": 5, "b": 5, "c": 5, "d": 9, "e": 9, "f": 1, "g": 20}


def arm(method: str, values: dict[str, float], monitor: str = "kimi") -> ArmScores:
    return ArmScores(Arm("run", monitor, method), {("silentswap", "LS"): values}, {name: name for name in values})


def table(*arms: ArmScores, sizes: dict[str, int] = SIZES) -> dict[tuple[str, str, str, str], SizeRow]:
    rows = rows_of({"silentswap": sizes}, arms, metrics=["LS"], reference="base")
    return {(row.monitor, row.method, row.statistic, row.group): row for row in rows}


def test_example_15_groups() -> None:
    # Low f, a; Medium b, c; High d, e, g.
    rows = table(arm("base", {"f": 1.0, "a": 0.5, "b": 0.5, "c": 0.0, "d": 0.0, "e": 0.0, "g": 0.3}))
    found = [rows["kimi", "base", "mean", group] for group in ("Low", "Medium", "High")]
    assert [(row.examples, row.median_tokens) for row in found] == [(2, 3.0), (2, 5.0), (3, 9.0)]
    assert [row.value for row in found] == pytest.approx([0.75, 0.25, 0.1])


def test_gains_are_paired_and_relative_to_the_reference() -> None:
    base = dict.fromkeys(SIZES, 0.25) | {"d": 0.0, "e": 0.0, "g": 0.0}
    rows = table(arm("base", base), arm("ebg", dict.fromkeys(SIZES, 0.5)))
    assert rows["kimi", "ebg", "difference", "Low"].value == 0.25
    assert rows["kimi", "ebg", "relative_gain", "Low"].value == 100.0  # (0.5 - 0.25) / 0.25
    assert rows["kimi", "ebg", "relative_gain", "High"].value is None  # nothing to be relative to
    assert ("kimi", "base", "difference", "Low") not in rows


def test_several_monitors_have_a_mean() -> None:
    one = arm("ebg", dict.fromkeys(SIZES, 0.2), "kimi")
    two = arm("ebg", dict.fromkeys(SIZES, 0.6), "luna")
    assert table(one, two)["mean", "ebg", "mean", "Low"].value == pytest.approx(0.4)
    assert ("mean", "ebg", "mean", "Low") not in table(one)


def test_the_slope_is_per_doubling() -> None:
    # LS falls by 0.1 with every doubling: 1, 2, 4, 8 tokens.
    sizes = {"a": 1, "b": 2, "c": 4, "d": 8}
    values = {"a": 0.8, "b": 0.7, "c": 0.6, "d": 0.5}
    row = table(arm("base", values), sizes=sizes)["kimi", "base", "slope", ""]
    assert (row.value, row.low, row.high) == pytest.approx((-0.1, -0.1, -0.1))


def test_a_slope_by_hand_and_where_there_is_none() -> None:
    # x 0, 1, 2; y 0, 1, 0.5: sum of (x - 1) * (y - 0.5) = 0.5, of (x - 1)^2 = 2.
    found = slope({"a": 0, "b": 1, "c": 2}, {"a": 0, "b": 1, "c": 0.5}, seed=1)
    assert found.value == pytest.approx(0.25)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 0.25 <= found.high
    one = slope({"a": 0, "b": 1}, {"a": 0, "b": 1}, seed=1, clusters={"a": "r", "b": "r"})
    assert (one.value, one.low, one.high) == (1.0, None, None)
    assert slope({"a": 1, "b": 1}, {"a": 0, "b": 1}, seed=1) == (None, None, None)
    assert slope({}, {"a": 0}, seed=1) == (None, None, None)


def test_examples_of_one_repository_are_drawn_together() -> None:
    x = {f"{index:02}": float(index % 4) for index in range(16)}
    y = {name: math.sin(7 * float(name)) for name in x}
    alone = slope(x, y, seed=3)
    # Every example four times in its cluster is no more evidence than once.
    copies = {f"{name}.{copy}": name for name in x for copy in range(4)}
    together = slope(
        {each: x[name] for each, name in copies.items()},
        {each: y[name] for each, name in copies.items()},
        seed=3,
        clusters=copies,
    )
    assert together == pytest.approx(alone)


def test_tokens_are_those_of_what_may_be_selected() -> None:
    words = TokenCounter("words", lambda text: len(text.split()))
    session = subsets.load("feedbacktrace").example("ft_001_long")
    expected = sum(len(event.content.split()) for event in session.events if event.evidence_id is not None)
    assert input_tokens(session, words) == expected
    example = subsets.load("specgap").example("sg_001")
    production = [path for path in example.files if not path.startswith("tests/")]
    texts = [example.files[path].decode() for path in production] + [example.document.text if example.document else ""]
    assert input_tokens(example, words) == sum(len(text.split()) for text in texts)


def test_the_command_on_the_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    options = ["--monitor", "empty", "--method", "base", "--runs-dir", str(tmp_path), "--name", "r"]
    assert main_job(options) == 0
    capsys.readouterr()
    assert main([str(tmp_path / "r"), "--csv", str(tmp_path / "s.csv"), "--figure", str(tmp_path / "s")]) == 0
    out, err = capsys.readouterr()
    assert "Per doubling" in out
    assert "groups of equal size within each subset" in err
    with (tmp_path / "s.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["statistic"] == "mean"]
    # Four examples of each subset: 4 // 3 = 1 Low, 8 // 3 - 1 = 1 Medium, 2 High.
    assert [row["examples"] for row in rows if row["metric"] == "LS"] == ["1", "1", "2"]
    assert (tmp_path / "s.svg").exists()
    assert main([str(tmp_path / "r"), "--metric", "SF1"]) == 2
    assert "no scores of SF1" in capsys.readouterr().err
