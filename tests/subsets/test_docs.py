"""The code blocks of docs/data.md run, in their order, as a reader would run them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("datasets")

PAGE = Path(__file__).resolve().parents[2] / "docs/data.md"


def test_every_code_block_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 8
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == [
        "<Subset specgap: 4 examples from 'sample'>",
        "('sg_001', 'sg_002', 'sg_003', 'sg_004')",
    ]
    assert any(line.startswith("the Hub cannot be reached (") for line in said)
