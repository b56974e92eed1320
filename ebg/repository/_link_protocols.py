"""What is run without a call expression: by `with`, `for`, `raise` of a class, and by properties."""

from __future__ import annotations

from collections.abc import Iterator

from ebg.repository._link_reached import Reached
from ebg.repository._resolve_calls import Group, group_of, property_group
from ebg.repository._resolve_evaluate import Evaluator
from ebg.repository._resolve_sight import is_object
from ebg.repository._resolve_values import CLASS, OBJECT, Value, Values, place_of

__all__ = ["reached_by_protocol"]

_ENTERING = (("__enter__", "__exit__"), ("__aenter__", "__aexit__"))


def reached_by_protocol(evaluator: Evaluator) -> Iterator[Reached]:
    """Yield what statements and attributes run without a call expression, by file and position."""
    finders = {"with": _entering, "for": _iterating, "raise": _raising}
    special = _special_names(evaluator)
    wanted = {"raise"}
    if not special.isdisjoint(("__enter__", "__aenter__")):
        wanted.add("with")
    if "__iter__" in special:
        wanted.add("for")
    for file, names in enumerate(evaluator.files):
        for kind, scope, position, branch, evidence, expression in names.facts.protocols:
            if kind not in wanted or (kind == "for" and not is_object(evaluator, file, scope, expression)):
                continue
            values = evaluator.evaluate(expression, place_of((file, scope, position, branch)))
            found = [group for value in values if (group := finders[kind](evaluator, value))]
            if found:
                groups = tuple(dict.fromkeys(found))
                yield Reached(file, scope, evidence, True, 0, kind, "", groups, is_call=False)
        yield from _properties(evaluator, file, special)


def _special_names(evaluator: Evaluator) -> frozenset[str]:
    """Return the names of all properties and special methods of the tree."""
    found = set()
    for file, names in enumerate(evaluator.files):
        for number, scope in enumerate(names.scopes):
            if scope.kind == "method":
                name = scope.symbol.rpartition(".")[2]
                if name.startswith("__") or "property" in evaluator.functions.flags(file, number):
                    found.add(name)
    return frozenset(found)


def _entering(evaluator: Evaluator, value: Value) -> Group:
    if value.kind != OBJECT:
        return ()
    for names in _ENTERING:
        found = [method for name in names for method in evaluator.members.methods(value, name)]
        if found:
            return tuple((method.file, method.scope) for method in found)
    return ()


def _iterating(evaluator: Evaluator, value: Value) -> Group:
    if value.kind != OBJECT:
        return ()
    found = evaluator.members.methods(value, "__iter__")
    iterators = [item for method in found for item in evaluator.functions.returned(method) if item.kind == OBJECT]
    found = [*found, *(method for item in iterators for method in evaluator.members.methods(item, "__next__"))]
    return tuple(dict.fromkeys((method.file, method.scope) for method in found))


def _raising(evaluator: Evaluator, value: Value) -> Group:
    return group_of(evaluator, value) if value.kind == CLASS else ()


def _properties(evaluator: Evaluator, file: int, special: frozenset[str]) -> Iterator[Reached]:
    facts = evaluator.files[file].facts
    for scope, chain, position, branch, evidence in facts.reads:
        root, *parts = chain.split(".")
        if special.isdisjoint(parts):
            continue
        values = evaluator.evaluate(root, place_of((file, scope, position, branch)))
        for part in parts:
            if part in special:
                yield from _property(evaluator, values, part, Reached(file, scope, evidence, True, 0, chain, "", ()))
            values = evaluator.attribute(values, part)
    for scope, start, branch, owner, attribute, _, _, evidence in facts.attributes:
        if attribute in special:
            values = evaluator.evaluate(owner, place_of((file, scope, start, branch)))
            reached = Reached(file, scope, evidence, False, 0, attribute, "", ())
            yield from _property(evaluator, values, attribute, reached)


def _property(evaluator: Evaluator, values: Values, name: str, reached: Reached) -> Iterator[Reached]:
    groups = tuple(dict.fromkeys([group for value in values if (group := property_group(evaluator, value, name))]))
    if groups:
        cached = all("cached" in evaluator.functions.flags(*scope) for group in groups for scope in group)
        yield reached._replace(groups=groups, is_call=False, cached=cached)
