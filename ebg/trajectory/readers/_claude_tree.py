"""The tree of a Claude Code session: withdrawn branches, side chains and subagent files (part 2, quirks)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ebg.errors import TranscriptError
from ebg.trajectory.readers._builder import Draft
from ebg.trajectory.readers._contents import as_mapping, as_text
from ebg.trajectory.readers._json import BrokenJson, parse_json
from ebg.trajectory.readers._source import Source

__all__ = ["AgentFile", "RecordTree", "subagent_files"]

_MAX_AGENTS = 2_000
_MAX_META = 1 << 20


class RecordTree:
    """Parents of records, in file order."""

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._prompts: list[str] = []
        self._sides: dict[str, str] = {}

    def add(self, uuid: str, parent: object) -> None:
        """Add a record."""
        self._parents[uuid] = parent if isinstance(parent, str) else None

    def prompt(self, uuid: str) -> None:
        """Note that a record is a person's prompt."""
        self._prompts.append(uuid)

    def sidechain(self, uuid: object, agent_id: object) -> str:
        """Return the subagent of a side-chain record: its own mark, its parent's, or a new one."""
        if isinstance(agent_id, str) and agent_id:
            return agent_id
        parent = self._parents.get(uuid) if isinstance(uuid, str) else None
        name = self._sides.get(parent or "") or f"side-{len(set(self._sides.values())) + 1}"
        if isinstance(uuid, str):
            self._sides[uuid] = name
        return name

    def mark_forks(self, drafts: Iterable[Draft]) -> None:
        """Mark withdrawn branches: of prompts with the same parent the last in the file is live."""
        siblings: dict[str, list[str]] = {}
        for uuid in self._prompts:
            parent = self._parents.get(uuid)
            if parent is not None:
                siblings.setdefault(parent, []).append(uuid)
        branch = {
            uuid: f"fork-{number}"
            for number, uuid in enumerate(
                (uuid for group in siblings.values() for uuid in dict.fromkeys(group[:-1]) if uuid != group[-1]),
                start=1,
            )
        }
        if not branch:
            return
        for uuid, parent in self._parents.items():
            if uuid not in branch and parent in branch:
                branch[uuid] = branch[parent]
        for draft in drafts:
            if draft.key in branch:
                draft.branch_id = branch[draft.key]


class AgentFile(NamedTuple):
    """The transcript of a subagent."""

    source: Source
    call: str | None
    """Id of the call that started it, if the file beside it tells."""


def subagent_files(source: Source, session_ids: Mapping[str, int]) -> dict[str, AgentFile]:
    """Return the subagents' transcripts that belong to a session, by agent id, sorted.

    They lie in `<session>/subagents/`; before version 2.1 beside the session, where only those of the same session
    count.
    """
    found: dict[str, AgentFile] = {}
    folder = source.path.with_suffix("") / "subagents"
    for path in [*_agent_paths(folder), *_agent_paths(source.path.parent)]:
        agent_id = path.stem.removeprefix("agent-")
        beside = path.parent == source.path.parent
        if agent_id in found or path == source.path or (beside and not _same_session(path, session_ids)):
            continue
        name = path.relative_to(source.path.parent).as_posix()
        found[agent_id] = AgentFile(Source(path, name=name), _started_by(path))
    return found


def _agent_paths(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.glob("agent-*.jsonl") if path.is_file() and not path.is_symlink())[
        :_MAX_AGENTS
    ]


def _same_session(path: Path, session_ids: Mapping[str, int]) -> bool:
    try:
        first = next(Source(path).lines(), None)
        value = parse_json(first.data).value if first else None
    except (BrokenJson, TranscriptError):
        return False
    return as_text(as_mapping(value).get("sessionId")) in session_ids


def _started_by(path: Path) -> str | None:
    meta = path.with_suffix(".meta.json")
    if not meta.is_file() or meta.is_symlink() or meta.stat().st_size > _MAX_META:
        return None
    try:
        call = as_mapping(parse_json(meta.read_bytes()).value).get("toolUseId")
    except (BrokenJson, OSError):
        return None
    return call if isinstance(call, str) else None
