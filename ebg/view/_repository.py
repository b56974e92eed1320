"""The view of a repository: a directory to start from, a search, and reads that never show a line twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from ebg.errors import UsageError
from ebg.model import RepositoryGraph, ScopeId
from ebg.tokens import estimate
from ebg.view._cues import Cues
from ebg.view._directory import Directory, build_directory, hint, number_files, number_scopes
from ebg.view._document import Requirements
from ebg.view._page import Page, size
from ebg.view._plan import Planner, Settings
from ebg.view._ranking import Order, rank_files
from ebg.view._rendering import Renderer
from ebg.view._search import Searcher, SearchReply
from ebg.view._unit import UnitWriter

__all__ = ["Budgets", "RepositoryView", "Unit"]

_NOTHING_SHOWN: Mapping[str, Set[int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Budgets:
    """Limits in tokens, as `ebg.tokens.estimate` counts them (specification parts 5.8 and 7.2)."""

    index: int = 3_072
    """The directory."""
    read: int = 65_536
    """One read of one or several ids."""
    unit: int = 32_768
    """One id among several; a single id may take the whole of `read`."""
    hits: int = 12
    """Hits of a search."""

    def __post_init__(self) -> None:
        if min(self.index, self.read, self.unit, self.hits) < 1:
            raise UsageError("budgets are positive numbers of tokens or hits")


@dataclass(frozen=True, slots=True)
class Unit:
    """What a read shows."""

    text: str
    """Exactly what a monitor is given."""
    lines: Mapping[str, frozenset[int]]
    """Line numbers printed in `text`, by path: what may be cited from now on."""
    ids: tuple[str, ...]
    """Ids that `text` names and that may be read next."""
    deferred: tuple[str, ...]
    """Ids that were left out or not shown to their end; reading them again goes on."""
    tokens: int
    """Tokens of `text`."""


class RepositoryView:
    """A repository as a monitor sees it, guided by a requirements text.

    Reads are pure: the same ids and the same lines shown before give the same text.

    Args:
        graph: the repository.
        requirements: Q, the text that says what the code should do.
        order: how the directory deals out the files that Q names: `sections` in turns (SpecGAP), `cover` by greedy
            cover of the sections (SilentSwap).
        behaviors: False lists evidence one by one instead of behaviors (the paper's ablation "w/o Behavior").
        relations: False shows behaviors as a flat list, without neighbours (w/o Graph).
        guidance: False forgets Q: files in path order, each read from its first scope (w/o Guidance).
        hops: how far the neighbourhood of a scope reaches.
        max_neighbors: neighbours that each scope may bring in; None, the default, for all.
        budgets: limits on the directory, reads and searches.

    Raises:
        UsageError: when an option has no such value.
    """

    def __init__(
        self,
        graph: RepositoryGraph,
        requirements: str,
        *,
        order: Order = "sections",
        behaviors: bool = True,
        relations: bool = True,
        guidance: bool = True,
        hops: Literal[1, 2, 3] = 1,
        max_neighbors: int | None = None,
        budgets: Budgets = Budgets(),
    ) -> None:
        if order not in ("sections", "cover"):
            raise UsageError(f"order is 'sections' or 'cover', not {order!r}")
        if hops not in (1, 2, 3):
            raise UsageError(f"hops is 1, 2 or 3, not {hops!r}")
        if max_neighbors is not None and max_neighbors < 0:
            raise UsageError(f"max_neighbors is None or at least 0, not {max_neighbors!r}")
        self.graph = graph
        self.budgets = budgets
        self._order: Order = order
        self._settings = Settings(behaviors, relations, guidance, hops, max_neighbors)
        self._cues = Cues(graph, Requirements(requirements))
        self._planner = Planner(graph, self._cues, self._settings)
        self._renderer = Renderer(graph, self._settings)
        self._file_ids = number_files(graph)
        self._scope_ids = {path: number_scopes(graph, path, read_id) for path, read_id in self._file_ids.items()}
        self._writer = UnitWriter(graph, self._planner, self._renderer, self._scope_ids)
        self._paths = {read_id: path for path, read_id in self._file_ids.items()}

    @cached_property
    def directory(self) -> Directory:
        """The ranked table of files that a monitor starts from."""
        ranked: Sequence[str] = sorted(self._file_ids)
        if self._settings.guidance:
            ranked = rank_files(self.graph, self._cues, self._order, relations=self._settings.relations)
        return build_directory(
            ranked,
            self._file_ids,
            {path: self._titles(path) for path in ranked},
            {path: self._hint(path) for path in ranked},
            {path: [seed.scope.symbol for seed in self._planner.seeds(path)] for path in ranked},
            budget=self.budgets.index,
            guidance=self._settings.guidance,
        )

    def search(self, query: str) -> SearchReply:
        """Find files and scopes by id, path, symbol, behavior id, or by words in their names and source."""
        return self._searcher.search(query, self.budgets.hits)

    def read(self, ids: Sequence[str], shown: Mapping[str, Set[int]] = _NOTHING_SHOWN) -> Unit:
        """Show files (`F0001`) or scopes (`F0001.S0002`) with what is related to them.

        The ids share one budget: the first may take all of it, and the first that no longer fits ends the read. No line
        is shown that was shown before. A file whose view was shown already goes on with the rest of the file.

        Args:
            ids: what to read; an id that is given twice counts once.
            shown: line numbers shown before, by path; it is not changed.

        Raises:
            UsageError: when there is no id, or no such id.
        """
        wanted = list(dict.fromkeys(ids))
        targets = [self._target(read_id) for read_id in wanted]
        if not wanted:
            raise UsageError("a read needs at least one id, for example 'F0001'")
        page = Page(shown, self.budgets.read)
        again = "Read again to go on: {}\n"
        page.room -= size(again.format(", ".join(wanted)))
        deferred: list[str] = []
        for number, (read_id, (path, scope)) in enumerate(zip(wanted, targets, strict=True)):
            room = page.room if len(wanted) == 1 else min(page.room, self.budgets.unit * 3)
            draft = page.draft(room)
            complete = self._writer.write(draft, read_id, path, scope)
            if number and not complete and room < self.budgets.unit * 3:
                deferred += wanted[number:]
                break
            page.take(draft)
            if not complete:
                deferred.append(read_id)
        if deferred:
            page.add(again.format(", ".join(deferred)))
        lines = {path: frozenset(numbers) for path, numbers in sorted(page.lines.items())}
        return Unit(
            page.text, lines, tuple(dict.fromkeys([*page.ids, *page.later_ids])), tuple(deferred), estimate(page.text)
        )

    @cached_property
    def _searcher(self) -> Searcher:
        return Searcher(self.graph, self._file_ids, self._scope_ids)

    def _titles(self, path: str) -> list[str]:
        """Return the sections that name a file, those with most of its names first, each title once."""
        orders = self._cues.sections_by_file.get(path, {})
        sections = self._cues.requirements.sections
        return list(dict.fromkeys(sections[o].title for o in sorted(orders, key=lambda o: (-orders[o], o))))

    def _hint(self, path: str) -> str:
        """Say which scopes of a file do something: those that Q names first, members only without their class."""
        owners = [scope for scope in self.graph.scopes_of_file[path] if scope.id in self.graph.behaviors_of_scope]
        named = {seed.scope: place for place, seed in enumerate(self._planner.seeds(path)) if seed.grade == 0}
        scopes = {scope.id: scope for scope in owners} | {scope: self.graph.scopes[scope] for scope in named}
        symbols: dict[str, None] = {}
        for scope in sorted(scopes.values(), key=lambda scope: (named.get(scope.id, len(named)), scope.spans[0][0])):
            owner = scope.symbol.rpartition(".")[0]
            if scope.kind != "module" and owner not in symbols:
                symbols[scope.symbol] = None
        file = self.graph.files[path]
        plain = f"no observable symbols; {file.language}, {len(file.lines)} lines"
        return hint(len(scopes), list(symbols) or ["<module>"], plain)

    # --- targets ---------------------------------------------------------------------------------------------------

    def _target(self, read_id: str) -> tuple[str, ScopeId | None]:
        path = self._paths.get(read_id.split(".", 1)[0])
        if path is not None:
            if read_id == self._file_ids[path]:
                return path, None
            for symbol, scope_id in self._scope_ids[path].items():
                if scope_id == read_id:
                    return path, ScopeId(path, symbol)
        last = f"F{len(self._paths):04d}"
        raise UsageError(f"unknown id {read_id!r}; ids are F0001 to {last} for files, F0001.S0001 for their scopes")
