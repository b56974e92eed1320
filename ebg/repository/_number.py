"""Ids: the facts of all files become one graph.

Evidence is numbered by (path casefolded, path, lines, symbol casefolded, symbol); behaviors by (path, symbol, line,
result type, roles); relations by (source, type, target), as specification part 1 (ebg-method) says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ebg.model import (
    Behavior,
    ConditionPart,
    Evidence,
    Excluded,
    Guard,
    Relation,
    RepositoryGraph,
    Scope,
    ScopeId,
    SourceFile,
)
from ebg.repository._facts import BehaviorFacts, Compat, FileFacts, LinkFacts, RelationFacts
from ebg.repository._outside import Outside
from ebg.repository._tables import Deferred

__all__ = ["number"]


def number(
    files: Sequence[SourceFile],
    facts: Sequence[FileFacts],
    excluded: Sequence[Excluded],
    linked: LinkFacts,
    *,
    compat: Compat | None = None,
) -> RepositoryGraph:
    """Return the graph of files and their facts, both in path order, and of what links them."""
    by_path = sorted(range(len(facts)), key=lambda index: (facts[index].path.casefold(), facts[index].path))
    first = [0] * len(facts)
    total = 0
    for index in by_path:
        first[index] = total
        total += len(facts[index].evidence)
    outside = Outside(facts)
    behaviors = [
        (index, row)
        for index, fact in enumerate(facts)
        for row in fact.behaviors
        if row.outside is None or outside.holds(index, row.outside)
    ]
    return RepositoryGraph(
        files=files,
        excluded=excluded,
        scopes=_scopes(facts, only_behaving=compat == "reference"),
        evidence=Deferred(total, lambda: _evidence(files, facts, by_path)),
        behaviors=Deferred(len(behaviors), lambda: _behaviors(facts, first, behaviors)),
        relations=Deferred(len(linked.relations), lambda: _relations(first, linked.relations)),
        unresolved=linked.unresolved,
    )


def _scopes(facts: Sequence[FileFacts], *, only_behaving: bool) -> list[Scope]:
    scopes: list[Scope] = []
    for fact in facts:
        behaving = {row.symbol for row in fact.behaviors}
        scopes.extend(
            Scope(ScopeId(fact.path, row.symbol), row.kind, row.spans, row.signature, fact.kind)
            for row in fact.scopes
            if not only_behaving or row.symbol in behaving
        )
    return scopes


def _evidence(files: Sequence[SourceFile], facts: Sequence[FileFacts], order: Sequence[int]) -> list[Evidence]:
    items: list[Evidence] = []
    for index in order:
        path, lines = facts[index].path, files[index].lines
        for symbol, start, end in facts[index].evidence:
            content = lines[start - 1] if start == end else "".join(lines[start - 1 : end])
            items.append(Evidence(f"E{len(items) + 1:06d}", path, symbol, start, end, content))
    return items


def _relations(first: Sequence[int], rows: Sequence[RelationFacts]) -> list[Relation]:
    ordered = sorted(rows, key=lambda row: (row.source, row.type, row.target))
    return [
        Relation(
            f"R{number:04d}",
            row.source,
            row.type,
            row.target,
            row.via,
            tuple(
                [f"E{identifier + 1:06d}" for identifier in sorted(first[file] + index for file, index in row.evidence)]
            ),
            row.resolution,
        )
        for number, row in enumerate(ordered, 1)
    ]


def _behaviors(
    facts: Sequence[FileFacts], first: Sequence[int], rows: Sequence[tuple[int, BehaviorFacts]]
) -> list[Behavior]:
    return [
        behavior
        for index, group in groupby(enumerate(rows, 1), key=lambda item: item[1][0])
        for behavior in _behaviors_of_file(facts[index], first[index], [(number, row) for number, (_, row) in group])
    ]


def _behaviors_of_file(fact: FileFacts, first: int, rows: Sequence[tuple[int, BehaviorFacts]]) -> Iterator[Behavior]:
    ids = [f"E{number:06d}" for number in range(first + 1, first + len(fact.evidence) + 1)]
    scopes = {row.symbol: ScopeId(fact.path, row.symbol) for row in fact.scopes}
    guards: dict[tuple[tuple[str, int], ...], tuple[Guard, ...]] = {(): ()}
    for number, row in rows:
        if row.guards not in guards:
            guards[row.guards] = tuple([Guard(text, ids[index]) for text, index in row.guards])
        yield Behavior(
            f"B{number:04d}",
            scopes[row.symbol],
            fact.kind,
            row.result_type,
            tuple([ids[index] for index in row.condition]),
            tuple([ids[index] for index in row.operation]),
            tuple([ids[index] for index in row.result]),
            row.lines,
            guards[row.guards],
            tuple([ConditionPart(ids[index], start, end) for index, start, end in row.tests]),
        )
