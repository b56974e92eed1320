"""What the build keeps of one file: small picklable tuples, a pure function of the file's path and bytes.

Facts travel between processes and into the cache; the driver numbers them over the whole repository. Everything
refers to the file's own evidence by its index in `FileFacts.evidence`.

How relations are joined in. For Python files the per-file function calls

    ebg.repository._names.name_facts(syntax: PythonSyntax) -> NameFacts

and keeps the result, which must pickle and compare by value, as `FileFacts.names`. When the facts of all admitted
files are there, in path order, the driver calls once

    ebg.repository._link.link(files: Sequence[FileFacts], *, compat: Compat | None) -> LinkFacts

whose supports name evidence as (index into `files`, index into that file's `evidence`). The driver sorts relations by
(source path, source symbol, type, target path, target symbol), maps supports to ids and numbers them, so `link` need
not; there must be one row for each (source, type, target).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ebg.model import ArtifactKind, RelationType, Resolution, ResultType, ScopeId, ScopeKind, Unresolved

__all__ = ["BehaviorFacts", "Compat", "FileFacts", "LinkFacts", "RelationFacts", "ScopeFacts"]

Compat = Literal["reference"]


class ScopeFacts(NamedTuple):
    """A scope of the file. One row a symbol, in order of first definition; `<module>` first."""

    symbol: str
    kind: ScopeKind
    spans: tuple[tuple[int, int], ...]
    """Lines of its definitions, decorators included, in document order."""
    signature: tuple[int, int]
    """Lines of decorators and header of the first definition."""


class BehaviorFacts(NamedTuple):
    """A behavior; roles hold indices of the file's evidence, ascending."""

    symbol: str
    line: int
    """Line of the anchor: the statement or call that is the result."""
    result_type: ResultType
    condition: tuple[int, ...]
    operation: tuple[int, ...]
    result: tuple[int, ...]
    lines: tuple[int, int]
    guards: tuple[tuple[str, int], ...] = ()
    """(negated test, index of the evidence that holds it)."""
    tests: tuple[tuple[int, int, int], ...] = ()
    """(index of an evidence, first and end character in its content): where the test of a condition stands when the
    evidence holds the result as well (`if x: return 1`)."""
    outside: str | None = None
    """For a call into an import: the dotted name that it reaches if the import is not part of the project. The driver
    drops the behavior when it is."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """All facts of one admitted file."""

    path: str
    kind: ArtifactKind
    language: str
    scopes: tuple[ScopeFacts, ...] = ()
    evidence: tuple[tuple[str, int, int], ...] = ()
    """(symbol, first line, last line) by lines, then casefolded symbol, then symbol."""
    behaviors: tuple[BehaviorFacts, ...] = ()
    """By symbol, line, result type, then roles."""
    names: object = None
    """The `NameFacts` of a Python file, for linking; None for other files."""
    note: str | None = None
    """Why reading was partial, or None."""


class RelationFacts(NamedTuple):
    """A relation between two scopes, before numbering."""

    source: ScopeId
    type: RelationType
    target: ScopeId
    via: str | None
    resolution: Resolution
    evidence: tuple[tuple[int, int], ...]
    """(index into the files given to `link`, index into that file's evidence); at least one."""


class LinkFacts(NamedTuple):
    """What linking the files gives."""

    relations: tuple[RelationFacts, ...]
    unresolved: tuple[Unresolved, ...]
    """By path, line, label."""
