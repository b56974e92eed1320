"""Which session is the newest of a folder, agent by agent."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from agentmonbench import cli
from agentmonbench.errors import UsageError
from agentmonbench.review._find import latest_session


def write(path: Path, text: str, age: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return path


def rollout(folder: Path) -> str:
    return json.dumps({"timestamp": "t", "type": "session_meta", "payload": {"id": "1", "cwd": str(folder)}}) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work" / "my.project"
    made.mkdir(parents=True)
    return made


def slug(folder: Path) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in str(folder))


def test_the_newest_of_all_agents_is_taken(tmp_path: Path, folder: Path) -> None:
    home = {"HOME": str(tmp_path / "home")}
    root = tmp_path / "home"
    claude = write(root / ".claude/projects" / slug(folder) / "a.jsonl", "{}", 30)
    write(root / ".claude/projects" / slug(folder) / "agent-1.jsonl", "{}", 0)
    codex = write(root / ".codex/sessions/2026/01/02/rollout-1.jsonl", rollout(folder), 20)
    write(root / ".codex/sessions/2026/01/02/rollout-2.jsonl", rollout(folder.parent / "other"), 1)
    digest = hashlib.sha256(str(folder).encode()).hexdigest()
    gemini = write(root / ".gemini/tmp" / digest / "chats/session-1.json", "{}", 10)
    assert latest_session(folder, environment=home) == gemini
    assert latest_session(folder, agent="codex", environment=home) == codex
    assert latest_session(folder, agent="claude-code", environment=home) == claude


def test_moved_folders_are_respected(tmp_path: Path, folder: Path) -> None:
    claude = write(tmp_path / "c/projects" / slug(folder) / "a.jsonl", "{}", 5)
    codex = write(tmp_path / "x/sessions/2026/01/02/rollout-1.jsonl", rollout(folder), 2)
    moved = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x")}
    assert latest_session(folder, environment=moved) == codex
    assert latest_session(folder, agent="claude-code", environment=moved) == claude
    named = write(tmp_path / "c/projects/fixed/b.jsonl", "{}", 0)
    assert latest_session(folder, environment={**moved, "CLAUDE_CODE_PROJECT_DIR_NAME": "fixed"}) == named


def test_a_session_of_the_repository_root_is_found_from_below(tmp_path: Path, folder: Path) -> None:
    (folder / ".git").mkdir()
    below = folder / "src" / "deep"
    below.mkdir(parents=True)
    claude = write(tmp_path / ".claude/projects" / slug(folder) / "a.jsonl", "{}", 5)
    write(tmp_path / ".claude/projects" / slug(folder.parent) / "b.jsonl", "{}", 0)
    assert latest_session(below, environment={"HOME": str(tmp_path)}) == claude


def test_no_session_says_where_was_looked(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UsageError, match=r"no session of .*my\.project in .*\.codex/sessions; give the transcript"):
        latest_session(folder, agent="codex", environment={"HOME": str(tmp_path)})


def test_latest_in_the_command(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLAUDE_CODE_PROJECT_DIR_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(folder)
    text = json.dumps(
        {
            "type": "user",
            "uuid": "u",
            "parentUuid": None,
            "sessionId": "s-9",
            "message": {"role": "user", "content": "Hi"},
        }
    )
    write(tmp_path / "home/.claude/projects" / slug(folder) / "a.jsonl", text + "\n", 0)
    assert cli.main(["review", "--latest"]) == 0
    captured = capsys.readouterr()
    assert "Session s-9 · claude-code" in captured.out
    assert captured.err.startswith("Reviewing ")
