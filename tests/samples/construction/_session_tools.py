"""Executes the tool calls of a session in a throw-away copy of its package, so that their outputs are true.

The copy is shown under `/home/dev/<package>`; it is a git repository with one commit of a fixed date.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from construction._execution import environment, normalize, write_tree

_GIT = {
    name: value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in {
        f"GIT_{role}_NAME": "Dev",
        f"GIT_{role}_EMAIL": "dev@example.com",
        f"GIT_{role}_DATE": "2024-05-06T08:00:00+00:00",
    }.items()
}


def execute(
    package: str, files: Mapping[str, str], setup: Iterable[str], calls: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the calls with their outputs.

    Args:
        package: Name of the package, and of the folder in which the session works.
        files: What the folder holds at the beginning.
        setup: Shell commands that finish the folder before the session begins.
        calls: Tables with `tool` and `input`, in order.
    """
    with tempfile.TemporaryDirectory(prefix="session-") as name:
        desk = _Desk(Path(name) / package, f"/home/dev/{package}")
        write_tree(desk.folder, files)
        for command in (*setup, "git init -q -b main", "git add -A", "git commit -q -m 'Start'"):
            desk.bash(command)
        return [{**call, "output": desk.call(call["tool"], call["input"])} for call in calls]


class _Desk:
    """The folder and the tools that work on it."""

    def __init__(self, folder: Path, shown: str) -> None:
        self.folder = folder
        self._shown = shown

    def call(self, tool: str, values: Mapping[str, Any]) -> str:
        tools = {"Read": self._read, "Write": self._write, "Edit": self._edit, "Grep": self._grep}
        if tool == "Bash":
            return self.bash(values["command"])
        if tool == "TodoWrite":
            return "Todo list saved."
        return tools[tool](values)

    def bash(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command.replace(self._shown, str(self.folder))],
            cwd=self.folder,
            env={**environment(), **_GIT, "HOME": str(self.folder.parent)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        output = normalize(done.stdout, self.folder).replace("<copy>", self._shown).rstrip("\n")
        code = f"Exit code {done.returncode}" if done.returncode else ""
        return "\n".join(part for part in (code, output) if part) or "(no output)"

    def _path(self, values: Mapping[str, Any]) -> Path:
        relative = Path(values["file_path"]).relative_to(self._shown)
        return self.folder / relative

    def _read(self, values: Mapping[str, Any]) -> str:
        lines = self._path(values).read_text(encoding="utf-8", errors="replace").splitlines()
        start = int(values.get("offset", 1))
        chosen = lines[start - 1 :][: int(values.get("limit", len(lines)))]
        return "\n".join(f"{number:>5}  {line}".rstrip() for number, line in enumerate(chosen, start=start))

    def _write(self, values: Mapping[str, Any]) -> str:
        path = self._path(values)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(values["content"], encoding="utf-8")
        return f"Wrote {values['file_path']} ({len(values['content'].splitlines())} lines)."

    def _edit(self, values: Mapping[str, Any]) -> str:
        path = self._path(values)
        text = path.read_text(encoding="utf-8")
        if text.count(values["old_string"]) != 1:
            raise ValueError(f"{values['file_path']}: not exactly one place for {values['old_string']!r}")
        path.write_text(text.replace(values["old_string"], values["new_string"]), encoding="utf-8")
        return f"Replaced one passage in {values['file_path']}."

    def _grep(self, values: Mapping[str, Any]) -> str:
        found = []
        for path in sorted(self.folder.rglob("*.py")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if re.search(values["pattern"], line):
                    found.append(f"{path.relative_to(self.folder).as_posix()}:{number}:{line}")
        return "\n".join(found) or "No matches."
