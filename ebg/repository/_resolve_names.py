"""Which bindings a name may mean where it is read: Python's scopes, and the order of statements inside a scope.

Inside the scope that reads the name, a binding counts if it stands before the read on some way there: going back from
the read, bindings in a branch that excludes the read's are left out, and the first binding that always runs ends the
search. Bindings later in the same loop count too. From a nested function, and from another module, a name means what
its scope holds at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from ebg.repository._names_expressions import LITERAL, SEQUENCE
from ebg.repository._names_facts import (
    AUGMENTED,
    DELETED,
    NARROWED,
    Binding,
    Branching,
    Import,
    Lambda,
    NameFacts,
    ScopeNames,
    named_binding,
)

__all__ = ["END", "FileNames", "Variable", "around"]

END: Final = 1 << 60
"""The position after everything: what a scope holds when it has run."""


class Variable(NamedTuple):
    """What a name means in a scope."""

    owner: int
    """The scope whose variable it is, or -1 if no scope of the file binds it."""
    rows: Sequence[Binding]
    """Its bindings by position, without those that hold only in a part of the scope."""
    limited: Sequence[Binding]
    """Bindings that hold only in a part of the reading scope."""
    fixed: bool
    """Whether it means the same wherever in the scope it is read."""


_variable_of = partial(tuple.__new__, Variable)


class FileNames:
    """The names of one file, ready for look-up."""

    def __init__(self, facts: NameFacts) -> None:
        self.facts = facts
        self.scopes = [ScopeNames.of(row) for row in facts.scopes]
        self.branches = [Branching._make(row) for row in facts.branches]
        self.imports = [Import._make(row) for row in facts.imports]
        self.lambdas = [Lambda._make(row) for row in facts.lambdas]
        self.lambda_numbers = {row.start: number for number, row in enumerate(self.lambdas)}
        self.outer = {(scope, name): is_global for scope, name, is_global in facts.outer_names}
        self.bound: dict[tuple[int, str], list[Binding]] = {}
        """Bindings by (scope, name), by position, without those that hold only in a part of the scope."""
        self._limited: dict[tuple[int, str], list[Binding]] = {}
        self._variables: dict[tuple[int, str], Variable] = {}
        bound = {(row[0], row[1]) for row in facts.bindings} if self.outer else frozenset()
        for row in facts.bindings:
            binding = named_binding(row)
            key = (binding.scope, binding.name)
            if key in self.outer:
                key = (self._outer_owner(*key, bound), binding.name)
            table = self._limited if binding.last else self.bound
            rows = table.get(key)
            if rows is None:
                table[key] = [binding]
            else:
                rows.append(binding)
        self.exported = self._exported()
        """The names of `__all__`, or None if the module has none that can be read."""

    def _exported(self) -> frozenset[str] | None:
        rows = self.bound.get((0, "__all__"), [])
        value = rows[0].value if len(rows) == 1 else None
        if not isinstance(value, tuple) or value[0] != SEQUENCE:
            return None
        texts = [element[1] for element in value[2] if isinstance(element, tuple) and element[0] == LITERAL]
        return frozenset(texts) if len(texts) == len(value[2]) else None

    def _outer_owner(self, scope: int, name: str, bound: Iterable[tuple[int, str]]) -> int:
        """Return the scope that a `global` or `nonlocal` name of `scope` belongs to."""
        if self.outer[scope, name]:
            return 0
        parent = self.scopes[scope].parent
        while parent > 0 and (self.scopes[parent].kind == "class" or (parent, name) not in bound):
            parent = self.scopes[parent].parent
        return max(parent, 0)

    def variable(self, scope: int, name: str) -> Variable:
        """Return what a name means in a scope."""
        found = self._variables.get((scope, name))
        if found is None:
            found = self._variables[scope, name] = self._variable(scope, name)
        return found

    def _variable(self, scope: int, name: str) -> Variable:
        limited = self._limited.get((scope, name), ())
        if (scope, name) in self.outer:
            owner = self._outer_owner(scope, name, self.bound)
            owner = owner if (owner, name) in self.bound else -1
        else:
            owner = scope
            while owner >= 0 and ((owner, name) not in self.bound or (owner != scope and self._is_class(owner))):
                owner = self.scopes[owner].parent
        rows = self.bound[owner, name] if owner >= 0 else ()
        fixed = not limited and (owner != scope or (len(rows) == 1 and rows[0].kind != NARROWED))
        return _variable_of((owner, rows, limited, fixed))

    def _is_class(self, scope: int) -> bool:
        return self.scopes[scope].kind == "class"

    def at(self, variable: Variable, scope: int, position: int, branch: int) -> Sequence[Binding]:
        """Return the bindings that a variable may have where `scope` reads it."""
        best = None
        for row in variable.limited:
            if row.first <= position < row.last and (best is None or row.first >= best.first):
                best = row
        if best is not None:
            return (best,)
        if variable.owner != scope:
            return self.reaching(variable.rows, variable.owner, END, -1)
        return self.reaching(variable.rows, scope, position, branch)

    def reaching(self, rows: Sequence[Binding], scope: int, position: int, branch: int) -> Sequence[Binding]:
        """Return which of a variable's bindings may hold at a place of its scope, latest first."""
        if len(rows) == 1:
            return rows if rows[0].kind != NARROWED or rows[0].position <= position else ()
        outside = around(self.branches, branch)
        found: list[Binding] = []
        for row in reversed(rows):
            if row.position > position or row.kind == AUGMENTED or row.scope != scope:
                continue
            if self._excludes(row.branch, outside):
                continue
            found.append(row)
            if row.branch < 0 or row.branch in outside:
                break
        if position != END:
            loops = [self.branches[number] for number in outside if self.branches[number].last]
            found.extend(
                row
                for row in rows
                if row.position > position
                and row.kind not in (AUGMENTED, NARROWED)
                and any(loop.first <= row.position < loop.last for loop in loops)
            )
        # Assignments that other functions make through `global` and `nonlocal` may have happened at any time.
        found.extend(row for row in rows if row.scope != scope and row.kind not in (DELETED, AUGMENTED))
        return found

    def _excludes(self, branch: int, outside: Mapping[int, int]) -> bool:
        """Say whether a branch excludes the branches around a read (branch -> control)."""
        while branch >= 0 and branch not in outside:
            row = self.branches[branch]
            if row.exclusive and row.control in outside.values():
                return True
            branch = row.parent
        return False


def around(branches: Sequence[Branching], branch: int) -> dict[int, int]:
    """Return `branch` and the branches around it, innermost first, each with its control."""
    found: dict[int, int] = {}
    while branch >= 0:
        found[branch] = branches[branch].control
        branch = branches[branch].parent
    return found
