"""A place that runs something."""

from __future__ import annotations

from typing import NamedTuple

from ebg.repository._resolve_calls import Group, group_of
from ebg.repository._resolve_evaluate import Evaluator
from ebg.repository._resolve_values import Values

__all__ = ["Reached", "groups_of"]


class Reached(NamedTuple):
    """A place that calls, and the groups of scopes that it may run: at least one."""

    file: int
    scope: int
    evidence: int
    used: bool
    line: int
    """0 for what is called by protocol."""
    label: str
    chain: str
    """The callee of a call if it is a name or dotted chain, else empty."""
    groups: tuple[Group, ...]
    is_call: bool = True
    cached: bool = False
    """A cached property: it supplies its value, but whether the read runs it depends on who read it before."""


def groups_of(evaluator: Evaluator, values: Values) -> tuple[Group, ...]:
    """Return the different groups of scopes that calling any of some values may run."""
    return tuple(dict.fromkeys([group for value in values if (group := group_of(evaluator, value))]))
