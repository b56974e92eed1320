"""What containers give: their elements, parts and items, and what `with` binds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ebg.repository._names_expressions import MADE, MAPPING, SEQUENCE, SLICE, Expression, Tagged
from ebg.repository._resolve_names import around
from ebg.repository._resolve_values import (
    ALIAS,
    CLASS,
    CONTAINER,
    CONTEXT,
    GENERATOR,
    MANY,
    OBJECT,
    OUTSIDE,
    PLAIN,
    TABLE,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    Where,
    place_of,
    union,
)

if TYPE_CHECKING:
    from ebg.repository._resolve_evaluate import Evaluator, Given

__all__ = [
    "DISPLAYS",
    "Added",
    "call_method",
    "each",
    "entered",
    "identity",
    "identity_of_call",
    "item",
    "made",
    "part",
]

DISPLAYS = frozenset((SEQUENCE, MAPPING, MADE))

_TAKING = frozenset(("get", "pop", "popleft", "setdefault", "__getitem__"))
_COPYING = frozenset(("copy", "union", "difference", "intersection"))


class Added(NamedTuple):
    """An element that a statement adds to a container."""

    keys: Values | None
    """None for elements without a key."""
    values: Values
    where: Where


def identity(container: Value) -> tuple[int, int]:
    """Return what tells a container from all others: its file and the place where it is made."""
    return container.file, container.more[0][1]


def identity_of_call(position: int) -> int:
    """Return the place of a container that a call makes, apart from those of displays."""
    return -1 - position


def made(container: Value) -> tuple[Tagged, Where]:
    """Return the expression that makes a container, and its place."""
    expression, branch, position = container.more
    return expression, place_of((container.file, container.scope, position, branch))


def each(evaluator: Evaluator, values: Values) -> Values:
    """Return what iterating over any of `values` gives."""
    return union([_each(evaluator, value) for value in values])


def _each(evaluator: Evaluator, value: Value) -> Values:
    kind = value.kind
    found: Values = (UNKNOWN,)
    if kind == MANY:
        found = value.more
    elif kind == TUPLE:
        found = union(value.more)
    elif kind == TABLE:
        found = value.more[0]
    elif kind == CONTAINER:
        found = evaluator.once(("each", *identity(value)), lambda: _each_of_container(evaluator, value))
    elif kind == GENERATOR:
        found = evaluator.functions.yielded(value.file, value.scope)
    elif kind == OBJECT:
        iterators = _calling(evaluator, value, "__iter__")
        found = union([_next(evaluator, iterator) for iterator in iterators])
    return found


def _next(evaluator: Evaluator, iterator: Value) -> Values:
    return _calling(evaluator, iterator, "__next__") if iterator.kind == OBJECT else _each(evaluator, iterator)


def _each_of_container(evaluator: Evaluator, value: Value) -> Values:
    expression, where = made(value)
    if expression[0] == MAPPING:
        return union([evaluator.evaluate(key, where) for key, _ in expression[2]])
    elements = (expression[2],) if expression[0] == MADE else expression[2]
    found = [evaluator.evaluate(element, where) for element in elements]
    return union([*found, *(added.values for added in evaluator.members.items_of(value))])


def item(evaluator: Evaluator, values: Values, key: Expression, where: Where) -> Values:
    """Return what `values[key]` may be at a place."""
    classes = tuple(value for value in values if value.kind == CLASS)
    if classes:  # Generic[int]
        return classes
    if len(values) == 1 and values[0].kind == OUTSIDE:
        return (Value(ALIAS, where.file, where.scope, (values[0].more, key)),)
    if isinstance(key, tuple) and key[0] == SLICE:
        starts = evaluator.evaluate(key[1], where)
        if len(starts) != 1 or not isinstance(starts[0].more, int):
            return values
        return part(evaluator, values, starts[0].more, rest=True)
    keys = evaluator.evaluate(key, where)
    return union([_item(evaluator, value, keys, where) for value in values])


def _item(evaluator: Evaluator, value: Value, keys: Values, where: Where | None) -> Values:
    kind = value.kind
    if kind == TABLE:
        values: Values = value.more[1]
        return values
    if kind == OBJECT:
        return _calling(evaluator, value, "__getitem__")
    plain = keys if keys and all(key.kind == PLAIN for key in keys) else None
    if kind == CONTAINER and value.more[0][0] == MAPPING:
        expression, place = made(value)
        own = [
            evaluator.evaluate(element, place)
            for key, element in expression[2]
            if plain is None or _may_be(evaluator.evaluate(key, place), plain)
        ]
        return _with_added(evaluator, value, own, plain, where)
    if plain is None or not all(isinstance(key.more, int) for key in plain):
        return _each(evaluator, value)
    return union([_part(evaluator, value, key.more, rest=False, where=where) for key in plain])


def part(evaluator: Evaluator, values: Values, index: int, *, rest: bool) -> Values:
    """Return what unpacking any of `values` gives at an index, or from the index on."""
    return union([_part(evaluator, value, index, rest=rest) for value in values])


def _part(evaluator: Evaluator, value: Value, index: int, *, rest: bool, where: Where | None = None) -> Values:
    if value.kind == TUPLE:
        parts = value.more
        if rest:
            return (Value(TUPLE, more=parts[index:]),)
        return parts[index] if -len(parts) <= index < len(parts) else ()
    if value.kind == CONTAINER and value.more[0][0] == SEQUENCE:
        expression, place = made(value)
        elements = expression[2]
        if rest:
            return (Value(CONTAINER, value.file, value.scope, ((SEQUENCE, -1, elements[index:]), *value.more[1:])),)
        own = [evaluator.evaluate(elements[index], place)] if -len(elements) <= index < len(elements) else []
        return _with_added(evaluator, value, own, (Value(PLAIN, more=index),), where)
    return (value,) if rest else _each(evaluator, value)


def _with_added(
    evaluator: Evaluator, container: Value, own: list[Values], keys: Values | None, where: Where | None
) -> Values:
    """Join the own elements of a container with those that statements add under one of the keys.

    The last statement of the same scope that certainly sets the only key, before the place of the read, replaces
    whatever was there before it.
    """
    added = [
        row
        for row in evaluator.members.items_of(container)
        if keys is None or row.keys is None or _may_be(row.keys, keys)
    ]
    if where is not None and keys is not None and len(keys) == 1:
        outside = around(evaluator.files[where.file].branches, where.branch)
        for row in reversed(added):
            place = row.where
            is_before = place[:2] == where[:2] and place.position < where.position
            if is_before and row.keys == keys and (place.branch < 0 or place.branch in outside):
                later = [
                    other.values
                    for other in added
                    if other.where[:2] != where[:2] or place.position < other.where.position < where.position
                ]
                return union([row.values, *later])
    return union([*own, *(row.values for row in added)])


def _may_be(keys: Values, wanted: Values) -> bool:
    return any(
        key.kind != PLAIN or any(type(key.more) is type(other.more) and key.more == other.more for other in wanted)
        for key in keys
    )


def entered(evaluator: Evaluator, values: Values) -> Values:
    """Return what `with` binds for any of `values`."""
    return union([_entered(evaluator, value) for value in values])


def _entered(evaluator: Evaluator, value: Value) -> Values:
    if value.kind == CONTEXT:
        values: Values = value.more
        return values
    if value.kind != OBJECT:
        return (UNKNOWN,)
    return _calling(evaluator, value, "__enter__") or _calling(evaluator, value, "__aenter__") or (UNKNOWN,)


def call_method(evaluator: Evaluator, method: Value, given: Given) -> Values:
    """Return what a method of a container gives."""
    value, name = method.more
    arguments, where = given
    if name in _TAKING:
        keys = evaluator.evaluate(arguments[0][1], where) if arguments else ()
        default = evaluator.evaluate(arguments[1][1], where) if len(arguments) > 1 else ()
        return union([_item(evaluator, value, keys, where), default])
    if name in _COPYING:
        return (value,)
    if name == "keys":
        return (Value(MANY, more=_each(evaluator, value)),)
    if name == "values":
        return (Value(MANY, more=_item(evaluator, value, (), None)),)
    if name in ("items", "popitem"):
        pair = Value(TUPLE, more=(_each(evaluator, value), _item(evaluator, value, (), None)))
        return (pair,) if name == "popitem" else (Value(MANY, more=(pair,)),)
    return (UNKNOWN,)


def _calling(evaluator: Evaluator, value: Value, method: str) -> Values:
    return union([evaluator.functions.returned(found) for found in evaluator.members.methods(value, method)])
