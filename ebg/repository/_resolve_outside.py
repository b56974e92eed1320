"""What calls of well-known functions outside the tree give, as far as they pass on what they are given."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ebg.repository import _resolve_containers as containers
from ebg.repository._names_expressions import LITERAL, MAPPING, SEQUENCE, Expression
from ebg.repository._resolve_values import (
    CLASS,
    CONTAINER,
    MANY,
    OBJECT,
    SUPER,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    Where,
    known,
    union,
    value_of,
)

if TYPE_CHECKING:
    from ebg.repository._resolve_evaluate import Evaluator, Given

__all__ = ["BUILTINS", "call_outside"]

BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))

_Arguments: TypeAlias = "tuple[tuple[str, Expression], ...]"


def call_outside(evaluator: Evaluator, name: str, given: Given) -> Values:
    """Return what calling something outside the tree gives."""
    arguments, where = given
    if not arguments or arguments[0][0]:
        if name == "super":
            return _super(evaluator, where)
        return _empty(name, arguments, where) if name in _MAPPINGS or name in _SEQUENCES else (UNKNOWN,)
    reader = _READERS.get(name)
    return (UNKNOWN,) if reader is None else reader(evaluator, arguments, where)


def _empty(name: str, arguments: _Arguments, where: Where) -> Values:
    """Return the container that `list()`, `dict(a=b)` and the like make."""
    identity = containers.identity_of_call(where.position)
    if name in _SEQUENCES:
        expression: tuple[object, ...] = (SEQUENCE, identity, ())
    else:
        pairs = tuple(((LITERAL, keyword), value) for keyword, value in arguments if keyword.isidentifier())
        expression = (MAPPING, identity, pairs)
    return (Value(CONTAINER, where.file, where.scope, (expression, where.branch, where.position)),)


def _super(evaluator: Evaluator, where: Where) -> Values:
    scopes = evaluator.files[where.file].scopes
    scope = where.scope
    while scope >= 0 and scopes[scope].kind != "class":
        scope = scopes[scope].parent
    return (value_of((SUPER, where.file, scope, None)),) if scope >= 0 else (UNKNOWN,)


def _super_of(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    values = evaluator.evaluate(arguments[0][1], where)
    return tuple(value_of((SUPER, value.file, value.scope, None)) for value in values if value.kind == CLASS) or (
        UNKNOWN,
    )


def _cast(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    target = arguments[0][1]
    text = target[1] if isinstance(target, tuple) and target[0] == LITERAL else target
    declared = evaluator.types.annotated(text, where.file, where.scope) if isinstance(text, str) else ()
    if known(declared) or len(arguments) < 2:
        return declared or (UNKNOWN,)
    return evaluator.evaluate(arguments[1][1], where)


def _getattr(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    name = arguments[1][1] if len(arguments) > 1 else None
    if not isinstance(name, tuple) or name[0] != LITERAL or not isinstance(name[1], str):
        return (UNKNOWN,)
    return evaluator.attribute(evaluator.evaluate(arguments[0][1], where), name[1])


def _type(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    values = evaluator.evaluate(arguments[0][1], where)
    return tuple(Value(CLASS, *value[1:3]) if value.kind == OBJECT else UNKNOWN for value in values)


def _same(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    return evaluator.evaluate(arguments[0][1], where)


def _many(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    return (Value(MANY, more=containers.each(evaluator, evaluator.evaluate(arguments[0][1], where))),)


def _next(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    return containers.each(evaluator, evaluator.evaluate(arguments[0][1], where))


def _enumerate(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    return (Value(MANY, more=(Value(TUPLE, more=((UNKNOWN,), _next(evaluator, arguments, where))),)),)


def _zip(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    parts = [containers.each(evaluator, evaluator.evaluate(value, where)) for _, value in arguments]
    return (Value(MANY, more=(Value(TUPLE, more=tuple(parts)),)),)


def _filter(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    return _many(evaluator, arguments[1:], where) if len(arguments) > 1 else (UNKNOWN,)


def _map(evaluator: Evaluator, arguments: _Arguments, where: Where) -> Values:
    functions = evaluator.evaluate(arguments[0][1], where)
    return (Value(MANY, more=union([evaluator.called(function, ((), where)) for function in functions])),)


_SEQUENCES = frozenset(("list", "tuple", "set", "frozenset", "collections.deque"))
_MAPPINGS = frozenset(("dict", "collections.OrderedDict", "collections.defaultdict"))

_READERS: dict[str, Callable[[Evaluator, _Arguments, Where], Values]] = {
    **dict.fromkeys(_SEQUENCES | {"sorted", "reversed"}, _many),
    "dict": _same,
    "collections.OrderedDict": _same,
    "collections.defaultdict": lambda _evaluator, arguments, where: _empty("dict", arguments[1:], where),
    "copy.copy": _same,
    "copy.deepcopy": _same,
    "functools.partial": _same,
    "functools.update_wrapper": _same,
    "iter": _same,
    "weakref.proxy": _same,
    "super": _super_of,
    "typing.cast": _cast,
    "typing_extensions.cast": _cast,
    "getattr": _getattr,
    "type": _type,
    "next": _next,
    "enumerate": _enumerate,
    "zip": _zip,
    "filter": _filter,
    "map": _map,
}
