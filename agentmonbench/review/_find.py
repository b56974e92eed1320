"""The newest session of a folder, in the places where agents keep theirs (specification transcripts.md, parts 2, 3, 6).

Each agent has its own rule from a folder to its sessions; environment variables that move the agents' folders are
respected. Only names and the first line of a file are looked at.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from agentmonbench.errors import UsageError
from ebg.errors import TranscriptError
from ebg.trajectory.readers import Source

__all__ = ["AGENTS", "latest_session"]

_MAX_FILES = 2_000  # newest files whose first line is looked at
_HEAD = 1 << 20


def latest_session(folder: Path, *, agent: str | None = None, environment: Mapping[str, str] | None = None) -> Path:
    """Return the transcript of `folder` that was written last.

    The folder's own sessions come first, then those of the folders above it, up to the one that holds `.git`: agents
    are often started at the root of a repository.

    Args:
        folder: the folder that the agent worked in.
        agent: name of one agent; None looks at all.
        environment: variables such as `HOME`, `CODEX_HOME`; those of the process when None.

    Raises:
        UsageError: when the agent is not known or no session is found; the message says where was looked.
    """
    variables = os.environ if environment is None else environment
    if agent is not None and agent not in AGENTS:
        raise UsageError(f"unknown agent {agent!r} (valid: {', '.join(AGENTS)})")
    looked = [AGENTS[agent]] if agent is not None else list(AGENTS.values())
    for each in _upwards(folder.absolute()):
        found = [path for look in looked for path in look(each, variables)]
        if found:
            return max(found, key=lambda path: (path.stat().st_mtime_ns, str(path)))
    places = ", ".join(str(root(variables)) for name, root in _ROOTS.items() if agent in (None, name))
    raise UsageError(f"no session of {folder} in {places}; give the transcript's path")


def _upwards(folder: Path) -> Iterator[Path]:
    yield folder
    above = [folder, *folder.parents]
    root = next((place for place, each in enumerate(above) if (each / ".git").exists()), 0)
    yield from above[1 : root + 1]


def _home(variables: Mapping[str, str]) -> Path:
    home = variables.get("HOME") or variables.get("USERPROFILE")
    return Path(home) if home else Path.home()


def _claude_root(variables: Mapping[str, str]) -> Path:
    moved = variables.get("CLAUDE_CONFIG_DIR")
    return (Path(moved) if moved else _home(variables) / ".claude") / "projects"


def _claude(folder: Path, variables: Mapping[str, str]) -> Iterator[Path]:
    name = variables.get("CLAUDE_CODE_PROJECT_DIR_NAME") or re.sub(r"[^A-Za-z0-9]", "-", str(folder))
    yield from _files((_claude_root(variables) / name).glob("*.jsonl"))


def _codex_root(variables: Mapping[str, str]) -> Path:
    moved = variables.get("CODEX_HOME")
    return (Path(moved) if moved else _home(variables) / ".codex") / "sessions"


def _codex(folder: Path, variables: Mapping[str, str]) -> Iterator[Path]:
    root = _codex_root(variables)
    found = [*_files(root.glob("*/*/*/rollout-*.jsonl")), *_files(root.glob("*/*/*/rollout-*.jsonl.zst"))]
    found.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in found[:_MAX_FILES]:
        if _codex_folder(path) == str(folder):
            yield path
            return


def _codex_folder(path: Path) -> str | None:
    """Return the folder that a rollout's first line names."""
    try:
        line = Source(path).head(_HEAD).split(b"\n", 1)[0]
        record = json.loads(line)
    except (TranscriptError, ValueError, RecursionError):
        return None
    payload = record.get("payload") if isinstance(record, dict) else None
    place = payload.get("cwd") if isinstance(payload, dict) else None
    return place if isinstance(place, str) else None


def _gemini_root(variables: Mapping[str, str]) -> Path:
    return _home(variables) / ".gemini" / "tmp"


def _gemini(folder: Path, variables: Mapping[str, str]) -> Iterator[Path]:
    digest = hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()
    for name in dict.fromkeys((digest, folder.name)):
        if name:
            chats = _gemini_root(variables) / name / "chats"
            yield from _files([*chats.glob("session-*.json"), *chats.glob("session-*.jsonl")])


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    yield from (path for path in paths if path.is_file() and not path.name.startswith("agent-"))


AGENTS: Mapping[str, Callable[[Path, Mapping[str, str]], Iterator[Path]]] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini-cli": _gemini,
}
"""Name of each agent whose folders are known, and how its sessions of a folder are found."""
_ROOTS: Mapping[str, Callable[[Mapping[str, str]], Path]] = {
    "claude-code": _claude_root,
    "codex": _codex_root,
    "gemini-cli": _gemini_root,
}
