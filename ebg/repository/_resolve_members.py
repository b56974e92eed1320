"""Members of classes: what the class body, the methods and the bases give to instances, and what containers hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ebg.repository import _resolve_containers as containers
from ebg.repository._names_expressions import MAPPING, UNION, Expression
from ebg.repository._names_facts import AttributeBinding, Item, Row
from ebg.repository._resolve_classes import Linearizer
from ebg.repository._resolve_names import END
from ebg.repository._resolve_values import (
    CLASS,
    CONTAINER,
    FUNCTION,
    METHOD,
    SUPER,
    UNKNOWN,
    Scope,
    Value,
    Values,
    Where,
    known,
    place_of,
    union,
    value_of,
)

if TYPE_CHECKING:
    from ebg.repository._resolve_evaluate import Evaluator

__all__ = ["Members"]

_LASTING = frozenset(("module", "class"))


class Members:
    """What classes of the tree have."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._files = evaluator.files
        self._functions = evaluator.functions
        self._linearizer = Linearizer(self._bases)
        self._attributes: dict[tuple[int, int, str], list[AttributeBinding]] = {}
        for file, names in enumerate(self._files):
            for row in names.facts.attributes:
                binding = AttributeBinding._make(row)
                if isinstance(binding.owner, str) and "." not in binding.owner:
                    owner = self._functions.receiver_class(file, binding.scope, binding.owner)
                    if owner >= 0:
                        self._attributes.setdefault((file, owner, binding.attribute), []).append(binding)
        self._subclasses: dict[Scope, list[Scope]] | None = None
        self._unimplemented: frozenset[Scope] | None = None
        self._items: dict[tuple[int, int], list[tuple[int, Item, Where]]] | None = None

    def order(self, class_id: Scope) -> tuple[Scope, ...]:
        """Return a class and its bases in the order in which they are asked for a member."""
        return self._linearizer.order(class_id)

    def _bases(self, class_id: Scope) -> list[Scope]:
        file, scope = class_id
        row = self._files[file].scopes[scope]
        where = place_of((file, row.parent, row.start, row.branch))
        found = []
        for base in row.bases:
            classes = [value for value in self._evaluator.evaluate(base, where) if value.kind == CLASS]
            if len(classes) == 1:
                found.append((classes[0].file, classes[0].scope))
        return found

    def attribute(self, value: Value, name: str) -> Values:
        """Return what an attribute of a class, of an instance, or of `super()` may be."""
        receiver = (value.file, value.scope)
        if value.kind != CLASS and name == "__class__":
            return (Value(CLASS, *receiver),)
        found = self.lookup(value, name)
        bind = self._unbound if value.kind == CLASS else self._bound
        return union([bind(item, receiver) for item in found]) or (UNKNOWN,)

    def methods(self, value: Value, name: str) -> list[Value]:
        """Return the functions that a special method of an instance may be."""
        receiver = (value.file, value.scope)
        found = self.lookup(value, name)
        return [value_of((METHOD, item.file, item.scope, receiver)) for item in found if item.kind == FUNCTION]

    def lookup(self, value: Value, name: str) -> Values:
        """Return what a member is before it is bound, from the first class that has it."""
        order = self.order((value.file, value.scope))
        for class_id in order[1:] if value.kind == SUPER else order:
            found = self._own(class_id, name)
            if found:
                return found
        return ()

    def _own(self, class_id: Scope, name: str) -> Values:
        file, scope = class_id
        if (scope, name) not in self._files[file].bound and (file, scope, name) not in self._attributes:
            return ()
        return self._evaluator.once((file, "own", scope, name), lambda: self._own_values(file, scope, name))

    def _own_values(self, file: int, scope: int, name: str) -> Values:
        evaluator, names = self._evaluator, self._files[file]
        rows = names.bound.get((scope, name), ())
        found = [evaluator.binding(file, row) for row in names.reaching(rows, scope, END, -1)] if rows else []
        if any(self._is_setter(value) for values in found for value in values):
            # `@x.setter def x` is bound last, but reading gives what the getter returns.
            getters = [value for row in rows for value in evaluator.binding(file, row) if not self._is_setter(value)]
            found = [tuple(getters)]
        if any(row.annotation is not None for row in rows) and known(union(found)):
            return union(found)
        for binding in self._attributes.get((file, scope, name), ()):
            if binding.annotation is not None:
                values = evaluator.types.annotated(binding.annotation, file, binding.scope, (file, scope))
                if known(values):
                    return values
            where = place_of((file, binding.scope, binding.start, binding.branch))
            found.append(evaluator.evaluate(binding.value, where))
        return union(found)

    def _is_setter(self, value: Value) -> bool:
        return value.kind == FUNCTION and "setter" in self._functions.flags(value.file, value.scope)

    def _bound(self, item: Value, receiver: Scope) -> Values:
        if item.kind != FUNCTION or self._files[item.file].scopes[item.scope].kind != "method":
            return (item,)
        flags = self._functions.flags(item.file, item.scope)
        method = value_of((METHOD, item.file, item.scope, receiver))
        if "property" in flags:
            return self._functions.returned(method)
        return (item,) if "staticmethod" in flags else (method,)

    def _unbound(self, item: Value, receiver: Scope) -> Values:
        if item.kind == FUNCTION and "classmethod" in self._functions.flags(item.file, item.scope):
            return (value_of((METHOD, item.file, item.scope, receiver)),)
        return (item,)

    # -- abstract methods ---------------------------------------------------------------------------------------------

    def implementation(self, method: Value) -> Scope | None:
        """Return the one method of a subclass that implements an abstract method, or None."""
        row = self._files[method.file].scopes[method.scope]
        if row.kind != "method" or not self._is_abstract(method.file, method.scope):
            return None
        name = row.symbol.rpartition(".")[2]
        found: dict[Scope, None] = {}
        for class_id in self._below().get((method.file, row.parent), ()):
            for item in self._own(class_id, name):
                if item.kind == FUNCTION and not self._is_abstract(item.file, item.scope):
                    found[item.file, item.scope] = None
        return next(iter(found)) if len(found) == 1 else None

    def _is_abstract(self, file: int, scope: int) -> bool:
        """Say whether a method is marked abstract, or always raises `NotImplementedError` and returns nothing."""
        if "abstractmethod" in self._functions.flags(file, scope):
            return True
        if self._unimplemented is None:
            self._unimplemented = frozenset(
                (number, scope_number)
                for number, names in enumerate(self._files)
                for scope_number in _raising_not_implemented(names.facts.protocols, names.facts.calls)
                if not self._functions.has_results(number, scope_number)
            )
        return (file, scope) in self._unimplemented

    def _below(self) -> dict[Scope, list[Scope]]:
        if self._subclasses is None:
            self._subclasses = {}
            for file, names in enumerate(self._files):
                for number, row in enumerate(names.scopes):
                    for class_id in self.order((file, number))[1:] if row.kind == "class" else ():
                        self._subclasses.setdefault(class_id, []).append((file, number))
        return self._subclasses

    # -- containers ---------------------------------------------------------------------------------------------------

    def items_of(self, container: Value) -> list[containers.Added]:
        """Return what statements add, through the variable or attribute that it is bound to, to a container."""
        if self._items is None:
            self._items = {}
            self._items = self._collect_items()
        return [
            added
            for number, item, where in self._items.get(containers.identity(container), ())
            for added in self._added(number, item, where)
        ]

    def _collect_items(self) -> dict[tuple[int, int], list[tuple[int, Item, Where]]]:
        found: dict[tuple[int, int], list[tuple[int, Item, Where]]] = {}
        for file, names in enumerate(self._files):
            calls = names.facts.calls
            for number, row in enumerate(names.facts.items):
                where = place_of((file, row[0], row[1], row[2]))
                for identity in self._containers(where, row[3], calls):
                    found.setdefault(identity, []).append((number, Item._make(row), where))
        return found

    def _containers(self, where: Where, target: Expression, calls: tuple[Row, ...]) -> Iterator[tuple[int, int]]:
        """Yield the containers made in place that a statement fills."""
        if not isinstance(target, str):
            values = self._evaluator.evaluate(target, where)
            yield from (containers.identity(value) for value in values if value.kind == CONTAINER)
            return
        for value in self._values_bound_to(where.file, where.scope, target):
            if isinstance(value, int):
                yield where.file, containers.identity_of_call(calls[value][1])
            elif isinstance(value, tuple) and value[0] in containers.DISPLAYS:
                yield where.file, value[1]

    def _is_local(self, where: Where, chain: str) -> bool:
        names = self._files[where.file]
        return "." not in chain and names.scopes[names.variable(where.scope, chain).owner].kind not in _LASTING

    def _values_bound_to(self, file: int, scope: int, chain: str) -> Iterator[Expression]:
        """Yield the expressions that the file binds to a variable or to an attribute of the receiver."""
        name, _, attribute = chain.partition(".")
        names = self._files[file]
        if not attribute:
            yield from (row.value for row in names.variable(scope, name).rows)
            return
        owner = self._functions.receiver_class(file, scope, name)
        if owner >= 0:
            yield from (row.value for row in self._attributes.get((file, owner, attribute), ()))
            yield from (row.value for row in names.bound.get((owner, attribute), ()))

    def _added(self, number: int, item: Item, where: Where) -> Iterator[containers.Added]:
        evaluate = self._evaluator.evaluate
        if isinstance(item.container, str) and self._is_local(where, item.container):
            # What a function puts into its own containers is mostly data, and much of it.
            yield containers.Added(None, (UNKNOWN,), where)
            return
        # A container may be filled from itself: `rows.extend(rows)`, `table[a] = table[b]`.
        values = self._evaluator.once((where.file, "added", number), lambda: evaluate(item.value, where))
        if item.key != (UNION,):
            yield containers.Added(None if item.key is None else evaluate(item.key, where), values, where)
            return
        for value in values:
            if value.kind == CONTAINER and value.more[0][0] == MAPPING:
                expression, place = containers.made(value)
                for key, element in expression[2]:
                    yield containers.Added(evaluate(key, place), evaluate(element, place), where)
            else:
                yield containers.Added(None, containers.each(self._evaluator, (value,)), where)


def _raising_not_implemented(protocols: tuple[Row, ...], calls: tuple[Row, ...]) -> set[int]:
    """Return the scopes that raise `NotImplementedError` outside any branch."""
    name = "NotImplementedError"
    raised = {row[1] for row in protocols if row[0] == "raise" and row[5] == name and row[3] < 0}
    return raised | {row[0] for row in calls if row[4] == name and row[2] < 0}
