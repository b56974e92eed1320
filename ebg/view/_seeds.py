"""Seed scopes: where the reading of a file starts (specification part 5.4).

Grades: 0 Q names the scope; 1 the scope's evidence holds a rare name that Q writes as code; 2 Q names only what
encloses it, or an ordinary word of Q happens to be its name; 3 nothing. Grades 0 and 1 are all kept; without them
grade 2; without any the fixed representative of the file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ebg.model import RepositoryGraph, Scope, ScopeId
from ebg.tokens import estimate
from ebg.view._cues import Cues
from ebg.view._document import Section

__all__ = ["Seed", "find_seeds", "first_scope"]

_WORD = re.compile(r"[^\W\d]\w*")
# A name that more scopes of its file hold does not say which of them is meant (the reference wants exactly one).
_MAX_HOLDERS = 2
# Members of a class that Q names, but none of them: as many as fit, the ones that share most words with Q first.
_MEMBER_TOKENS = 2_048


@dataclass(frozen=True, slots=True)
class Seed:
    """A scope to start from."""

    scope: ScopeId
    grade: int
    doc: str | None
    """Title of the most specific section that names exactly this symbol, or None."""
    evidence: tuple[str, ...] = ()
    """For grade 1: ids of the statements that Q's names stand in."""


def first_scope(graph: RepositoryGraph, path: str) -> tuple[Seed, ...]:
    """Return the first scope of a file by line, as a view without guidance starts from."""
    scopes = _code_scopes(graph, path)
    return (Seed(scopes[0].id, 3, None),) if scopes else ()


def find_seeds(graph: RepositoryGraph, cues: Cues, path: str) -> tuple[Seed, ...]:
    """Return the seeds of a file, best first; empty only for a file without scopes."""
    scopes = graph.scopes_of_file[path]
    holders = _holders_of_names(graph, cues, path)
    grades = {scope.id: _grade(cues, scope, holders) for scope in scopes}
    kept = [scope for scope in scopes if grades[scope.id] <= 1]
    kept += _members_of_named_classes(graph, cues, scopes, grades)
    if not kept:
        kept = [scope for scope in scopes if (cue := cues.scopes.get(scope.id)) is not None and not cue.strong]
        grades.update({scope.id: 2 for scope in kept})
    if not kept:
        kept = sorted(_code_scopes(graph, path), key=lambda scope: _legacy(graph, scope))[:1]

    def key(scope: Scope) -> tuple[int, int, bool, int, tuple[int, int, str]]:
        cue = cues.scopes.get(scope.id)
        size = sum(end - start + 1 for start, end in scope.spans)
        named = len(cue.sections) if cue is not None else 0
        return grades[scope.id], -named, scope.kind == "module", size, _legacy(graph, scope)

    return tuple(
        Seed(scope.id, grades[scope.id], _doc(cues, scope), holders[scope.id] if grades[scope.id] == 1 else ())
        for scope in sorted(kept, key=key)
    )


def _grade(cues: Cues, scope: Scope, holders: Mapping[ScopeId, Sequence[str]]) -> int:
    cue = cues.scopes.get(scope.id)
    if cue is not None and cue.strong:
        return 0
    return 1 if scope.id in holders else 3


def _holders_of_names(graph: RepositoryGraph, cues: Cues, path: str) -> dict[ScopeId, tuple[str, ...]]:
    """Return the scopes of a file that alone hold a rare name of Q, with the evidence that holds it."""
    names = cues.names_by_file.get(path, frozenset())
    found: dict[str, dict[ScopeId, list[str]]] = defaultdict(lambda: defaultdict(list))
    for scope in graph.scopes_of_file[path] if names else ():
        for item in graph.evidence_of_scope.get(scope.id, ()):
            # An import only says that a name is defined elsewhere.
            if not item.content.lstrip().startswith(("import ", "from ")):
                for name in names & {word.casefold() for word in _WORD.findall(item.content)}:
                    found[name][scope.id].append(item.id)
    holders: dict[ScopeId, set[str]] = defaultdict(set)
    for owners in found.values():
        if len(owners) <= _MAX_HOLDERS:
            for scope_id, evidence in owners.items():
                holders[scope_id].update(evidence)
    return {scope_id: tuple(sorted(evidence)) for scope_id, evidence in holders.items()}


def _members_of_named_classes(
    graph: RepositoryGraph, cues: Cues, scopes: Sequence[Scope], grades: dict[ScopeId, int]
) -> list[Scope]:
    members: list[Scope] = []
    for owner in scopes:
        if owner.kind != "class" or grades[owner.id] != 0:
            continue
        inside = [scope for scope in scopes if scope.symbol.startswith(owner.symbol + ".")]
        if any(grades[scope.id] <= 1 for scope in inside):
            continue  # Q says which members it means
        ranked = sorted(inside, key=lambda scope: (-cues.overlap(_source(graph, scope)), _legacy(graph, scope)))
        spent = 0
        for scope in ranked:
            spent += estimate(_source(graph, scope))
            if spent > _MEMBER_TOKENS and scope is not ranked[0]:
                break
            grades[scope.id] = 2
            members.append(scope)
    return members


def _source(graph: RepositoryGraph, scope: Scope) -> str:
    lines = graph.files[scope.path].lines
    return "".join("".join(lines[start - 1 : end]) for start, end in scope.spans)


def _code_scopes(graph: RepositoryGraph, path: str) -> list[Scope]:
    scopes = list(graph.scopes_of_file[path])
    return [scope for scope in scopes if scope.kind != "module"] or scopes


def _legacy(graph: RepositoryGraph, scope: Scope) -> tuple[int, int, str]:
    return -len(graph.behaviors_of_scope.get(scope.id, ())), scope.spans[0][0], scope.symbol


def _doc(cues: Cues, scope: Scope) -> str | None:
    cue = cues.scopes.get(scope.id)
    if cue is None or not cue.exact_sections:
        return None
    leaf = scope.symbol.rsplit(".", 1)[-1].casefold()

    def specificity(section: Section) -> tuple[bool, int, int, int]:
        return leaf not in section.title.casefold(), -section.level, section.end - section.start, section.order

    # Text before the first heading has no title of its own.
    named = [item for item in cues.requirements.sections if item.order in cue.exact_sections and item.level]
    return min(named, key=specificity).title if named else None
