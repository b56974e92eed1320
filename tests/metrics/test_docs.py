"""docs/metrics.md: its code blocks run, and its table is the registry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentmonbench.metrics import METRICS


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "metrics.md").read_text(encoding="utf-8")


def test_every_code_block_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/metrics.md", "exec"), names)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "{'LF1': 1.0, 'LF1-strict': 1.0}"
    assert "ok ['initial', 'content_repair_1']" in said
    assert "finding 'F001' is in neither list" in said
    assert "{'SF1': 1.0, 'QQ': 0.5}" in said
    # 13 of 40 are at 0.6 and 27 at 0.2 against 10 at 0.4 and 30 at 0.2: mean difference (5.2 - 2) / 40.
    assert said[-2].startswith("+0.080 [+0.0")
    assert said[-1] == "nothing is shown (p = 0.068); a true difference below 0.096 would often be missed"


def test_the_table_is_the_registry(page: str) -> None:
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| metric |")]
    assert rows == [
        f"| {each.name} | {each.subset} | {each.source} | {each.description} | {each.part} |" for each in METRICS
    ]
