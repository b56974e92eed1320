"""What the reading of one id shows, before budgets: blocks in reading order (specification parts 5.4 to 5.6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ebg.model import Relation, RepositoryGraph, Scope, ScopeId
from ebg.view._components import reading_order
from ebg.view._cues import Cues
from ebg.view._expansion import expand, preferred
from ebg.view._extent import Extents
from ebg.view._seeds import Seed, find_seeds, first_scope

__all__ = ["Block", "Planner", "Settings"]

# A file without functions or classes (configuration, text, other languages, broken code) is read whole up to here.
_PLAIN_LINES = 200
# Of so many callers also the tests before the call are shown; of the others the call alone.
_CALLERS_WITH_TESTS = 8


@dataclass(frozen=True, slots=True)
class Settings:
    """The switches of a view; the ablations of the paper are values of it (specification part 9)."""

    behaviors: bool = True
    relations: bool = True
    guidance: bool = True
    hops: int = 1
    max_neighbors: int | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A scope to show, and why."""

    path: str
    scope: Scope | None
    """None for a file that is shown as plain lines."""
    lines: tuple[int, ...]
    seed: Seed | None = None
    """Set for a scope that the reading starts from."""
    relation: Relation | None = None
    """For a neighbour: what joins it to the scope before it in the reading."""
    others: tuple[Relation, ...] = ()
    """Calls that join it to further scopes of the selection."""


class Planner:
    """Makes the blocks of an id."""

    def __init__(self, graph: RepositoryGraph, cues: Cues, settings: Settings) -> None:
        self._graph = graph
        self._cues = cues
        self._settings = settings
        self._seeds: dict[str, tuple[Seed, ...]] = {}
        self.extents = Extents(graph)

    def seeds(self, path: str) -> tuple[Seed, ...]:
        """Return where the reading of a file starts, best first."""
        if path not in self._seeds:
            guided = self._settings.guidance
            self._seeds[path] = find_seeds(self._graph, self._cues, path) if guided else first_scope(self._graph, path)
        return self._seeds[path]

    def file(self, path: str) -> tuple[Block, ...]:
        """Return the blocks of a file: its seeds and what is related to them; plain files whole."""
        seeds = self.seeds(path)
        count = len(self._graph.files[path].lines)
        if not seeds or (self.is_plain(path) and count <= _PLAIN_LINES):
            whole = Block(path, None, tuple(range(1, count + 1)))
            related = [block for block in self._blocks(seeds) if block.path != path]
            return (whole, *related)
        return self._blocks(seeds)

    def overlap(self, scope: Scope) -> int:
        """Return how much rare vocabulary a scope shares with Q; 0 without guidance."""
        if not self._settings.guidance:
            return 0
        lines = self._graph.files[scope.path].lines
        return self._cues.overlap("".join("".join(lines[start - 1 : end]) for start, end in scope.spans))

    def scope(self, scope: ScopeId) -> tuple[Block, ...]:
        """Return the blocks of a scope that was asked for by its own id: all of it, then what is related to it."""
        doc = next((seed.doc for seed in self.seeds(scope.path) if seed.scope == scope), None)
        root, *related = self._blocks([Seed(scope, 0, doc)])
        # Of top-level code the definitions below it are read by their own ids.
        is_module = root.scope is not None and root.scope.kind == "module"
        lines = (
            self.extents.own(self._graph.scopes[scope]) if is_module else self.extents.whole(self._graph.scopes[scope])
        )
        whole = Block(root.path, root.scope, lines, seed=root.seed)
        return (whole, *related)

    def remainder(self, path: str, blocks: Sequence[Block]) -> Block | None:
        """Return what `blocks` leave out of a file but imports and long docstrings; None when that is nothing."""
        lines: set[int] = set()
        for scope in self._graph.scopes_of_file[path]:
            lines.update(self.extents.statements(scope) if scope.kind == "module" else self.extents.own(scope))
        lines.difference_update(*(block.lines for block in blocks if block.path == path))
        return Block(path, None, tuple(sorted(lines))) if lines else None

    def rest(self, path: str) -> tuple[Block, ...]:
        """Return the whole file as lines, for a reader who comes back."""
        return (Block(path, None, tuple(range(1, len(self._graph.files[path].lines) + 1))),)

    def is_plain(self, path: str) -> bool:
        """Return whether a file has no functions or classes, so that it is read as lines."""
        return all(scope.kind in {"module", "config", "template", "file"} for scope in self._graph.scopes_of_file[path])

    def _blocks(self, seeds: Sequence[Seed]) -> tuple[Block, ...]:
        by_scope = {seed.scope: seed for seed in seeds}
        settings = self._settings
        kept: Sequence[Relation] = ()
        if settings.relations:
            # A scope that only holds a name of Q brings no neighbours where others are named themselves.
            named = [seed.scope for seed in seeds if seed.grade == 0] or list(by_scope)
            kept = expand(self._graph, named, hops=settings.hops, max_neighbors=settings.max_neighbors)
        touching: dict[ScopeId, list[Relation]] = defaultdict(list)
        for relation in kept:
            touching[relation.source].append(relation)
            touching[relation.target].append(relation)
        pairs = [(relation.source, relation.target) for relation in kept]
        blocks = []
        callers = 0
        for component in reading_order(by_scope, pairs, self._cues.position):
            for scope_id, parent in component.steps:
                scope, relations, seed = self._graph.scopes[scope_id], touching[scope_id], by_scope.get(scope_id)
                if seed is not None:
                    lines = self._seed_lines(scope, seed)
                elif any(relation.type == "calls" and relation.target == scope_id for relation in relations):
                    lines = self.extents.as_callee(scope)
                elif any(relation.type == "calls" for relation in relations):
                    callers += 1
                    lines = self.extents.at_relation(scope, relations, tests=callers <= _CALLERS_WITH_TESTS)
                else:
                    lines = self.extents.first_use(scope, relations)
                blocks.append(_block(scope, lines, seed, parent, relations))
        return tuple(blocks)

    def _seed_lines(self, scope: Scope, seed: Seed) -> tuple[int, ...]:
        if seed.evidence:
            return self.extents.around(scope, seed.evidence)
        return self.extents.own(scope)


def _block(
    scope: Scope, lines: tuple[int, ...], seed: Seed | None, parent: ScopeId | None, relations: Sequence[Relation]
) -> Block:
    if parent is None:
        return Block(scope.path, scope, lines, seed)
    to_parent = [relation for relation in relations if parent in (relation.source, relation.target)]
    others = [item for item in relations if item.type == "calls" and item not in to_parent]
    return Block(scope.path, scope, lines, seed, preferred(parent, to_parent), tuple(others))
