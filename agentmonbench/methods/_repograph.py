"""The method `repograph`: definitions and the places that use their names (specification ebg-method.md, part 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentmonbench import prompts
from agentmonbench.examples import Example
from agentmonbench.methods._namegraph import NameGraph, NameNode, build_name_graph
from agentmonbench.methods._numbering import numbered_lines, one_line
from agentmonbench.methods._protocol import DEFAULT_BUDGETS, Shown, ToolReply, Workspace
from agentmonbench.methods._repository import Recent, repository_of
from agentmonbench.methods._tables import cut_table, interleave, unlisted
from ebg.model import RepositoryGraph
from ebg.tokens import estimate
from ebg.view import Budgets

__all__ = ["RepoGraphMethod"]

MAX_READ_IDS = 32
_HEADER = "Read ID | Definition | Kind | File | Lines"


class RepoGraphMethod:
    """Shows a repository's Python definitions with everything that spells their names."""

    name = "repograph"

    def __init__(self) -> None:
        self._names: Recent[NameGraph] = Recent()

    def supports(self, example: Example) -> bool:
        """Return whether the example has a repository."""
        return example.subset != "feedbacktrace"

    def open(self, example: Example, *, budgets: Budgets = DEFAULT_BUDGETS) -> Workspace:
        """Open one example."""
        graph = repository_of(example)
        return _SymbolWorkspace(graph, self._names.get(graph, lambda: _names_of(graph)), budgets)


@dataclass(frozen=True, slots=True)
class _Symbol:
    id: str
    node: NameNode

    @property
    def row(self) -> str:
        node = self.node
        place = f"{one_line(node.path)} | {node.start}-{node.end}"
        return f"{self.id} | {one_line(node.qualified)} | {node.kind} | {place}"

    @property
    def words(self) -> str:
        return f"{self.id} {self.node.qualified} {self.node.path}".casefold()

    def is_called(self, wanted: str) -> bool:
        node = self.node
        return wanted in (self.id.casefold(), node.name.casefold(), node.qualified.casefold(), node.path.casefold())


class _SymbolWorkspace:
    max_read_ids = MAX_READ_IDS

    def __init__(self, graph: RepositoryGraph, names: NameGraph, budgets: Budgets) -> None:
        self.input_note = prompts.text("input-repograph")
        self.shown = Shown()
        self.files: Mapping[str, Sequence[str]] = {path: file.lines for path, file in graph.files.items()}
        self._graph = names
        self._budgets = budgets
        self._symbols = [_Symbol(f"S{number:04}", node) for number, node in enumerate(self._graph.definitions, start=1)]
        self._by_id = {symbol.id: symbol for symbol in self._symbols}
        ordered = interleave(self._symbols)
        table = cut_table(_HEADER, (symbol.row for symbol in ordered), budgets.index)
        shown = len(table) - 1
        if shown < len(ordered):
            table.append(f"({len(ordered) - shown} more definitions are not listed)")
        self.index_text = "\n".join(table)
        self.leading_files: Sequence[str] = list(dict.fromkeys(symbol.node.path for symbol in ordered))
        self._listed = {symbol.id for symbol in ordered[:shown]}

    def search(self, query: str) -> ToolReply:
        """List definitions by id, name or path, then by words of these."""
        wanted = query.casefold()
        hits = [symbol for symbol in self._symbols if symbol.is_called(wanted)]
        if not hits:
            words = wanted.split()
            hits = [symbol for symbol in self._symbols if all(word in symbol.words for word in words)]
        if not hits:
            return ToolReply("hits: 0")
        listed = hits[: self._budgets.hits]
        ids = tuple(symbol.id for symbol in listed)
        self._listed.update(ids)
        rows = [f"hits: {len(listed)} of {len(hits)}", _HEADER, *(symbol.row for symbol in listed)]
        return ToolReply("\n".join(rows), ids=ids)

    def read(self, ids: Sequence[str]) -> ToolReply:
        """Show each definition with the places around it, as many as fit; the others are deferred."""
        error = unlisted(ids, self._listed)
        if error is not None:
            return error
        printed: dict[str, set[int]] = {}
        parts: list[str] = []
        left = self._budgets.read
        for place, name in enumerate(ids):
            pieces = self._unit(self._by_id[name], printed)
            cost = sum(piece.tokens for piece in pieces)
            if parts and cost > left:
                deferred = tuple(ids[place:])
                return ToolReply("\n\n".join([*parts, f"deferred: {', '.join(deferred)}"]), deferred=deferred)
            kept = _that_fit(pieces, left)
            for piece in kept:
                printed.setdefault(piece.path, set()).update(range(piece.start, piece.end + 1))
                if piece.new:
                    self.shown.add_lines(piece.path, piece.start, piece.end)
            parts += [piece.text for piece in kept]
            if len(kept) < len(pieces):
                parts.append(f"({len(pieces) - len(kept)} more places around {name} do not fit)")
            left -= sum(piece.tokens for piece in kept)
        return ToolReply("\n\n".join(parts))

    def _unit(self, symbol: _Symbol, printed: dict[str, set[int]]) -> list[_Piece]:
        pieces: list[_Piece] = []
        own: dict[str, set[int]] = {path: set(lines) for path, lines in printed.items()}
        for node in self._graph.around(symbol.node):
            lines = range(node.start, node.end + 1)
            seen = own.setdefault(node.path, set())
            role = "definition" if node is symbol.node else node.kind
            if seen.issuperset(lines):
                pieces.append(_Piece(node, role, [], new=False))
                continue
            source = self.files[node.path][node.start - 1 : node.end]
            pieces.append(_Piece(node, role, numbered_lines(node.start, source), new=True))
            seen.update(lines)
        return pieces


class _Piece:
    """One node as text; a place whose lines this result already holds is only named."""

    def __init__(self, node: NameNode, role: str, lines: list[str], *, new: bool) -> None:
        self.path, self.start, self.end, self.new = node.path, node.start, node.end, new
        self._name = f"## {one_line(node.path)}::{one_line(node.qualified)}"
        self._role = f"[{role} {one_line(node.name)}]"
        self._lines = lines
        self._write()

    def _write(self) -> None:
        note = "" if self.new else " (shown above)"
        self.text = "\n".join([f"{self._name}@{self.start}-{self.end} {self._role}{note}", *self._lines])
        self.tokens = estimate(self.text) + 1

    def cut_to(self, budget: int) -> _Piece:
        """Drop lines from the end until the text fits `budget`; the first line always stays."""
        used = estimate(self.text.partition("\n")[0]) + 2
        keep = 0
        for line in self._lines:
            used += estimate(line) + 1
            if keep and used > budget:
                break
            keep += 1
        self._lines = self._lines[:keep]
        self.end = self.start + keep - 1
        self._write()
        return self


def _that_fit(pieces: list[_Piece], budget: int) -> list[_Piece]:
    kept: list[_Piece] = []
    for piece in pieces:
        if piece.tokens > budget:
            # Only a unit's own definition is cut: something of it is always shown.
            return kept or [piece.cut_to(budget)]
        kept.append(piece)
        budget -= piece.tokens
    return kept


def _names_of(graph: RepositoryGraph) -> NameGraph:
    python = [file for file in graph.files.values() if file.language == "python"]
    return build_name_graph((file.path, _as_source(file.lines)) for file in python)


def _as_source(lines: Sequence[str]) -> bytes:
    # Tree-sitter counts lines at "\n"; each of our lines is handed over as exactly one of its lines.
    return b"\n".join(line.rstrip("\r\n").encode("utf-8", "replace") for line in lines) + b"\n"
