"""Every experiment is a command with worked examples, and is on the map."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

EXPERIMENTS = (
    "ablation",
    "agreement",
    "compare",
    "cost",
    "coverage",
    "depth",
    "disclosure",
    "failure_stages",
    "input_size",
    "main",
    "published",
    "rounds",
)


def test_the_list_is_whole(root: Path) -> None:
    assert tuple(sorted(path.stem for path in (root / "experiments").glob("[!_]*.py"))) == EXPERIMENTS


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_help_shows_two_worked_examples(name: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert importlib.import_module(f"experiments.{name}").main(["--help"]) == 0
    call = "agentmonbench compare" if name == "compare" else f"python -m experiments.{name}"
    assert capsys.readouterr().out.partition("Examples:")[2].count(call) >= 2
    assert call in (root / "experiments" / "README.md").read_text(encoding="utf-8")
