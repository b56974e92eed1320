"""The one pass over all files that makes relations of their facts.

`calls` joins a scope to what its calls, decorators, `with`, `for`, `raise` and property reads run; `feeds` joins a
scope to who uses its result, to who reads the state that it writes, and a template to who renders it. Each relation
keeps the evidence of every place that supports it, and the best of the ways in which its target was found.

A call that may mean several scopes makes no relation; it is listed as unresolved with its candidates. What cannot be
followed makes nothing at all. Cost: dictionaries over the facts; nothing compares scopes with scopes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ebg.model import RelationType, Resolution, ScopeId, Unresolved
from ebg.repository._facts import Compat, FileFacts, LinkFacts, RelationFacts
from ebg.repository._link_calls import reached_by_calls
from ebg.repository._link_protocols import reached_by_protocol
from ebg.repository._link_reached import Reached
from ebg.repository._link_reference import reached_by_reference
from ebg.repository._link_resolution import Resolutions
from ebg.repository._link_state import StateFeed, state_feeds, state_feeds_of_reference
from ebg.repository._names_expressions import LITERAL
from ebg.repository._names_facts import NO_NAMES, Call, NameFacts
from ebg.repository._resolve_evaluate import Evaluator
from ebg.repository._resolve_modules import Modules
from ebg.repository._resolve_reference import ReferenceFile, ReferenceRules
from ebg.repository._resolve_values import Scope

__all__ = ["link"]

_PYTHON = frozenset(("notebook", "python", "python-stub"))
_RESULT = "result"
_RENDERING = frozenset(("get_template", "render_template"))
_BEST_FIRST: tuple[Resolution, ...] = (
    "exact",
    "constructor",
    "nested",
    "inherited",
    "reexport",
    "typed",
    "result",
    "template",
    "state",
)


def link(files: Sequence[FileFacts], *, compat: Compat | None = None) -> LinkFacts:
    """Return the relations between the scopes of all files, one for each (source, type, target).

    Args:
        files: facts in path order.
        compat: `reference` restricts the pass to the reference's own rules.
    """
    linker = _Linker(files)
    if compat == "reference":
        linker.link_by_reference()
    else:
        linker.link()
    return linker.result()


def _names(file: FileFacts) -> NameFacts:
    """Return the names of a Python file; one that is empty or was not parsed has none, but is a module all the same."""
    return file.names if isinstance(file.names, NameFacts) else NO_NAMES


@dataclass(slots=True)
class _Joined:
    """A relation that is being put together."""

    resolution: Resolution
    via: set[str] = field(default_factory=set)
    evidence: dict[tuple[int, int], None] = field(default_factory=dict)


class _Linker:
    """Collects relations. Files of the facts are numbered twice: all files, and the Python files among them."""

    def __init__(self, files: Sequence[FileFacts]) -> None:
        self.files = files
        self.numbers = [number for number, file in enumerate(files) if file.language in _PYTHON]
        modules = Modules([files[number].path for number in self.numbers])
        self.evaluator = Evaluator([_names(files[number]) for number in self.numbers], modules)
        self.names = self.evaluator.files
        self.rules = ReferenceRules(
            [
                ReferenceFile(files[number].path, names, frozenset(row.symbol for row in files[number].behaviors))
                for number, names in zip(self.numbers, self.names, strict=True)
            ]
        )
        self.supplies = self._supplies()
        self.relations: dict[tuple[ScopeId, RelationType, ScopeId], _Joined] = {}
        self.unresolved: dict[Unresolved, None] = {}

    def link(self) -> None:
        """Link by the default rules."""
        evaluator = self.evaluator
        absolute = {row.module for names in self.names for row in names.imports if row.module and not row.level}
        evaluator.modules.learn_own_name(sorted(absolute))
        resolutions = Resolutions(self.names, self.rules)
        for reached in (*reached_by_calls(evaluator), *reached_by_protocol(evaluator)):
            self._reached(reached, resolutions)
        self._templates()
        self._state(state_feeds(evaluator))

    def link_by_reference(self) -> None:
        """Link by the reference's rules."""
        for reached in reached_by_reference(self.names, self.rules):
            self._reached(reached, None)
        self._templates()
        writing = [
            frozenset(row.symbol for row in self.files[number].behaviors if row.result_type == "state_write")
            for number in self.numbers
        ]
        behaving = [file.behaving for file in self.rules.files]
        self._state(state_feeds_of_reference(self.names, self.rules, writing, behaving))

    def result(self) -> LinkFacts:
        """Return what was found."""
        rows = [
            RelationFacts(
                source,
                kind,
                target,
                " | ".join(sorted(joined.via)) if kind == "feeds" else None,
                joined.resolution,
                tuple(sorted(joined.evidence)),
            )
            for (source, kind, target), joined in self.relations.items()
        ]
        rows.sort(key=lambda row: (row.source, row.type, row.target))
        unresolved = sorted(self.unresolved, key=lambda row: (row.scope.path, row.line, row.label, row.candidates))
        return LinkFacts(tuple(rows), tuple(unresolved))

    def _supplies(self) -> dict[ScopeId, tuple[tuple[int, int], ...]]:
        """Return the result evidence of the `return` and `yield` behaviors of each scope."""
        found: dict[ScopeId, dict[tuple[int, int], None]] = {}
        for number, file in enumerate(self.files):
            for row in file.behaviors:
                if row.result_type in ("return", "yield"):
                    rows = found.setdefault(ScopeId(file.path, row.symbol), {})
                    rows.update(((number, index), None) for index in row.result)
        return {scope: tuple(rows) for scope, rows in found.items()}

    def scope(self, target: Scope) -> ScopeId:
        """Return the id of a scope."""
        file, number = target
        return ScopeId(self.files[self.numbers[file]].path, self.names[file].scopes[number].symbol)

    def _add(
        self,
        source: ScopeId,
        kind: RelationType,
        target: ScopeId,
        *,
        via: str | None = None,
        resolution: Resolution,
        evidence: Iterable[tuple[int, int]],
    ) -> None:
        joined = self.relations.get((source, kind, target))
        if joined is None:
            joined = self.relations[source, kind, target] = _Joined(resolution)
        elif _BEST_FIRST.index(resolution) < _BEST_FIRST.index(joined.resolution):
            joined.resolution = resolution
        if via is not None:
            joined.via.add(via)
        joined.evidence.update(dict.fromkeys(evidence))

    def _reached(self, reached: Reached, resolutions: Resolutions | None) -> None:
        if not reached.groups:
            return
        source = self.scope((reached.file, reached.scope))
        groups = {tuple(self.scope(target) for target in group): group for group in reached.groups}
        number = self.numbers[reached.file]
        if len(groups) > 1:
            line = reached.line or self.files[number].evidence[reached.evidence][1]
            candidates = tuple(sorted({scope for group in groups for scope in group}))
            self.unresolved[Unresolved(source, line, reached.label, candidates)] = None
            return
        for target in next(iter(groups.values())):
            scope = self.scope(target)
            place = (number, reached.evidence)
            if not reached.cached:
                resolution = "exact" if resolutions is None else resolutions.of(reached, target)
                self._add(source, "calls", scope, resolution=resolution, evidence=[place])
            supply = self.supplies.get(scope)
            if reached.used and supply and scope != source:
                self._add(scope, "feeds", source, via=_RESULT, resolution="result", evidence=[*supply, place])

    def _templates(self) -> None:
        by_name: dict[str, list[int]] = {}
        for number, file in enumerate(self.files):
            if file.kind == "runtime_template":
                path = file.path
                while path:
                    by_name.setdefault(path, []).append(number)
                    path = path.partition("/")[2]
        if not by_name:
            return
        for index, names in enumerate(self.names):
            for call in map(Call._make, names.facts.calls):
                if call.label.rpartition(".")[2] not in _RENDERING or not call.arguments:
                    continue
                name = call.arguments[0][1]
                if not isinstance(name, tuple) or name[0] != LITERAL or not isinstance(name[1], str):
                    continue
                found = by_name.get(name[1].removeprefix("./"), [])
                if len(found) == 1:
                    self._render(found[0], self.scope((index, call.scope)), (self.numbers[index], call.evidence))

    def _render(self, template: int, source: ScopeId, place: tuple[int, int]) -> None:
        file = self.files[template]
        for row in file.behaviors:
            evidence = [*((template, number) for number in row.result), place]
            scope = ScopeId(file.path, row.symbol)
            self._add(scope, "feeds", source, via=_RESULT, resolution="template", evidence=evidence)

    def _state(self, feeds: Iterable[StateFeed]) -> None:
        for row in feeds:
            source, target = self.scope(row.writer), self.scope(row.reader)
            if source != target:
                evidence = [(self.numbers[file], number) for file, number in row.evidence]
                self._add(source, "feeds", target, via=row.name, resolution="state", evidence=evidence)
