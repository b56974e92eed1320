"""The forty hostile inputs of reliability figure 8, read in this process; the benchmark measures them in their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import hostile_cases  # noqa: E402
import hostile_inputs  # noqa: E402


def test_there_are_forty() -> None:
    assert len({case.name for case in hostile_cases.CASES}) == 40


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name.replace(" ", "-"), marks=[pytest.mark.slow] if case.slow else [])
        for case in hostile_cases.CASES
    ],
)
def test_nothing_escapes(case: hostile_cases.Case, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text(hostile_cases.SECRET)
    case.make(tmp_path / "source")
    before = hostile_inputs._snapshot(tmp_path)
    outcome = hostile_inputs.read(tmp_path / "source")
    assert hostile_inputs.faults(case, outcome) == []
    assert hostile_inputs._snapshot(tmp_path) == before


def test_the_benchmark_counts_an_escape(tmp_path: Path) -> None:
    # The opposite of what the case expects: a sound source where a refusal is due.
    case = hostile_cases.Case("sound", "refused", "", hostile_cases.hostile_release)
    case.make(tmp_path / "source")
    assert hostile_inputs.faults(case, hostile_inputs.read(tmp_path / "source")) == ["data instead of refused"]


def test_the_benchmark_runs_a_case_in_a_process_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["hostile_inputs.py", "--only", "parent folders"])
    assert hostile_inputs.main() == 0
    assert capsys.readouterr().out.splitlines()[-1] == "0 escapes of 1"
