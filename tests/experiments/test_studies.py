"""Ablation, depth and rounds: the arms they run, the pairs they compare, and what cannot differ."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import subsets
from agentmonbench._comparison import Arm, ArmScores
from agentmonbench.runs import RunDirectory
from experiments import ablation, depth, rounds
from experiments._study import against, no_contrast, report
from experiments.ablation import ablations
from experiments.depth import depths


def arm(method: str, monitor: str = "m", run: str = "r", **values: float) -> ArmScores:
    return ArmScores(Arm(run, monitor, method), {("silentswap", "LS"): values}, {name: name for name in values})


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_variants_are_compared_within_a_run_and_a_monitor() -> None:
    arms = [arm("ebg"), arm("x"), arm("ebg", "n"), arm("x", "n"), arm("x", run="other")]
    assert [(a.arm, b.arm) for a, b in against(arms, "ebg")] == [
        (("r", "m", "ebg"), ("r", "m", "x")),
        (("r", "n", "ebg"), ("r", "n", "x")),
    ]


def test_a_difference_is_the_variant_minus_the_full_method(tmp_path: Path) -> None:
    # (0.2 - 0.5 + 0.1 - 0.2) / 2 = -0.2
    pairs = [(arm("ebg", a=0.5, b=0.2), arm("ebg-without-graph", a=0.2, b=0.1))]
    (found,) = report(pairs, csv_path=tmp_path / "d.csv", figure=None)
    assert found.result.difference.mean == pytest.approx(-0.2)
    (row,) = rows(tmp_path / "d.csv")
    assert (row["first_method"], row["second_method"]) == ("ebg", "ebg-without-graph")


def test_every_ablation_changes_what_is_shown_and_guidance_is_no_matter_of_sessions() -> None:
    example = subsets.load("specgap").example("sg_001")
    session = subsets.load("feedbacktrace").example("ft_001_long")
    names = ["ebg", "ebg-without-behavior", "ebg-without-graph", "ebg-without-guidance"]
    assert [method.name for method in ablations()] == names

    def shown(name: str) -> str:
        method = next(each for each in ablations() if each.name == name)
        workspace = method.open(example)
        # The file that the full directory names first; ids are the same in every directory.
        return workspace.index_text + workspace.read([first_id]).text

    full = ablations()[0].open(example)
    first_id = full.index_text.splitlines()[1].split(" | ")[0]
    assert len({shown(name) for name in names}) == 4
    assert [method.name for method in ablations() if method.supports(session)] == names[:3]
    assert len({method.open(session).index_text for method in ablations()[:3]}) == 3


def test_the_depths() -> None:
    assert [method.name for method in depths()] == ["base", "ebg", "ebg-2-hops", "ebg-3-hops"]


def test_the_ablation_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    options = ["--subset", "silentswap", "--limit", "2", "--runs-dir", str(tmp_path), "--name", "a"]
    target = tmp_path / "a.csv"
    assert ablation.main([*options, "--csv", str(target), "--figure", str(tmp_path / "a")]) == 0
    assert [(row["metric"], row["first_method"], row["second_method"]) for row in rows(target)] == [
        ("LS", "ebg", "ebg-without-behavior"),
        ("LS", "ebg", "ebg-without-graph"),
        ("LS", "ebg", "ebg-without-guidance"),
    ]
    assert (tmp_path / "a.svg").exists()
    assert "No contrast" not in capsys.readouterr().err


def test_what_was_never_seen_differently_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The empty monitor reads nothing, and a directory of so few files names them all without the graph, too.
    options = ["--monitor", "empty", "--subset", "specgap", "--limit", "1", "--runs-dir", str(tmp_path)]
    assert ablation.main([*options, "--name", "a"]) == 0
    same = ["ebg-without-behavior", "ebg-without-graph"]
    assert no_contrast(RunDirectory(tmp_path / "a"), "ebg") == [("specgap", name) for name in same]
    assert "No contrast: ebg-without-behavior showed nothing else than ebg on specgap" in capsys.readouterr().err


def test_the_depth_command(tmp_path: Path) -> None:
    options = ["--monitor", "empty", "--subset", "specgap", "--limit", "1", "--runs-dir", str(tmp_path)]
    assert depth.main([*options, "--name", "d", "--csv", str(tmp_path / "d.csv")]) == 0
    assert [(row["first_method"], row["second_method"]) for row in rows(tmp_path / "d.csv")] == [
        ("ebg", "ebg-2-hops"),
        ("ebg", "ebg-3-hops"),
        ("base", "ebg"),
        ("base", "ebg-2-hops"),
        ("base", "ebg-3-hops"),
    ]


def test_sessions_have_no_hops_and_no_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (depth.main, rounds.main):
        assert command(["--subset", "feedbacktrace"]) == 2
        assert "not defined for 'feedbacktrace'" in capsys.readouterr().err


def test_the_rounds_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--monitor", "empty", "--limit", "1", "--runs-dir", str(tmp_path / "runs"), "--name", "r"]
    assert rounds.main([*options, "--dry-run"]) == 0
    assert "Nothing was sent." in capsys.readouterr().out
    assert not (tmp_path / "runs").exists()
    assert rounds.main([*options, "--csv", str(tmp_path / "r.csv")]) == 0
    limits = {
        path.name: json.loads((path / "manifest.json").read_text())["settings"]["limits"]
        for path in (tmp_path / "runs").iterdir()
    }
    assert {name: next(iter(each.values()))["rounds"] for name, each in sorted(limits.items())} == {
        "r-silentswap-4": 4,
        "r-silentswap-5": 5,
        "r-silentswap-6": 6,
        "r-specgap-4": 4,
        "r-specgap-6": 6,
        "r-specgap-8": 8,
    }
    found = [
        (row["first_run"], row["first_method"], row["second_run"], row["second_method"])
        for row in rows(tmp_path / "r.csv")
    ]
    # Two smaller numbers for two methods and two subsets, then ebg against base in six runs.
    assert found[:2] == [("r-specgap-8", "base", "r-specgap-4", "base"), ("r-specgap-8", "ebg", "r-specgap-4", "ebg")]
    assert len(found) == 8 + 6
    assert ("r-silentswap-5", "base", "r-silentswap-5", "ebg") in found


def test_a_monitor_without_a_model_reads_a_session_without_its_graph(tmp_path: Path) -> None:
    options = ["--subset", "feedbacktrace", "--limit", "1", "--runs-dir", str(tmp_path), "--name", "a"]
    assert ablation.main(options) == 0
