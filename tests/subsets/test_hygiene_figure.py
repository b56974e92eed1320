"""Reliability figure 12 as a command: clean samples pass, and each kind of fault is counted."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

import subsets
from agentmonbench import methods
from agentmonbench.loop import run_example
from agentmonbench.monitors import EmptyMonitor
from benchmarks import hygiene

SAMPLES = Path(subsets.__file__).parent / "samples"


def test_a_broken_file_fails_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "samples"
    shutil.copytree(SAMPLES, folder)
    shutil.rmtree(folder / "silentswap")
    shutil.rmtree(folder / "specgap")
    assert hygiene.main([str(folder)]) == 0
    assert "examples that pass all checks: 4 of 4" in capsys.readouterr().out

    broken = next(folder.rglob("model_input.json"))
    broken.write_bytes(broken.read_bytes()[:-20])
    assert hygiene.main([str(folder)]) == 1
    assert "broken rules: 0" not in capsys.readouterr().out


def test_a_method_that_is_told_more_is_seen() -> None:
    subset = subsets.load("specgap")
    example = subset.example(subset.ids[0])
    record = asyncio.run(run_example(example, methods.get("ebg"), EmptyMonitor()))
    favoured = record.model_copy(
        update={"opening": record.opening.replace("# Document", "Look at the last function.\n\n# Document")}
    )
    assert "# Document" in hygiene.task_text(record)
    assert hygiene.task_text(favoured) != hygiene.task_text(record)


def test_gold_that_no_method_can_show_is_seen() -> None:
    subset = subsets.load("silentswap")
    first, second = subset.ids[:2]
    arms = [methods.get("base")]
    assert all(hygiene.check_example(subset.example(first), subset.gold(first), arms).passed.values())
    # The answer is made from gold whose places the repository does not have.
    elsewhere = subset.gold(second).model_copy(update={"input_id": first})
    assert not hygiene.check_example(subset.example(first), elsewhere, arms).passed["gold is 1.0"]
