"""Which scopes a call reaches, and what it passes to them.

A value that can be called reaches one *group* of scopes, all of which the call runs:

- a function, and what a decorator of the tree puts in its place: a wrapper, or the `__call__` of an object;
- a class: its `__init__` and `__new__`, own or inherited; when the tree has neither, its `__post_init__` (data
  classes); when it has none of them, the scope of the class itself;
- an instance: its `__call__`;
- a method that only raises `NotImplementedError` or is marked abstract: also the one method of a subclass that
  implements it, if there is exactly one;
- the parameter of a decorator: every function that it decorates, for each application is a call of its own.

A call whose alternatives reach different groups is ambiguous.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ebg.repository._names_expressions import Expression
from ebg.repository._resolve_evaluate import Evaluator
from ebg.repository._resolve_values import (
    CLASS,
    CLOSURE,
    DECORATED,
    FUNCTION,
    METHOD,
    OBJECT,
    SUPER,
    Parameter,
    Scope,
    Value,
)

__all__ = ["Group", "argument", "group_of", "property_group", "receiving"]

Group: TypeAlias = tuple[Scope, ...]

_MOST_DECORATED = 100
"""A wrapper around more functions than this calls too many to say which."""


def group_of(evaluator: Evaluator, value: Value) -> Group:
    """Return the scopes that calling a value runs; empty if it runs none of the tree."""
    kind = value.kind
    if kind in (FUNCTION, METHOD):
        return _function_group(evaluator, value)
    if kind == CLASS:
        instance = Value(OBJECT, value.file, value.scope)
        found = [*_methods(evaluator, instance, "__new__"), *_methods(evaluator, instance, "__init__")]
        found = found or _methods(evaluator, instance, "__post_init__")
        return tuple(dict.fromkeys(found)) or ((value.file, value.scope),)
    if kind == OBJECT:
        return tuple(_methods(evaluator, value, "__call__"))
    if kind == DECORATED:
        group = evaluator.decorated[value.file, value.scope, value.more]
        return tuple(group) if len(group) <= _MOST_DECORATED else ()
    return ()


def _function_group(evaluator: Evaluator, value: Value) -> Group:
    group = [(value.file, value.scope)]
    row = evaluator.files[value.file].scopes[value.scope]
    if row.decorators:
        _, current = evaluator.functions.layers(value.file, value.scope)
        if current.kind == OBJECT:
            group.extend(_methods(evaluator, current, "__call__"))
        else:
            group.append((current.file, current.scope))
    if row.kind == "method":
        implementation = evaluator.members.implementation(value)
        if implementation is not None:
            group.append(implementation)
    return tuple(dict.fromkeys(group))


def property_group(evaluator: Evaluator, value: Value, name: str) -> Group:
    """Return the property that reading or setting an attribute of a value runs; empty if it is none."""
    if value.kind not in (OBJECT, SUPER):
        return ()
    found = [
        (item.file, item.scope)
        for item in evaluator.members.lookup(value, name)
        if item.kind == FUNCTION and "property" in evaluator.functions.flags(item.file, item.scope)
    ]
    return tuple(dict.fromkeys(found))


def receiving(evaluator: Evaluator, callee: Value) -> tuple[Scope, int] | None:
    """Return the function whose parameters a call fills, and how many of them it fills without an argument."""
    kind = callee.kind
    if kind == FUNCTION:
        return (callee.file, callee.scope), 0
    if kind == METHOD:
        return (callee.file, callee.scope), 1
    if kind == CLOSURE:
        return (callee.file, -1 - callee.scope), 0
    if kind in (CLASS, OBJECT):
        name = "__init__" if kind == CLASS else "__call__"
        found = _methods(evaluator, Value(OBJECT, callee.file, callee.scope), name)
        if len(found) == 1:
            return found[0], 1
    return None


def argument(
    evaluator: Evaluator, parameter: Parameter, skipped: int, arguments: Sequence[tuple[str, Expression]]
) -> tuple[str, Expression] | None:
    """Return the argument that a call gives to a parameter of a function or lambda, or None.

    Args:
        evaluator: the evaluator.
        parameter: the parameter.
        skipped: how many parameters the call fills without an argument.
        arguments: (keyword, expression) of the call.
    """
    file, scope, index = parameter
    names = evaluator.files[file]
    if scope < 0:
        name, by_position = names.lambdas[-1 - scope].parameters[index], True
    else:
        row = names.scopes[scope].parameters[index]
        name, by_position = row.name, not row.kind
    position = skipped
    for given in arguments:
        keyword = given[0]
        if not keyword:
            if position == index and by_position:
                return given
            position += 1
        elif keyword == name:
            return given
        elif keyword == "*":
            return None
    return None


def _methods(evaluator: Evaluator, instance: Value, name: str) -> list[Scope]:
    return [(item.file, item.scope) for item in evaluator.members.lookup(instance, name) if item.kind == FUNCTION]
