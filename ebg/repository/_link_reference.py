"""Calls by the reference's rules alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ebg.repository._link_reached import Reached
from ebg.repository._names_facts import Call
from ebg.repository._resolve_names import FileNames
from ebg.repository._resolve_reference import ReferenceRules

__all__ = ["reached_by_reference"]


def reached_by_reference(files: Sequence[FileNames], rules: ReferenceRules) -> Iterator[Reached]:
    """Yield the calls with a dotted label, outside lambdas, whose candidates the reference's rules find."""
    for file, names in enumerate(files):
        for call in map(Call._make, names.facts.calls):
            if not isinstance(call.callee, str) or not rules.is_source(file, call.scope):
                continue
            if any(row.start <= call.position < row.end for row in names.lambdas):
                continue
            found = rules.candidates(file, call.scope, call.callee)
            groups = tuple(((number, rules.scope_number(number, symbol)),) for number, symbol in found)
            if groups:
                yield Reached(file, call.scope, call.evidence, call.used, call.line, call.label, call.callee, groups)
