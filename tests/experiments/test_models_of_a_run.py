"""A run with models from the command line: an own endpoint, a cache, a limit on money, other settings refused."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from agentmonbench.testing import Answer, ScriptedProvider
from experiments.main import main

ROOT = Path(__file__).resolve().parents[2]
NOTHING = Answer('{"action":"finish","prediction":{"findings":[]}}')
MODELS = """
[monitors.house]
model = "openai/house"
price = { input = 1000.0, output = 0.0 }
"""
"""A thousand input tokens cost one dollar."""


async def _command(provider: ScriptedProvider, runs: Path, *options: str) -> tuple[int, str]:
    words = ["--monitor", "house", "--method", "base", "--subset", "specgap", "--name", "run", "--jobs", "1"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "experiments.main", *words, "--client", "direct", "--api-base", provider.api_base),
        *("--runs-dir", str(runs), "--monitors-file", str(runs / "models.toml"), *options),
        cwd=ROOT,
        env={**os.environ, "AGENTMONBENCH_API_KEY": "unused"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode()


def test_a_limit_on_money_ends_a_run_that_goes_on_later_and_pays_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(MODELS)

    async def run() -> tuple[list[tuple[int, str]], list[int]]:
        ends, sent = [], []
        async with ScriptedProvider([NOTHING]) as provider:
            for options in (["--max-cost", "0.01"], ["--max-cost", "0.01"], [], ["--seed", "7"]):
                ends.append(await _command(provider, tmp_path, *options))
                sent.append(len(provider.requests))
        return ends, sent

    ends, sent = asyncio.run(run())
    # One call reaches the limit; what was paid before counts in the second run; then the other three.
    assert sent == [1, 1, 4, 4]
    assert [code for code, _ in ends] == [3, 3, 0, 2]
    assert "3 predictions were not made" in ends[0][1]
    assert "seed: 0 there, 7 asked" in ends[3][1]
    assert (tmp_path / "answers.sqlite3").is_file()


def test_kept_answers_are_used_by_another_run(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(MODELS)

    async def run() -> list[int]:
        sent = []
        async with ScriptedProvider([NOTHING]) as provider:
            for options in (["--limit", "2"], ["--limit", "2", "--name", "other"], ["--limit", "2", "--name", "third"]):
                more = ["--no-cache"] if "third" in options else []
                code, text = await _command(provider, tmp_path, *options, *more)
                assert code == 0, text
                sent.append(len(provider.requests))
        return sent

    assert asyncio.run(run()) == [2, 2, 4]


def test_a_limit_needs_known_prices(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTMONBENCH_API_KEY", "unused")
    options = ["--monitor", "mine", "--api-base", "http://127.0.0.1:9", "--max-cost", "1", "--runs-dir", str(tmp_path)]
    assert main(options) == 2
    assert "the price of mine is not known" in capsys.readouterr().err
    assert main(["--monitor", "lexical", "--max-cost", "-1", "--runs-dir", str(tmp_path)]) == 2
    assert "positive number" in capsys.readouterr().err
