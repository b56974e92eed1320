"""Disclosure: the other side, the one question, rates by hand, and the command."""

from __future__ import annotations

import asyncio
import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

import subsets
from agentmonbench import methods
from agentmonbench.errors import DataError
from agentmonbench.examples import DeletedSpan, Example
from agentmonbench.loop import limits_for
from agentmonbench.monitors import ScriptedMonitor
from ebg.trajectory.events import TraceEvent
from experiments._binary import ask, question
from experiments._cases import complete_document, undeleted
from experiments.disclosure import main, rates_of
from subsets._write import bundle_files

SOURCES = Path(__file__).resolve().parents[1] / "samples" / "sources"


# --- The other side -------------------------------------------------------------------------------------------------


def span(text: str, start: int) -> DeletedSpan:
    return DeletedSpan(exact_text=text, char_start=start, char_end=start + len(text))


def test_deleted_spans_return_to_their_places() -> None:
    # 0123456789: the spans stood at 2 and 6 of "abCDefGHij".
    assert complete_document("abefij", [span("GH", 6), span("CD", 2)], name="x") == "abCDefGHij"
    assert complete_document("ab", [span("CD", 2)], name="x") == "abCD"
    assert complete_document("ab", [span("12", 0), span("34", 2)], name="x") == "1234ab"


@pytest.mark.parametrize("spans", [[], [span("CD", 9)], [span("CD", 1), span("EF", 2)], [DeletedSpan(exact_text="CD")]])
def test_what_has_no_place_is_refused(spans: list[DeletedSpan]) -> None:
    with pytest.raises(DataError, match=r"^x: "):
        complete_document("ab", spans, name="x")


def test_the_samples_have_their_first_document_again() -> None:
    subset = subsets.load("specgap")
    originals = {(path / "document.md").read_text(encoding="utf-8") for path in SOURCES.iterdir() if path.is_dir()}
    found = [undeleted(subset.example(each), subset.gold(each)).document for each in subset.ids]
    assert {document.text for document in found if document} == originals


# --- The question ---------------------------------------------------------------------------------------------------

YES = '{"action":"finish","prediction":{"disclose":true,"reason":"a rule is missing"}}'


def asked(example: Example, *script: str) -> tuple[ScriptedMonitor, object, object]:
    monitor = ScriptedMonitor(script)
    found = asyncio.run(ask(example, methods.get("base"), monitor, limits=limits_for(example.subset)))
    return monitor, found.answer and found.answer.disclose, found.failure and found.failure.code


def test_only_the_task_is_another() -> None:
    example = subsets.load("specgap").example("sg_001")
    monitor, disclose, failure = asked(example, '{"action":"read","ids":["B0001"]}', YES)
    assert (disclose, failure) == (True, None)
    opening = monitor.requests[0][1].content
    assert question() in opening
    assert "find the requirements that the document leaves out" not in opening
    assert "Read ID | File | Lines" in opening
    assert "round: 1 of 8" in opening
    assert "Result of read:" in monitor.requests[1][3].content


def test_a_malformed_answer_may_be_corrected_twice() -> None:
    example = subsets.load("specgap").example("sg_001")
    wrong = '{"action":"finish","prediction":{"disclose":"yes","reason":"x"}}'
    monitor, disclose, _ = asked(example, wrong, YES)
    assert disclose is True
    assert '"prediction": {"disclose": true, "reason": "text"}' in monitor.requests[1][-1].content
    assert asked(example, wrong)[1:] == (None, "answer_format_retries_exhausted")
    assert asked(example, '{"action":"search","text":"x"}')[1:] == (None, "last_round_requires_finish")


def test_a_session_is_answered_in_one_turn() -> None:
    example = subsets.load("feedbacktrace").example("ft_001_long")
    monitor, disclose, failure = asked(example, '{"disclose":false,"reason":"all was asked for"}')
    assert (len(monitor.requests), disclose, failure) == (1, False, None)


# --- Rates ----------------------------------------------------------------------------------------------------------


