"""Every command and every piece of Python in the documents runs, in order, from a clean folder."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(?P<kind>console|python)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_HERE = ("make test", "make test-all", "pip install")  # these would start the tests again, or reach a network


def _command(line: str, makefile: str) -> str | None:
    """Return the shell command of a `$ ` line with this interpreter in place of installed scripts."""
    command = line.removeprefix("$ ").strip()
    if command.startswith(NOT_HERE):
        return None
    if command == "make demo":
        recipe = re.search(r"^demo:.*\n\t(?P<command>.+)$", makefile, re.MULTILINE)
        assert recipe, "the Makefile has no recipe for demo"
        # One example of each subset: the same command over all samples is a minute of work.
        command = recipe["command"].replace("$(BIN)/python", "python") + " --limit 1"
    first, _, rest = command.partition(" ")
    modules = {"agentmonbench": "-m agentmonbench", "ebg": "-m ebg", "python": ""}
    assert first in modules, f"{command!r}: documents show only the project's own commands"
    return f"{shlex.quote(sys.executable)} {modules[first]} {rest}"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_runs(document: Path, tmp_path: Path) -> None:
    text = document.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "HF_HUB_OFFLINE": "1",
        "LANG": "C.UTF-8",
    }
    # The documents speak from inside a clone: the paths that they name exist there.
    for name in ("README.md", "docs", "ebg", "subsets"):
        (tmp_path / name).symlink_to(ROOT / name)
    session = "subsets/samples/feedbacktrace/artifacts/visible_bundles/ft_004_long/trace/model_input.json"
    (tmp_path / "session.jsonl").symlink_to(ROOT / session)
    script: list[str] = []
    for block in FENCE.finditer(text):
        if block["kind"] == "python":
            script.append(block["body"])
            continue
        for line in block["body"].splitlines():
            command = _command(line, makefile) if line.startswith("$ ") else None
            if command is None:
                continue
            done = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    if script:
        done = subprocess.run(
            [sys.executable, "-c", "\n".join(script)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
