"""The `ebg` command, through its main function and as a process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ebg import store
from ebg.cli import main
from tests.view.graphs import EX11_FILES, EX11_Q


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    for name, text in EX11_FILES.items():
        (folder / name).write_text(text)
    (folder / "logo.png").write_bytes(b"\x89PNG\0")
    (tmp_path / "doc.md").write_text(EX11_Q)
    return folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_build_keeps_facts_for_the_next_build_unless_told_not_to(source: Path, tmp_path: Path) -> None:
    output = ["-o", str(tmp_path / "g.json")]
    assert main(["build", str(source), *output, "--no-cache", "--jobs", "1"]) == 0
    assert not (tmp_path / "cache").exists()
    before = (tmp_path / "g.json").read_bytes()
    for _ in range(2):
        assert main(["build", str(source), *output, "--jobs", "2"]) == 0
        assert (tmp_path / "g.json").read_bytes() == before
    assert (tmp_path / "cache" / "ebg").exists()


def test_build_writes_the_published_form_with_the_folder_as_id(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = source.parent / "graph.json"
    assert main(["build", str(source), "-o", str(output)]) == 0
    graph = store.load(output)
    assert (graph.input_id, graph.benchmark) == ("shop", "repository")
    assert "4 files" in capsys.readouterr().out
    assert main(["build", str(source), "-o", str(output), "--id", "sg_001", "--benchmark", "specgap", "--json"]) == 0
    assert store.load(output).input_id == "sg_001"
    assert json.loads(capsys.readouterr().out)["files"] == 4


@pytest.mark.parametrize("form", ["node-link", "graphml"])
def test_build_writes_other_forms(source: Path, form: str) -> None:
    output = source.parent / "out"
    assert main(["build", str(source), "-o", str(output), "--format", form]) == 0
    assert output.read_text()[0] == {"node-link": "{", "graphml": "<"}[form]


def test_globs_choose_files(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(source), "--exclude", "*.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == 3


def test_view_prints_directory_reads_and_search(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = ["view", str(source), "--requirements", str(source.parent / "doc.md")]
    assert main(start) == 0
    assert capsys.readouterr().out.startswith("Read ID | File | Related document sections | Code hints\nF0001 | api.py")
    assert main([*start, "--files", "util.py", "F0003"]) == 0
    out = capsys.readouterr().out
    assert "1 | def helper():\n" in out
    assert "1 | def misc():\n" in out
    assert main([*start, "--search", "helper", "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert (reply["total"], [hit["path"] for hit in reply["hits"]]) == (2, ["util.py", "api.py"])
    assert main([*start, "--without", "guidance"]) == 0
    assert capsys.readouterr().out.startswith("Read ID | File\n")


def test_stats_of_a_folder_and_of_a_saved_graph(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(source)]) == 0
    out = capsys.readouterr().out
    assert "files       4\n" in out
    assert "languages   python 3, toml 1\n" in out
    output = source.parent / "graph.json"
    main(["build", str(source), "-o", str(output)])
    capsys.readouterr()
    assert main(["stats", str(output), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evidence"] == 8


def test_verify_says_whether_a_graph_is_still_true(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = source.parent / "graph.json"
    main(["build", str(source), "-o", str(output)])
    assert main(["verify", str(output), str(source)]) == 0
    (source / "util.py").write_text("def helper():\n    return 2\n")
    capsys.readouterr()
    assert main(["verify", str(output), str(source)]) == 1
    assert "util.py lines 2-2 read differently in the source" in capsys.readouterr().out
    assert main(["verify", str(output), str(source), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["same"] is False


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["build", "SRC/none", "-o", "x"], 1, "none"),
        (["view", "SRC", "--requirements", "SRC/none.md"], 2, "cannot read"),
        (["view", "SRC", "--files", "F0099"], 2, "unknown id 'F0099'"),
        (["view", "SRC", "--max-neighbors", "-1"], 2, "max_neighbors"),
        (["stats", "SRC", "--jobs", "0"], 2, "jobs is 0"),
        (["verify", "SRC/none.json", "SRC"], 1, "cannot read"),
        (["stats", "SRC/bad.json"], 1, "is no JSON"),
        (["build", "SRC", "-o", "SRC/api.py/x"], 1, "api.py"),
    ],
)
def test_mistakes_are_one_line_without_a_traceback(
    source: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    (source / "bad.json").write_text("{")
    assert main([item.replace("SRC", str(source)) for item in arguments]) == code
    caught = capsys.readouterr()
    assert caught.out == ""
    assert caught.err.startswith("ebg: ")
    assert message in caught.err
    assert caught.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["build", "x"], ["view", "x", "--hops", "4"]])
def test_a_wrong_command_line_is_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


TRACE = {
    "input_id": "ft_001_long",
    "events": [
        {"event_type": "user_prompt", "turn_number": 1, "content": "Add a retry option."},
        {
            "event_type": "tool_exchange",
            "turn_number": 1,
            "content": 'Tool invocation:\n{"file": "a.py"}\n\nTool result: Edit\nok',
            "evidence_id": "e_1_tool_exchange_0",
            "tool_name": "Edit",
        },
        {
            "event_type": "assistant_response",
            "turn_number": 1,
            "content": "Done \x1b[2J.",
            "evidence_id": "e_1_assistant_response_0",
        },
    ],
}


def test_session_sums_up_and_writes_the_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model_input.json").write_text(json.dumps(TRACE))
    arguments = ["session", str(tmp_path / "model_input.json")]
    assert main([*arguments, "-o", str(tmp_path / "graph.json")]) == 0
    assert "T0001 'Add a retry option.': 1 action, 1 response" in capsys.readouterr().out
    graph = json.loads((tmp_path / "graph.json").read_text())
    assert list(graph) == ["input_id", "benchmark", "evidence", "behaviors", "edges"]
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tasks"][0]["behaviors"][0]["demand"] == "Add a retry option."
    assert main([*arguments, "--view"]) == 0
    out = capsys.readouterr().out
    assert out.startswith('{"input_id":"ft_001_long"')
    assert "\x1b" not in out


@pytest.mark.parametrize("form", ["atif", "chat", "ebg"])
def test_convert_writes_a_session_in_another_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    (tmp_path / "in.json").write_text(json.dumps(TRACE))
    assert main(["convert", str(tmp_path / "in.json"), "-o", str(tmp_path / "out.json"), "--to", form]) == 0
    assert f"written as {form}" in capsys.readouterr().out
    assert json.loads((tmp_path / "out.json").read_text())


def test_an_unknown_transcript_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.json").write_text("{}")
    assert main(["session", str(tmp_path / "x.json")]) == 1
    assert capsys.readouterr().err.startswith("ebg: ")


def test_names_and_source_cannot_steer_a_terminal(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source / "evil\x1b[2J.py").write_text("def x():\n    return '\x1b]0;owned\x07 \u202e'\n", newline="")
    assert main(["view", str(source)]) == 0
    assert main(["view", str(source), "--search", "owned"]) == 0
    assert main(["view", str(source), "--files", "F0003"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "\u202e" not in out


def test_help_imports_nothing_heavy_and_names_every_command() -> None:
    code = "import sys; from ebg.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n" + (
        "print([name for name in ('networkx', 'tree_sitter', 'ebg.repository', 'ebg.view') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
    for command in ("build", "view", "stats", "verify", "session", "convert"):
        assert f"\n    {command} " in done.stdout


def test_a_closed_pipe_is_no_error(source: Path) -> None:
    command = [sys.executable, "-m", "ebg", "view", str(source)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