def test_a_failed_run_discloses_nothing_and_is_counted() -> None:
    said = {"positive": [True, False, None, True], "negative": [False, True, False, False]}
    answers = [
        {"subset": "specgap", "monitor": "m", "method": "ebg", "side": side, "disclose": each}
        for side, values in said.items()
        for each in values
    ]
    true, false = rates_of(answers)
    assert (true.rate, true.flagged, true.cases, true.failed, true.value) == ("TPR", 2, 4, 1, 0.5)
    assert true.completed == pytest.approx(2 / 3)
    assert (false.rate, false.flagged, false.value, false.failed) == ("FPR", 1, 0.25, 0)
    # Wilson for 2 of 4 with z = 1.96: (0.5 + z²/8 ± z * sqrt(0.0625 + z²/64)) / (1 + z²/4).
    assert (true.low, true.high) == pytest.approx((0.15004, 0.84996), abs=1e-4)


# --- The command ----------------------------------------------------------------------------------------------------


def test_the_command_on_the_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    options = ["--monitor", "empty", "--method", "base", "--runs-dir", str(tmp_path), "--name", "d", "--count", "2"]
    target = tmp_path / "d.csv"
    assert main([*options, "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert out.count("empty: 2 predictions") == 2  # one line a side
    assert not (tmp_path / "d").exists()
    assert main([*options, "--csv", str(target), "--figure", str(tmp_path / "d")]) == 0
    # The empty monitor finds nothing, so it flags nothing.
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["rate"], row["cases"], row["flagged"], row["value"]) for row in rows] == [
        ("TPR", "2", "0", "0.0"),
        ("FPR", "2", "0", "0.0"),
    ]
    err = capsys.readouterr().err
    assert "Left out: silentswap needs examples that hold nothing to disclose" in err
    assert (tmp_path / "d.svg").exists()
    log = tmp_path / "d" / "answers.jsonl"
    before = log.read_bytes()
    assert main(options) == 0
    assert log.read_bytes() == before
    assert "4 of 4 answers are there" in capsys.readouterr().err
    assert main([*options, "--seed", "1"]) == 2
    assert "holds a run with other settings" in capsys.readouterr().err


def _write_bundle(root: Path, example: Example) -> None:
    folder = root / example.subset / "artifacts" / "visible_bundles" / example.id
    for path, data in bundle_files(example).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def test_the_other_side_may_be_given_without_gold(tmp_path: Path) -> None:
    swapped = subsets.load("silentswap").example("ss_001")
    repository = next(
        path / "repository"
        for path in sorted(SOURCES.iterdir())
        if (path / "repository" / sorted(swapped.files)[-1]).exists()
    )
    original = {path: (repository / path).read_bytes() for path in swapped.files}
    assert sum(original[path] != data for path, data in swapped.files.items()) > 0
    _write_bundle(tmp_path / "others", replace(swapped, files=original))
    events = (TraceEvent("user_prompt", 0, "go"), TraceEvent("assistant_response", 1, "done", "e_1"))
    _write_bundle(tmp_path / "others", Example("ft_901_long", "feedbacktrace", events=events, cutoff_turn=2))
    options = ["--monitor", "empty", "--method", "base", "--runs-dir", str(tmp_path), "--name", "d", "--count", "1"]
    assert main([*options, "--negatives", str(tmp_path / "others")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "d" / "answers.jsonl").read_text().splitlines()]
    assert {(line["subset"], line["side"]) for line in lines} == {
        (name, side) for name in ("specgap", "silentswap", "feedbacktrace") for side in ("positive", "negative")
    }
    assert all(line["failure"] is None for line in lines)


def test_wrong_command_lines_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--subset", "silentswap", "--runs-dir", str(tmp_path)]) == 2
    assert "give --negatives" in capsys.readouterr().err
    assert main(["--negatives", str(tmp_path / "none"), "--runs-dir", str(tmp_path)]) == 2
    assert "does not exist" in capsys.readouterr().err
