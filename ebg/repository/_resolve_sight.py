"""What can be told of a receiver at first sight, so that hopeless calls cost nothing.

In code without annotations most calls go to something that cannot be known, or to a container; to find that out the
long way takes half of the time of linking.
"""

from __future__ import annotations

from ebg.repository._names_expressions import ATTRIBUTE, PARAMETER, UNION, Expression
from ebg.repository._names_facts import Binding
from ebg.repository._resolve_evaluate import Evaluator
from ebg.repository._resolve_values import CLASS, FUNCTION, METHOD, Parameter, place_of

__all__ = ["bare_parameter", "is_object", "is_of_container"]

_CONTAINER_METHODS = frozenset(
    (
        *("add", "append", "appendleft", "clear", "copy", "count", "discard", "extend", "get", "index", "insert"),
        *("items", "keys", "pop", "popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update", "values"),
    )
)
"""On a receiver that is not plainly an object these are almost always a container's own, and to find out is costly."""


def is_of_container(evaluator: Evaluator, file: int, scope: int, callee: Expression) -> bool:
    """Say whether a callee is a method that containers have, of something that is not plainly an object."""
    if isinstance(callee, str):
        receiver, _, name = callee.rpartition(".")
        return name in _CONTAINER_METHODS and receiver != "" and not is_object(evaluator, file, scope, receiver)
    if isinstance(callee, tuple) and callee[0] == ATTRIBUTE and callee[2] in _CONTAINER_METHODS:
        return not is_object(evaluator, file, scope, callee[1])
    return False


def is_object(evaluator: Evaluator, file: int, scope: int, receiver: Expression) -> bool:
    """Say whether a receiver is of a class at first sight.

    It is if it begins with a name from outside the function, with an annotated or the first parameter, or is the
    result of a class or of an annotated function.
    """
    names = evaluator.files[file]
    if isinstance(receiver, str):
        owner, rows, limited, _ = names.variable(scope, receiver.partition(".")[0])
        if owner <= 0 or names.scopes[owner].kind == "class":
            return not limited
        return any(_is_object_at_binding(evaluator, file, row) for row in rows)
    if not isinstance(receiver, int):
        return False
    scope, position, branch, _, callee, _, _, _, label = names.facts.calls[receiver]
    if not isinstance(callee, str):
        return str(label).startswith("super(")
    values = evaluator.evaluate(callee, place_of((file, scope, position, branch)))
    return any(
        value.kind == CLASS
        or (value.kind in (FUNCTION, METHOD) and evaluator.files[value.file].scopes[value.scope].returns)
        for value in values
    )


def _is_object_at_binding(evaluator: Evaluator, file: int, row: Binding) -> bool:
    if row.annotation is not None:
        return True
    if isinstance(row.value, int):
        return is_object(evaluator, file, row.scope, row.value)
    if isinstance(row.value, tuple) and row.value[0] == UNION:
        return any(isinstance(part, int) and is_object(evaluator, file, row.scope, part) for part in row.value[1:])
    if not isinstance(row.value, tuple) or row.value[0] != PARAMETER or len(row.value) > 2:
        return False
    scope = evaluator.files[file].scopes[row.scope]
    return scope.parameters[row.value[1]].annotation is not None or (row.value[1] == 0 and scope.kind == "method")


def bare_parameter(evaluator: Evaluator, file: int, scope: int, callee: Expression) -> Parameter | None:
    """Return the parameter that a callee begins with if neither its function nor any call tells what it is."""
    if not isinstance(callee, str):
        return None
    names = evaluator.files[file]
    owner, rows, _, fixed = names.variable(scope, callee.partition(".")[0])
    value = rows[0].value if fixed and len(rows) == 1 else None
    if not isinstance(value, tuple) or value[0] != PARAMETER or len(value) > 2:
        return None
    key = (file, owner, value[1])
    row = names.scopes[owner].parameters[value[1]]
    if row.annotation is not None or row.default is not None or key in evaluator.passed:
        return None
    return None if value[1] == 0 and names.scopes[owner].kind == "method" else key
