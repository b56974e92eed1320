"""The benchmark from Python: one call, custom monitors and methods as one class each, and runs as frames."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import agentmonbench as amb
import subsets
from agentmonbench import runs
from agentmonbench._frames import COLUMNS
from agentmonbench.errors import DataError, UsageError
from agentmonbench.examples import Example
from agentmonbench.methods import DEFAULT_BUDGETS, Shown, ToolReply
from agentmonbench.monitors import Message, Reply
from ebg.view import Budgets


class FirstLine:
    """A monitor of one's own: reports the first line of the first file it is shown."""

    name = "first-line"

    async def reply(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:
        finding = {
            "finding_id": "F001",
            "claim": "The first line matters.",
            "verification_question": "Is the first line right?",
            "why_important": "It comes first.",
            "downstream_impact": "Everything follows.",
            "code_evidence": [
                {"path": "a.py", "start_line": 1, "end_line": 1, "symbol": "<module>", "explanation": "line 1"}
            ],
        }
        return Reply(json.dumps({"action": "finish", "prediction": {"findings": [finding]}}))


class WholeFile:
    """A method of one's own: shows everything at once."""

    name = "whole-file"

    def supports(self, example: Example) -> bool:
        return example.subset == "specgap"

    def open(self, example: Example, *, budgets: Budgets = DEFAULT_BUDGETS) -> _Everything:
        return _Everything(example)


class _Everything:
    input_note = "All files are below."
    max_read_ids = 1

    def __init__(self, example: Example) -> None:
        self.shown = Shown()
        lines = ("x = 1\n", "y = 2\n")
        self.files = {"a.py": lines}
        self.leading_files = ("a.py",)
        self.index_text = "a.py\n1 | x = 1\n2 | y = 2\n"
        self.shown.add_lines("a.py", 1, 2)

    def search(self, query: str) -> ToolReply:
        return ToolReply("nothing more")

    def read(self, ids: Sequence[str]) -> ToolReply:
        return ToolReply("nothing more")


def test_a_monitor_and_a_method_of_ones_own_need_one_class_each(tmp_path: Path) -> None:
    results = amb.run(subsets.load("specgap", limit=1), WholeFile(), FirstLine(), runs_dir=tmp_path)
    assert results.failed == 0
    assert {(row.method, row.monitor) for row in results.rows} == {("whole-file", "first-line")}
    frames = runs.load(results.path)
    first = frames.shown.to_dict("records")[0]
    assert (first["example"], first["step"], first["action"]) == ("sg_001", 0, "opening")
    assert (first["path"], first["start"], first["end"]) == ("a.py", 1, 2)


def test_frames_have_the_documented_columns(tmp_path: Path) -> None:
    every = [subsets.load(name, limit=1) for name in ("specgap", "feedbacktrace")]
    frames = runs.load(amb.run(every, "base", "empty", runs_dir=tmp_path, name="r").path)
    for name, columns in COLUMNS.items():
        key = ["subset", "example", "method", "monitor", "repeat"]
        assert list(getattr(frames, name).columns) == [*key, *columns]
    assert list(frames.predictions["items"]) == [1, 0]  # feedbacktrace needs an answer, specgap may be empty
    assert frames.scores["judge"].eq("").all()


def test_an_unscored_run_has_no_frames(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"schema_version": 1, "settings": {}}')
    with pytest.raises(DataError, match=r"no scores\.csv yet"):
        runs.load(tmp_path)


def test_the_same_call_resumes_and_a_wrong_name_is_named(tmp_path: Path) -> None:
    subset = subsets.load("specgap", limit=1)
    first = amb.run(subset, "base", "empty", runs_dir=tmp_path)
    second = asyncio.run(amb.run_async(subset, "base", "empty", runs_dir=tmp_path))
    assert first.path == second.path
    assert first.rows == second.rows
    with pytest.raises(UsageError, match="valid: base, ebg, repograph"):
        amb.run(subset, "nope", "empty", runs_dir=tmp_path)
