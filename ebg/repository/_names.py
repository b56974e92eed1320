"""From the tables of one Python file to its facts about names (`_names_facts`).

Every node that the file's query captured is placed by its first byte; no tree is walked as a whole, and nothing
recurses without a bound.
"""

from __future__ import annotations

from ebg.repository._names_bindings import Bindings
from ebg.repository._names_facts import NameFacts
from ebg.repository._names_places import Places
from ebg.repository._names_scopes import read_scopes
from ebg.repository._names_uses import (
    read_calls,
    read_items,
    read_protocols,
    read_reads,
    read_results,
    read_writes,
)
from ebg.repository._syntax import PythonSyntax

__all__ = ["name_facts"]


def name_facts(syntax: PythonSyntax) -> NameFacts:
    """Return what a Python file says about names: a pure function of its tables."""
    places = Places(syntax)
    scopes, parameters = read_scopes(places)
    bindings = Bindings(places, scopes, parameters)
    bindings.read()
    calls = read_calls(places)
    items = sorted((*bindings.items, *read_items(calls)), key=lambda row: row[1])
    return NameFacts(
        scopes=scopes,
        branches=tuple(places.branches),
        imports=tuple(bindings.imports),
        stars=tuple(bindings.stars),
        bindings=tuple(bindings.rows),
        outer_names=tuple(bindings.outer_names),
        attributes=tuple(bindings.attributes),
        items=tuple(items),
        calls=tuple(calls),
        protocols=tuple(read_protocols(places)),
        results=tuple(read_results(places)),
        lambdas=tuple(bindings.lambdas),
        writes=tuple(read_writes(places, calls)),
        reads=tuple(read_reads(places, bindings.rows, bindings.outer_names)),
    )
