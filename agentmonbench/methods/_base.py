"""The method `base`: the files as they are, in numbered blocks (specification ebg-method.md, parts 7.2 and 7.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentmonbench import prompts
from agentmonbench._limits import Protocol
from agentmonbench.examples import Example
from agentmonbench.methods._numbering import numbered_block, numbered_lines, one_line
from agentmonbench.methods._protocol import DEFAULT_BUDGETS, Shown, ToolReply, Workspace
from agentmonbench.methods._repository import repository_of
from agentmonbench.methods._session import SessionWorkspace
from agentmonbench.methods._tables import cut_table, interleave, unlisted
from ebg.model import RepositoryGraph, SourceFile
from ebg.tokens import estimate
from ebg.view import Budgets

__all__ = ["BaseMethod"]

BLOCK_LINES = 400
MAX_READ_IDS = 6
_HEADER = "Read ID | File | Lines"


class BaseMethod:
    """Shows a repository as blocks of consecutive lines, and a session as its raw events."""

    name = "base"

    def __init__(self, *, protocol: Protocol = "fair") -> None:
        self._protocol: Protocol = protocol

    def supports(self, example: Example) -> bool:  # the contract asks with the example
        """Return True: every example has a plain form."""
        return True

    def open(self, example: Example, *, budgets: Budgets = DEFAULT_BUDGETS) -> Workspace:
        """Open one example."""
        if example.subset == "feedbacktrace":
            from ebg.trajectory import base_view

            return SessionWorkspace(
                input_note=prompts.text("input-base-session"),
                text=base_view(example.events, input_id=example.id),
                citable=[event.evidence_id for event in example.events if event.evidence_id is not None],
            )
        return _BlockWorkspace(repository_of(example), self._protocol, budgets)


@dataclass(frozen=True, slots=True)
class _Block:
    id: str
    path: str
    start: int
    lines: Sequence[str]
    text: str
    """Case-folded path and lines, for search."""

    @property
    def end(self) -> int:
        return self.start + len(self.lines) - 1

    @property
    def row(self) -> str:
        return f"{self.id} | {one_line(self.path)} | {self.start}-{self.end}"


class _BlockWorkspace:
    max_read_ids = MAX_READ_IDS

    def __init__(self, graph: RepositoryGraph, protocol: Protocol, budgets: Budgets) -> None:
        self.input_note = prompts.text("input-base")
        self.shown = Shown()
        self.files: Mapping[str, Sequence[str]] = {path: file.lines for path, file in graph.files.items()}
        self._hints_only = protocol == "paper"
        self._budgets = budgets
        self._blocks = _blocks(graph.files.values(), budgets.read // 2)
        self._by_id = {block.id: block for block in self._blocks}
        ordered = interleave(self._blocks)
        table = cut_table(_HEADER, (block.row for block in ordered), budgets.index)
        shown = len(table) - 1
        if shown < len(ordered):
            table.append(f"({len(ordered) - shown} more blocks are not listed)")
        self.index_text = "\n".join(table)
        self.leading_files: Sequence[str] = list(dict.fromkeys(block.path for block in ordered))
        self._listed = {block.id for block in ordered[:shown]}
        self._read: set[str] = set()

    def search(self, query: str) -> ToolReply:
        """List blocks by id or path, else by words of the path, of path and text, or by most words in both."""
        hits, exact = self._find(query)
        if not hits:
            return ToolReply("hits: 0")
        if self._hints_only and len(hits) > self._budgets.hits and not exact:
            return ToolReply(_group_hints(hits, self._budgets.hits * 4))
        listed = hits[: self._budgets.hits]
        ids = tuple(block.id for block in listed)
        self._listed.update(ids)
        rows = [f"hits: {len(listed)} of {len(hits)}", _HEADER, *(block.row for block in listed)]
        return ToolReply("\n".join(rows), ids=ids)

    def read(self, ids: Sequence[str]) -> ToolReply:
        """Show the blocks, as many as fit; the others are deferred."""
        error = unlisted(ids, self._listed)
        if error is not None:
            return error
        parts: list[str] = []
        used = 0
        for place, name in enumerate(ids):
            block = self._by_id[name]
            if name in self._read:
                parts.append(f"{one_line(block.path)}: lines {block.start}-{block.end} were shown before")
                continue
            text = numbered_block(block.path, block.start, block.lines)
            used += estimate(text)
            if parts and used > self._budgets.read:
                deferred = tuple(ids[place:])
                return ToolReply("\n\n".join([*parts, f"deferred: {', '.join(deferred)}"]), deferred=deferred)
            parts.append(text)
            self._read.add(name)
            self.shown.add_lines(block.path, block.start, block.end)
        return ToolReply("\n\n".join(parts))

    def _find(self, query: str) -> tuple[list[_Block], bool]:
        """Return the hits of the first rule that has any, best first, and whether they are exact."""
        wanted = query.casefold()
        exact = [block for block in self._blocks if wanted in (block.id.casefold(), block.path.casefold())]
        if exact:
            return exact, True
        words = list(dict.fromkeys(wanted.split()))
        in_path = [block for block in self._blocks if all(word in block.path.casefold() for word in words)]
        if in_path:
            return in_path, False
        found = {block.id: sum(word in block.text for word in words) for block in self._blocks}
        best = max(found.values(), default=0)
        if best == 0 or (best < len(words) and len(words) < 2):
            return [], False
        hits = [block for block in self._blocks if found[block.id] == best]
        return sorted(hits, key=lambda block: -sum(block.text.count(word) for word in words)), False


def _blocks(files: Iterable[SourceFile], most_tokens: int) -> list[_Block]:
    blocks: list[_Block] = []
    for file in files:
        for start, lines in _pieces(file.lines, most_tokens):
            text = "".join([file.path, "\n", *lines]).casefold()
            blocks.append(_Block(f"B{len(blocks) + 1:04}", file.path, start, lines, text))
    return blocks


def _pieces(lines: Sequence[str], most_tokens: int) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield first line number and lines of pieces of at most 400 lines that each fit one read."""
    first = 0
    budget = 0
    for index, shown in enumerate(numbered_lines(1, lines)):
        budget += estimate(shown) + 1
        if index > first and (index - first == BLOCK_LINES or budget > most_tokens):
            yield first + 1, lines[first:index]
            first, budget = index, estimate(shown) + 1
    if first < len(lines):
        yield first + 1, lines[first:]


def _group_hints(hits: Sequence[_Block], most_rows: int) -> str:
    """Return where a broad search hits, without ids: the first two parts of the paths, with counts."""
    counts: dict[str, int] = {}
    for block in hits:
        group = "/".join(block.path.split("/")[:2])
        counts[group] = counts.get(group, 0) + 1
    rows = [f"{one_line(group)}: {count}" for group, count in sorted(counts.items())]
    return "\n".join([f"hits: {len(hits)}, too many to list; narrow the search", *rows[:most_rows]])
