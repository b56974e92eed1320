"""Functions of the tree: what decorators make of them, what calling them gives, what their parameters may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ebg.repository import _resolve_containers as containers
from ebg.repository._names_expressions import PARAMETER, Expression
from ebg.repository._names_facts import ReturnedValue, ScopeNames
from ebg.repository._resolve_values import (
    CLASS,
    CONTEXT,
    FUNCTION,
    GENERATOR,
    MANY,
    METHOD,
    NOTHING,
    OBJECT,
    OUTSIDE,
    TABLE,
    UNKNOWN,
    Parameter,
    Scope,
    Value,
    Values,
    known,
    place_of,
    settled,
    union,
    value_of,
)

if TYPE_CHECKING:
    from ebg.repository._resolve_evaluate import Evaluator, Given

__all__ = ["Functions", "Layer"]

_CLASS_METHODS = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))
_PROPERTY_PARTS = frozenset(("setter", "deleter"))
_NAMED_FLAGS = frozenset(("staticmethod", "classmethod", "abstractmethod"))
_NO_FLAGS: frozenset[str] = frozenset()


class Layer(NamedTuple):
    """One decorator of a function."""

    callees: Values
    """What the decorator may be."""
    given: Value
    """What it is given: the function, or what the decorators below it put in its place."""


class _Results(NamedTuple):
    """The `return` and `yield` statements of a function."""

    rows: Sequence[ReturnedValue]
    """Without those that return a parameter as it is."""
    parameters: Sequence[int]
    """Indices of the parameters that are returned as they are."""
    yields: bool


class Functions:
    """What functions of the tree are and give."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._files = evaluator.files
        self._flags: dict[Scope, frozenset[str]] = {}
        self._layers: dict[Scope, tuple[tuple[Layer, ...], Value]] = {}
        self._results: dict[Scope, list[ReturnedValue]] = {}
        self._kinds: dict[Scope, _Results] = {}
        for file, names in enumerate(self._files):
            for row in names.facts.results:
                self._results.setdefault((file, row[0]), []).append(ReturnedValue._make(row))

    # -- decorators ---------------------------------------------------------------------------------------------------

    def flags(self, file: int, scope: int) -> frozenset[str]:
        """Return what well-known decorators make of a function.

        The flags are property, setter (or deleter), cached, staticmethod, classmethod, abstractmethod, contextmanager.
        """
        found = self._flags.get((file, scope))
        if found is None:
            found = self._flags[file, scope] = _flags(self._files[file].scopes[scope])
        return found

    def definition(self, file: int, scope: int) -> Values:
        """Return what a `def` or `class` statement binds: the function itself, whatever its decorators do."""
        row = self._files[file].scopes[scope]
        return (Value(CLASS if row.kind == "class" else FUNCTION, file, scope),)

    def layers(self, file: int, scope: int) -> tuple[tuple[Layer, ...], Value]:
        """Return the decorators of a function in the order of the text, and what they leave in its place.

        The place is taken by a function of the tree that a decorator returns (a wrapper), or by an instance of a class
        of the tree; decorators that are not understood leave what they are given.
        """
        found = self._layers.get((file, scope))
        if found is None:
            self._layers[file, scope] = ((), value_of((FUNCTION, file, scope, None)))
            found = self._layers[file, scope] = self._find_layers(file, scope)
        return found

    def _find_layers(self, file: int, scope: int) -> tuple[tuple[Layer, ...], Value]:
        evaluator, row = self._evaluator, self._files[file].scopes[scope]
        current = value_of((FUNCTION, file, scope, None))
        found: list[Layer] = []
        used = len(evaluator.used)
        for decoration in reversed(row.decorators):
            where = place_of((file, row.parent, decoration.position, row.branch))
            callees = evaluator.evaluate(decoration.function, where)
            found.append(Layer(callees, current))
            results = union([evaluator.called(callee, ((), where)) for callee in callees if callee.kind != "outside"])
            taking = [value for value in results if self._takes_place(value, current)]
            if len(taking) == 1 and row.kind != "class":
                current = taking[0]
        del evaluator.used[used:]
        return tuple(reversed(found)), current

    def _takes_place(self, value: Value, current: Value) -> bool:
        if value.kind == FUNCTION and value != current:
            return self._files[value.file].scopes[value.scope].kind == "function"
        return value.kind == OBJECT

    def attribute(self, function: Value, name: str) -> Values:
        """Return an attribute of what decorators leave in the place of a function."""
        if not self._files[function.file].scopes[function.scope].decorators:
            return (UNKNOWN,)
        _, current = self.layers(function.file, function.scope)
        return self._evaluator.members.attribute(current, name) if current.kind == OBJECT else (UNKNOWN,)

    # -- results ------------------------------------------------------------------------------------------------------

    def has_results(self, file: int, scope: int) -> bool:
        """Say whether a function returns or yields anything."""
        return (file, scope) in self._results

    def returned(self, function: Value, given: Given | None = None) -> Values:
        """Return what calling a function or method gives, with the arguments if they are known."""
        file, scope = function.file, function.scope
        row = self._files[file].scopes[scope]
        evaluator = self._evaluator
        if row.returns is not None:
            receiver = function.more if function.kind == METHOD else None
            declared = evaluator.types.annotated(row.returns, file, row.parent, receiver)
            if settled(declared):
                is_context = "contextmanager" in self.flags(file, scope)
                return (Value(CONTEXT, more=containers.each(evaluator, declared)),) if is_context else declared
        results = self._kind_of_results(file, scope)
        if results.yields:
            if "contextmanager" in self.flags(file, scope):
                return (Value(CONTEXT, more=self.yielded(file, scope)),)
            return (Value(GENERATOR, file, scope),)
        values = evaluator.once((file, "returned", scope), lambda: self._values_of(file, results.rows))
        if results.parameters:
            passed = [self._argument(function, index, given) for index in results.parameters]
            return union([values, *passed])
        return values or (NOTHING,)

    def _kind_of_results(self, file: int, scope: int) -> _Results:
        found = self._kinds.get((file, scope))
        if found is None:
            names = self._files[file]
            rows: list[ReturnedValue] = []
            parameters: dict[int, None] = {}
            for row in self._results.get((file, scope), ()):
                index = -1
                if isinstance(row.value, str) and "." not in row.value and not row.yields:
                    variable = names.variable(scope, row.value)
                    bindings = names.at(variable, scope, row.position, row.branch) if variable.owner == scope else ()
                    value = bindings[0].value if len(bindings) == 1 else None
                    if isinstance(value, tuple) and value[0] == PARAMETER and len(value) == 2:
                        index = value[1]
                if index >= 0:
                    parameters[index] = None
                else:
                    rows.append(row)
            found = _Results(rows, tuple(parameters), any(row.yields for row in rows))
            self._kinds[file, scope] = found
        return found

    def _argument(self, function: Value, index: int, given: Given | None) -> Values:
        """Return what a call gives to a parameter that it returns."""
        skipped = int(function.kind == METHOD)
        if given is None or index < skipped:
            return self.parameter(function.file, function.scope, index)
        arguments, where = given
        parameter = self._files[function.file].scopes[function.scope].parameters[index]
        position = skipped
        for keyword, value in arguments:
            if keyword == parameter.name or (not keyword and position == index and not parameter.kind):
                return self._evaluator.evaluate(value, where)
            position += not keyword
        return ()

    def yielded(self, file: int, scope: int) -> Values:
        """Return what a generator function yields."""
        rows = [row for row in self._results.get((file, scope), ()) if row.yields]
        return self._evaluator.once((file, "yielded", scope), lambda: self._values_of(file, rows))

    def _values_of(self, file: int, rows: Sequence[ReturnedValue]) -> Values:
        evaluate = self._evaluator.evaluate
        return union([evaluate(row.value, place_of((file, row.scope, row.position, row.branch))) for row in rows])

    # -- parameters ---------------------------------------------------------------------------------------------------

    def receiver_class(self, file: int, scope: int, name: str) -> int:
        """Return the class whose method has `name` as its first parameter in or around a scope, or -1."""
        scopes = self._files[file].scopes
        while scope > 0:
            row = scopes[scope]
            if any(parameter.name == name for parameter in row.parameters):
                is_receiver = row.kind == "method" and row.parameters[0].name == name
                return row.parent if is_receiver and "staticmethod" not in self.flags(file, scope) else -1
            scope = row.parent
        return -1

    def parameter(self, file: int, scope: int, index: int) -> Values:
        """Return what a parameter may be: the receiver, what its annotation says, or its default and what is given."""
        row = self._files[file].scopes[scope]
        parameter = row.parameters[index]
        evaluator = self._evaluator
        if index == 0 and row.kind == "method" and "staticmethod" not in self.flags(file, scope):
            kind = CLASS if "classmethod" in self.flags(file, scope) else OBJECT
            return (Value(kind, file, row.parent),)
        if parameter.annotation is not None:
            declared = evaluator.types.annotated(parameter.annotation, file, row.parent)
            if known(declared):
                if parameter.kind == "*":
                    return (Value(MANY, more=declared),)
                return (Value(TABLE, more=((UNKNOWN,), declared)),) if parameter.kind == "**" else declared
            if any(value.kind == OUTSIDE for value in declared):
                return declared
        key: Parameter = (file, scope, index)
        evaluator.used.append(key)
        passed = evaluator.passed.get(key, ())
        if parameter.default is None:
            return passed
        return union([passed, self._default(file, row, parameter.default)])

    def _default(self, file: int, row: ScopeNames, default: Expression) -> Values:
        return self._evaluator.evaluate(default, place_of((file, row.parent, row.start, row.branch)))


def _flags(row: ScopeNames) -> frozenset[str]:
    flags = {"classmethod"} if row.symbol.rpartition(".")[2] in _CLASS_METHODS else set()
    for decoration in row.decorators:
        function = decoration.function
        if not isinstance(function, str):
            continue
        last = function.rpartition(".")[2]
        if last in _PROPERTY_PARTS and "." in function:
            flags.update(("property", "setter"))
        elif last.endswith("property"):
            flags.update(("property", "cached") if "cached" in last else ("property",))
        elif last in _NAMED_FLAGS:
            flags.add(last)
        elif last.endswith("contextmanager"):
            flags.add("contextmanager")
    return frozenset(flags) if flags else _NO_FLAGS
