"""The main job as its user meets it: a command line, a table, a run folder that resumes, exit codes with a meaning."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import subsets
from experiments.main import main

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ("predictions.jsonl", "scores.csv", "summary.csv", "details.jsonl", "report.html", "manifest.json")


def _run(runs: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "experiments.main", "--runs-dir", str(runs), *options]


def _bytes(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in RESULTS}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the floor over all samples."""
    runs = tmp_path_factory.mktemp("runs")
    assert main(["--monitor", "empty", "--method", "base", "--runs-dir", str(runs), "--name", "floor"]) == 0
    return runs / "floor"


def test_the_run_folder_holds_everything(finished: Path) -> None:
    assert sorted(path.name for path in finished.iterdir()) == sorted([".lock", *RESULTS])
    manifest = json.loads((finished / "manifest.json").read_text())
    assert manifest["settings"]["methods"] == ["base"]
    assert set(manifest["settings"]["subsets"]) == {"specgap", "silentswap", "feedbacktrace"}
    assert manifest["sources"]["specgap"] == "sample"
    rows = list(csv.DictReader((finished / "scores.csv").read_text().splitlines()))
    # LF1 and LS of an empty answer are 0 by rule (specification parts 2.3 and 2.4)
    assert {row["value"] for row in rows if row["metric"] in {"LF1", "LS"}} == {"0.0"}
    assert len({(row["subset"], row["example"]) for row in rows}) == sum(
        len(subsets.load(name)) for name in ("specgap", "silentswap", "feedbacktrace")
    )


def test_the_table_goes_to_stdout_and_words_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--monitor", "empty", "--method", "base", "--subset", "specgap", "--runs-dir", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "empty" in out
    assert "LF1" in out
    assert "report.html" in out
    assert "say nothing about how good a monitor is" in err


def test_json_is_all_of_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--monitor", "empty", "--subset", "specgap", "--runs-dir", str(tmp_path), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {row["metric"] for row in result["summary"]} == {"LF1", "LF1-strict"}
    assert Path(result["report"]).exists()


def test_the_same_command_makes_nothing_twice(finished: Path) -> None:
    before = _bytes(finished)
    code = main(["--monitor", "empty", "--method", "base", "--runs-dir", str(finished.parent), "--name", "floor"])
    assert code == 0
    assert _bytes(finished) == before


