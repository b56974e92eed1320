"""The nouns of the graph: evidence, behaviors, scopes, relations.

Terms follow the paper. *Evidence* is a verbatim piece of the input with its place. A *behavior* is
Condition-Operation-Result for code and Demand-Action-Response for sessions; its roles hold evidence ids. A *scope*
is a function, method, class or module of a repository, or a task of a session. A *relation* joins two scopes and
holds the evidence that supports it.

Invariants: line numbers are 1-based and inclusive; ids are contiguous in the documented order; every id inside a
behavior or relation names an evidence of the same graph; all sequences are in a defined order, so equal input gives
equal graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    import networkx

__all__ = [
    "ArtifactKind",
    "Behavior",
    "ConditionPart",
    "Detail",
    "Evidence",
    "Excluded",
    "Guard",
    "Relation",
    "RelationType",
    "RepositoryGraph",
    "Resolution",
    "ResultType",
    "Scope",
    "ScopeId",
    "ScopeKind",
    "SourceFile",
    "Unresolved",
]

_Item = TypeVar("_Item")

ArtifactKind = Literal["source", "runtime_template", "executable", "configuration"]
ResultType = Literal["return", "raise", "state_write", "output", "external_call", "yield"]
ScopeKind = Literal["module", "class", "function", "method", "config", "template", "file"]
RelationType = Literal["calls", "feeds"]
Resolution = Literal["exact", "inherited", "typed", "reexport", "constructor", "nested", "template", "state", "result"]
Detail = Literal["scopes", "behaviors", "evidence"]


class ScopeId(NamedTuple):
    """Name of a repository scope: the file's path and the lexical dotted symbol (`<module>` for top-level code)."""

    path: str
    symbol: str

    def __str__(self) -> str:
        return f"{self.path}::{self.symbol}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim piece of a file: lines `line_start` to `line_end` of `path`, owned by `symbol`."""

    id: str
    path: str
    symbol: str
    line_start: int
    line_end: int
    content: str
    """The whole lines with their line ends, exactly as in the file."""


@dataclass(frozen=True, slots=True)
class Guard:
    """An early exit that must not have been taken for a behavior to happen (`if bad: raise` before it)."""

    text: str
    """The negated test, for example ``not (strict and value > LIMIT)``."""
    evidence: str
    """Id of the evidence that holds the test."""


@dataclass(frozen=True, slots=True)
class ConditionPart:
    """The part of an evidence that is a condition, where the evidence holds more than that."""

    evidence: str
    """Id of the evidence."""
    start: int
    """First character of its content."""
    end: int
    """End character, exclusive."""


@dataclass(frozen=True, slots=True)
class Behavior:
    """Condition, operation and result of one observable effect of a scope (specification part 1.3)."""

    id: str
    scope: ScopeId
    kind: ArtifactKind
    result_type: ResultType
    condition: tuple[str, ...]
    """Evidence ids of the tests that lead here; published as `trigger_evidence_ids`."""
    operation: tuple[str, ...]
    result: tuple[str, ...]
    """At least one evidence id."""
    lines: tuple[int, int]
    """First and last line of the scope's definition that holds all of the evidence; published as `symbol_lines`."""
    guards: tuple[Guard, ...] = ()
    """Early exits before this point; ours, not part of the published form."""
    tests: tuple[ConditionPart, ...] = ()
    """Where the test stands in each condition that is the result or an operation as well, as in `if x: return 1`.
    Ours, not part of the published form, which keeps an id in one role only: the result before the operation before
    the condition."""

    @property
    def evidence(self) -> tuple[str, ...]:
        """All evidence ids of the behavior: condition, operation, result."""
        return self.condition + self.operation + self.result


@dataclass(frozen=True, slots=True)
class Scope:
    """A function, method, class, module, configuration key, template block or other file."""

    id: ScopeId
    kind: ScopeKind
    spans: tuple[tuple[int, int], ...]
    """Line spans of its definitions, decorators included; more than one when the symbol is defined again."""
    signature: tuple[int, int]
    """Lines of decorators and header of the first definition (the first line for modules)."""
    artifact: ArtifactKind = "source"

    @property
    def path(self) -> str:
        """Path of the file."""
        return self.id.path

    @property
    def symbol(self) -> str:
        """Lexical dotted name."""
        return self.id.symbol


