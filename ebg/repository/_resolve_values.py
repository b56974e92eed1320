"""What names can stand for: functions, classes, objects and modules of the tree, and containers of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

__all__ = [
    "ALIAS",
    "CLASS",
    "CLOSURE",
    "CONTAINER",
    "CONTAINER_METHOD",
    "CONTEXT",
    "DECORATED",
    "FUNCTION",
    "GENERATOR",
    "MANY",
    "METHOD",
    "MODULE",
    "NOTHING",
    "OBJECT",
    "OUTSIDE",
    "PLAIN",
    "SUPER",
    "TABLE",
    "TUPLE",
    "UNKNOWN",
    "Parameter",
    "Scope",
    "Value",
    "Values",
    "Where",
    "known",
    "place_of",
    "settled",
    "union",
    "value_of",
]

Scope: TypeAlias = tuple[int, int]
"""(file, number of the scope in the file)."""

Parameter: TypeAlias = tuple[int, int, int]
"""(file, number of the scope, index); for lambdas the number is -1 - the number of the lambda."""

FUNCTION: Final = "function"
METHOD: Final = "method"
"""A function bound to an object or class; `more` is the class that it was found through."""
CLASS: Final = "class"
OBJECT: Final = "object"
"""An instance of the class."""
MODULE: Final = "module"
"""`more` is the `Module`."""
SUPER: Final = "super"
"""What `super()` gives in a method of the class."""
CLOSURE: Final = "closure"
"""A lambda; `scope` is its number in the file."""
GENERATOR: Final = "generator"
"""What calling the generator function gives."""
CONTAINER: Final = "container"
"""A list, tuple, set or dict made in place; `more` is (expression, branch, position)."""
MANY: Final = "many"
"""Something that gives elements; `more` is their values."""
TABLE: Final = "table"
"""A mapping; `more` is (values of the keys, values of the values)."""
TUPLE: Final = "tuple"
"""`more` holds the values of each part."""
CONTEXT: Final = "context"
"""A context manager; `more` is what entering it gives."""
CONTAINER_METHOD: Final = "container method"
"""`more` is (container, name of the method)."""
ALIAS: Final = "alias"
"""A generic from outside with arguments, `Union[str, Path]`; `more` is (its name, the expression of the arguments)."""
DECORATED: Final = "decorated"
"""Each function that the function (file, scope) decorates, as its parameter `more` stands for all of them."""
PLAIN: Final = "plain"
"""A text, a number or None, which is `more`."""
OUTSIDE: Final = "outside"
"""Something that the tree imports; `more` is its dotted name, for builtins the name alone."""


class Value(NamedTuple):
    """One thing that an expression can be."""

    kind: str
    file: int = -1
    scope: int = -1
    more: Any = None


Values: TypeAlias = tuple[Value, ...]
"""Alternatives, in the order in which they were found, without repetition; empty if nothing is known yet."""

UNKNOWN: Final = Value("unknown")
NOTHING: Final = Value(PLAIN)
"""The value None."""

_MOST_ALTERNATIVES = 12
_SCALARS = frozenset(("bool", "bytes", "float", "int", "str"))
_TELLING_NOTHING = frozenset((UNKNOWN.kind, OUTSIDE, PLAIN))


class Where(NamedTuple):
    """The place at which an expression is evaluated."""

    file: int
    scope: int
    position: int
    branch: int


value_of: Final = partial(tuple.__new__, Value)
"""Make a value of a tuple of all four fields: several times faster than calling the class."""

place_of: Final = partial(tuple.__new__, Where)
"""Make a place of a tuple."""


def union(groups: Sequence[Values]) -> Values:
    """Join alternatives; too many of them are as good as unknown."""
    if len(groups) == 1:
        return groups[0]
    found = dict.fromkeys([value for group in groups for value in group])
    return tuple(found) if len(found) <= _MOST_ALTERNATIVES else (UNKNOWN,)


def settled(values: Values) -> bool:
    """Say whether a declaration leaves nothing to find out: something of the tree, or scalars and None alone."""
    return bool(known(values)) or all(
        value == NOTHING or (value.kind == OUTSIDE and value.more in _SCALARS) for value in values
    )


def known(values: Values) -> Values:
    """Return the values that say something about the tree: not unknown, outside or plain."""
    return tuple([value for value in values if value.kind not in _TELLING_NOTHING])