@pytest.mark.parametrize(
    ("option", "value", "key"),
    [
        ("--seed", "1", "seed"),
        ("--limit", "1", "subsets.specgap.ids"),
        ("--method", "repograph", "methods"),
        ("--monitor", "random", "monitors"),
        ("--protocol", "paper", "protocol"),
        ("--second-stage", "none", "second_stage"),
        ("--repeats", "2", "repeats"),
        ("--subset", "specgap", "subsets"),
    ],
)
def test_other_settings_in_the_same_folder_are_refused(
    finished: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, key: str
) -> None:
    options = {"--monitor": "empty", "--method": "base", "--name": "floor", option: value}
    words = [word for pair in options.items() for word in pair]
    assert main([*words, "--runs-dir", str(finished.parent)]) == 2
    assert f"  {key}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--subset", "specgapp"], "Valid subsets: specgap, silentswap, feedbacktrace"),
        (["--method", "rag"], "valid: base, ebg, repograph"),
        (["--monitor", "lexicall"], "did you mean 'lexical'"),
        (["--ids", "sg_001,zz_9"], "unknown id 'zz_9'"),
        (["--source", "/does/not/exist"], "does not exist"),
        (["--name", "../up"], "--name '../up'"),
        (["--protocol", "free"], "'fair', 'paper'"),
        (["--limit", "0"], "greater than or equal to 1"),
        (["--no-such-option"], "No such option"),
    ],
)
def test_a_wrong_command_line_says_what_would_be_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main([*words, "--runs-dir", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_ids_are_shared_out_among_the_subsets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = subsets.load("specgap").ids[0], subsets.load("silentswap").ids[1]
    words = ["--monitor", "empty", "--method", "base", "--ids", ",".join(first), "--runs-dir", str(tmp_path)]
    assert main([*words, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert {(row["subset"], row["examples"]) for row in summary} == {("specgap", 1), ("silentswap", 1)}


def test_a_dry_run_sends_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--monitor", "lexical", "--method", "base", "--subset", "specgap", "--limit", "1"]
    assert main([*words, "--runs-dir", str(tmp_path), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "lexical: 1 predictions, 2 to 8 calls" in out  # one read and a finish, or all eight rounds
    assert "at no cost" in out
    assert "Nothing was sent." in out
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def half_broken(tmp_path: Path) -> Path:
    """A folder of two examples, one of which lacks a file that its manifest names and has one that it does not."""
    samples = Path(subsets.__file__).parent / "samples" / "specgap" / "artifacts"
    root = tmp_path / "data" / "specgap" / "artifacts"
    for example_id in subsets.load("specgap").ids[:2]:
        shutil.copytree(samples / "visible_bundles" / example_id, root / "visible_bundles" / example_id)
        (root / "hidden_gold").mkdir(exist_ok=True)
        shutil.copy(samples / "hidden_gold" / f"{example_id}.json", root / "hidden_gold")
    bundle = root / "visible_bundles" / subsets.load("specgap").ids[0]
    (bundle / "documents" / "3_document_after.md").unlink()
    (bundle / "repository" / "stray.py").write_text("x = 1\n")
    return tmp_path / "data"


def test_a_broken_bundle_counts_as_failed_and_stops_nobody(
    half_broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    words = [
        "--monitor",
        "empty",
        "--method",
        "base",
        "--source",
        str(half_broken),
        "--runs-dir",
        str(runs),
        "--name",
        "r",
    ]
    assert main([*words, "--json"]) == 1
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert {(row["examples"], row["failed"]) for row in summary} == {(2, 1)}
    page = (runs / "r" / "report.html").read_text()
    assert "broken_bundle" in page
    assert "3_document_after.md" in page
    assert "stray.py" in page


def test_more_workers_give_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    words = ["--monitor", "empty", "--method", "base", "--runs-dir", str(tmp_path), "--name", "floor", "--jobs", "9"]
    assert main(words) == 0
    assert _bytes(tmp_path / "floor") == _bytes(finished)


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_run_goes_on_to_the_same_result(finished: Path, tmp_path: Path, seed: int) -> None:
    command = _run(tmp_path, "--monitor", "empty", "--method", "base", "--name", "floor", "--jobs", "2")
    moment = random.Random(seed)
    log = tmp_path / "floor" / "predictions.jsonl"
    for _ in range(2):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = moment.randint(1, 6)
        while process.poll() is None and not (log.exists() and log.read_bytes().count(b"\n") >= lines):
            time.sleep(0.002)  # waits for an event of another process, not for time to pass
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert _bytes(tmp_path / "floor") == _bytes(finished)


def test_ctrl_c_keeps_what_is_finished_and_says_so(tmp_path: Path) -> None:
    command = _run(tmp_path, "--monitor", "lexical", "--method", "ebg", "--name", "r", "--jobs", "1")
    log = tmp_path / "r" / "predictions.jsonl"
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (log.exists() and log.read_bytes().count(b"\n") >= 1):
        time.sleep(0.002)  # waits for an event of another process, not for time to pass
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert "the same command goes on" in err
    assert "Traceback" not in err
    assert log.read_bytes().count(b"\n") >= 1


def test_help_shows_two_examples() -> None:
    done = subprocess.run(_run(Path("x"), "--help"), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.count("python -m experiments.main --monitor") == 2


def test_a_run_is_printed_beside_the_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--monitor", "empty", "--method", "base", "--subset", "specgap", "--limit", "1"]
    assert main([*options, "--runs-dir", str(tmp_path), "--name", "r", "--against", "published"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "empty                    base       LF1       0.000       -" in lines
    assert lines[lines.index("Not comparable:") + 1 :] == [
        "- prompts: this project's own texts, not the paper's",
        "- data: specgap from sample, not hub:ZhaoHongKang/AgentMonBench@3bf50f6271fd2dc164c5fdabefd84d363eb088f2",
        "- data: 1 of 100 examples of specgap",
        "- monitor: empty is not in the table",
    ]
    assert main([*options, "--runs-dir", str(tmp_path), "--against", "published", "--json"]) == 2
    assert "--against prints a table" in capsys.readouterr().err


def test_a_dry_run_of_a_model_needs_no_key_and_knows_its_price(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOONSHOT_API_KEY", raising=False)
    words = ["--monitor", "kimi-k3", "--method", "base", "--subset", "specgap", "--limit", "1", "--runs-dir", "runs"]
    assert main([*words, "--dry-run"]) == 0
    assert "kimi-k3: 1 predictions, 2 to 8 calls" in (out := capsys.readouterr().out)
    assert "$" in out
    assert main(words) == 2
    assert "kimi-k3 needs a key: set MOONSHOT_API_KEY" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