@dataclass(frozen=True, slots=True)
class Relation:
    """`source` calls `target`, or supplies data to it (`feeds`)."""

    id: str
    source: ScopeId
    type: RelationType
    target: ScopeId
    via: str | None
    """None for calls; for feeds `result`, or the names of the state, sorted and joined by ` | `."""
    evidence: tuple[str, ...]
    """Ids of the supporting evidence, at least one."""
    resolution: Resolution = "exact"
    """How the target was found; `exact` is the strict subset that the reference rules give."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A call that could mean several scopes of the project; it makes no relation."""

    scope: ScopeId
    line: int
    label: str
    candidates: tuple[ScopeId, ...]


@dataclass(frozen=True, slots=True)
class Excluded:
    """A file that was left out of the evidence, and the rule that did it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An admitted file. Its text can always be read and searched, whatever the language."""

    path: str
    kind: ArtifactKind
    language: str
    """`python`, `notebook`, `javascript`, ..., or `text` when nothing better is known."""
    lines: tuple[str, ...] = field(repr=False)
    """Lines with their line ends; joined they are the file's text."""
    note: str | None = None
    """Why parsing was partial (a syntax error and its line), or None."""

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)


class RepositoryGraph:
    """The evidence-grounded behavior graph of a repository: scopes joined by relations, over behaviors and evidence.

    All sequences are in the order of their ids. Build one with `ebg.build`.
    """

    def __init__(
        self,
        *,
        files: Iterable[SourceFile],
        excluded: Iterable[Excluded] = (),
        scopes: Iterable[Scope] = (),
        evidence: Sequence[Evidence] = (),
        behaviors: Sequence[Behavior] = (),
        relations: Sequence[Relation] = (),
        unresolved: Sequence[Unresolved] = (),
    ) -> None:
        self.files: Mapping[str, SourceFile] = MappingProxyType(
            {file.path: file for file in sorted(files, key=lambda file: file.path)}
        )
        self.excluded: tuple[Excluded, ...] = tuple(excluded)
        self.scopes: Mapping[ScopeId, Scope] = MappingProxyType({scope.id: scope for scope in scopes})
        self.evidence: Sequence[Evidence] = evidence
        self.behaviors: Sequence[Behavior] = behaviors
        self.relations: Sequence[Relation] = relations
        self.unresolved: Sequence[Unresolved] = unresolved

    @cached_property
    def evidence_by_id(self) -> Mapping[str, Evidence]:
        """Evidence by id."""
        return {item.id: item for item in self.evidence}

    @cached_property
    def scopes_of_file(self) -> Mapping[str, tuple[Scope, ...]]:
        """Scopes of each file by path, in order of first line, then symbol."""
        grouped: dict[str, list[Scope]] = {path: [] for path in self.files}
        for scope in self.scopes.values():
            grouped.setdefault(scope.path, []).append(scope)
        return {
            path: tuple(sorted(group, key=lambda scope: (scope.spans[0][0], scope.symbol)))
            for path, group in grouped.items()
        }

    @cached_property
    def behaviors_of_scope(self) -> Mapping[ScopeId, tuple[Behavior, ...]]:
        """Behaviors of each scope that has any."""
        return _group(self.behaviors, lambda behavior: behavior.scope)

    @cached_property
    def evidence_of_scope(self) -> Mapping[ScopeId, tuple[Evidence, ...]]:
        """Evidence owned by each scope, in line order."""
        return _group(self.evidence, lambda item: ScopeId(item.path, item.symbol))

    @cached_property
    def outgoing(self) -> Mapping[ScopeId, tuple[Relation, ...]]:
        """Relations by source."""
        return _group(self.relations, lambda relation: relation.source)

    @cached_property
    def incoming(self) -> Mapping[ScopeId, tuple[Relation, ...]]:
        """Relations by target."""
        return _group(self.relations, lambda relation: relation.target)

    def to_networkx(self, detail: Detail = "scopes") -> networkx.MultiDiGraph[str]:
        """Return the graph as a networkx MultiDiGraph.

        Args:
            detail: `scopes` gives one node a scope with `behaviors` and `evidence` as attributes; `behaviors` adds a
                node a behavior; `evidence` adds a node an evidence. Edges are keyed by relation type.
        """
        from ebg._networkx import repository_to_networkx

        return repository_to_networkx(self, detail)


def _group(items: Iterable[_Item], key: Callable[[_Item], ScopeId]) -> dict[ScopeId, tuple[_Item, ...]]:
    grouped: dict[ScopeId, list[_Item]] = {}
    for item in items:
        grouped.setdefault(key(item), []).append(item)
    return {scope: tuple(group) for scope, group in grouped.items()}
