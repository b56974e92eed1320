"""Comparing arms: paired, corrected, and plain when nothing is shown."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from agentmonbench.cli import main

COLUMNS = ("subset", "example", "method", "monitor", "repeat", "metric", "value", "cluster")


def _run(folder: Path, values: dict[tuple[str, str], list[float]], *, repeats: int = 1) -> Path:
    """Write the scores of a run: LS by (monitor, method), one value an example."""
    folder.mkdir(parents=True)
    rows = [
        ("silentswap", f"ss_{index:03}", method, monitor, repeat, "LS", value, f"ss_{index:03}")
        for (monitor, method), found in values.items()
        for index, value in enumerate(found)
        for repeat in range(repeats)
    ]
    with (folder / "scores.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return folder


def test_a_clear_difference_is_shown_and_a_small_one_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = [0.1, 0.2, 0.3, 0.2, 0.1, 0.2, 0.3, 0.2, 0.1, 0.2]
    run = _run(
        tmp_path / "run", {("m", "base"): base, ("m", "ebg"): [value + 0.5 for value in base], ("m", "same"): base}
    )
    assert main(["compare", str(run), "--json"]) == 0
    found = {(row["first_method"], row["second_method"]): row for row in json.loads(capsys.readouterr().out)}
    # Ten equal differences: of the 1,024 sign patterns only two are as extreme, p = 2/1024, mid-p half of that;
    # three comparisons, so Holm multiplies the smallest by three.
    shown = found["base", "ebg"]
    assert shown["difference"] == pytest.approx(0.5)
    assert shown["p"] == pytest.approx(1 / 1024)
    assert shown["adjusted_p"] == pytest.approx(3 / 1024)
    assert "the second is higher by 0.500" in shown["conclusion"]
    assert found["base", "same"]["difference"] == 0
    assert "nothing is shown" in found["base", "same"]["conclusion"]


def test_two_runs_are_compared_arm_by_arm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = _run(tmp_path / "before", {("m", "ebg"): [0.0, 0.5], ("n", "ebg"): [1.0, 1.0]})
    second = _run(tmp_path / "after", {("m", "ebg"): [0.5, 1.0]}, repeats=2)
    assert main(["compare", str(first), str(second), "--json", "--csv", str(tmp_path / "d.csv")]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["first_run"], row["second_run"], row["examples"], row["difference"]) == ("before", "after", 2, 0.5)
    assert len((tmp_path / "d.csv").read_text().splitlines()) == 2


def test_the_table_names_only_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = _run(tmp_path / "run", {("m", "base"): [0.0, 0.5], ("m", "ebg"): [0.5, 1.0]})
    assert main(["compare", str(run)]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "LS" in line)
    assert line.split()[:3] == ["LS", "base", "ebg"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["one"], "only one arm"),
        (["one", "other"], "share no monitor with the same method"),
        (["one", "one", "one"], "one run or two"),
        (["empty"], "no scores.csv"),
    ],
)
def test_what_cannot_be_compared_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: list[str], message: str
) -> None:
    _run(tmp_path / "one", {("m", "base"): [0.0]})
    _run(tmp_path / "other", {("n", "ebg"): [0.0], ("n", "base"): [0.0]})
    (tmp_path / "empty").mkdir()
    assert main(["compare", *(str(tmp_path / name) for name in names)]) == 2
    assert message in capsys.readouterr().err
