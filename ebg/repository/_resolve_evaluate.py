"""The evaluator: what an expression at a place may be.

The evaluation is demand-driven and follows one file's names into another. It knows what a careful reader knows: what
it cannot follow is `UNKNOWN`, and nothing is guessed from a name alone. Depth and the number of alternatives are
bounded, and each binding, result and annotation is evaluated once, in the order in which it is first asked for.

Parameters without a useful annotation take the values that calls pass for them (`Evaluator.passed`). These become
known in rounds: `used` collects the parameters that an evaluation looked at, and `pass_on` forgets what depends on
those that have changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence

from ebg.repository import _resolve_containers as containers
from ebg.repository._names_expressions import (
    ATTRIBUTE,
    DEFINED,
    EACH,
    ENTERED,
    IMPORTED,
    INSTANCE,
    ITEM,
    LAMBDA,
    LITERAL,
    MADE,
    MAPPING,
    PARAMETER,
    PART,
    REST,
    SEQUENCE,
    UNION,
    Expression,
    Tagged,
)
from ebg.repository._names_facts import DELETED, Binding, Call, NameFacts
from ebg.repository._resolve_functions import Functions
from ebg.repository._resolve_imports import Imports
from ebg.repository._resolve_members import Members
from ebg.repository._resolve_modules import Modules
from ebg.repository._resolve_names import END, FileNames
from ebg.repository._resolve_outside import call_outside
from ebg.repository._resolve_types import Types
from ebg.repository._resolve_values import (
    CLASS,
    CLOSURE,
    CONTAINER,
    CONTAINER_METHOD,
    FUNCTION,
    MANY,
    METHOD,
    MODULE,
    OBJECT,
    OUTSIDE,
    PLAIN,
    SUPER,
    TABLE,
    TUPLE,
    UNKNOWN,
    Parameter,
    Scope,
    Value,
    Values,
    Where,
    place_of,
    settled,
    union,
    value_of,
)

__all__ = ["Evaluator", "Given"]

_DEEPEST = 40
_ITEMS_OF = frozenset((CONTAINER, TABLE, MANY, TUPLE))

Given = tuple[tuple[tuple[str, Expression], ...], Where]
"""The arguments of a call, (keyword, value), and where they are evaluated."""


class Evaluator:
    """Evaluates expressions of a tree's files."""

    def __init__(self, facts: Sequence[NameFacts], modules: Modules) -> None:
        self.modules = modules
        self.files = [FileNames(item) for item in facts]
        self.passed: dict[Parameter, Values] = {}
        """What calls pass for parameters; see `pass_on`."""
        self.decorated: dict[Parameter, dict[Scope, None]] = {}
        """The functions that a function decorates through its parameter."""
        self.used: list[Parameter] = []
        """The parameters that were looked at, in that order; whoever wants to know empties it first."""
        self._memo: dict[Hashable, tuple[Values, tuple[Parameter, ...]]] = {}
        self._dependents: defaultdict[Parameter, list[Hashable]] = defaultdict(list)
        """Keys of the memo by the parameters that their values depend on."""
        self._open: set[Hashable] = set()
        self._depth = 0
        self._cuts = 0
        """How often an evaluation was cut short, by a cycle or by its depth."""
        self.imports = Imports(self)
        self.types = Types(self)
        self.functions = Functions(self)
        self.members = Members(self)

    # -- the machinery ------------------------------------------------------------------------------------------------

    def once(self, key: Hashable, compute: Callable[[], Values]) -> Values:
        """Return the values of `key`, computed at most once; nothing if they depend on themselves."""
        found = self._memo.get(key)
        if found is not None:
            if found[1]:
                self.used += found[1]
            return found[0]
        if key in self._open:
            self._cuts += 1
            return ()
        if self._depth >= _DEEPEST:
            self._cuts += 1
            return (UNKNOWN,)
        start = len(self.used)
        self._open.add(key)
        self._depth += 1
        values = compute()
        self._depth -= 1
        self._open.discard(key)
        self._keep(key, values, start)
        return values

    def _keep(self, key: Hashable, values: Values, start: int) -> None:
        """Remember values, and the parameters that were looked at for them since `used` had `start` entries."""
        if len(self.used) == start:
            self._memo[key] = (values, ())
            return
        used = self.used_since(start)
        self._memo[key] = (values, used)
        for parameter in used:
            self._dependents[parameter].append(key)

    def used_since(self, start: int) -> tuple[Parameter, ...]:
        """Return the parameters that were looked at since `used` had `start` entries, each once."""
        used = self.used
        if len(used) - start > 1:
            used[start:] = dict.fromkeys(used[start:])
        return tuple(used[start:])

    def pass_on(self, passed: Mapping[Parameter, Values]) -> None:
        """Take new values of parameters and forget what was concluded from the old ones."""
        self.passed.update(passed)
        for parameter in passed:
            for key in self._dependents.pop(parameter, ()):
                self._memo.pop(key, None)

    # -- expressions --------------------------------------------------------------------------------------------------

    def evaluate(self, expression: Expression, where: Where) -> Values:
        """Return what an expression may be at a place."""
        if isinstance(expression, str):
            return self.chain(expression, where)
        if expression is None:
            return (UNKNOWN,)
        if isinstance(expression, int):
            return self.result(where.file, expression)
        if self._depth >= _DEEPEST:
            return (UNKNOWN,)
        self._depth += 1
        values = _READERS[expression[0]](self, expression, where)
        self._depth -= 1
        return values

    def chain(self, chain: str, where: Where) -> Values:
        """Return what a name or dotted chain may be at a place."""
        file, scope, position, branch = where
        name, dot, rest = chain.partition(".")
        names = self.files[file]
        owner, rows, _, fixed = variable = names.variable(scope, name)
        if not fixed:
            rows = names.at(variable, scope, position, branch)
            values = self.bindings(file, rows) if rows or owner >= 0 else self.imports.unbound(name, file)
            return self._attributes(values, rest) if dot else values
        key = (file, owner, chain)
        found = self._memo.get(key)
        if found is not None:
            if found[1]:
                self.used += found[1]
            return found[0]
        start, cuts = len(self.used), self._cuts
        if owner < 0:
            values = self.imports.unbound(name, file)
        elif len(rows) == 1:
            values = self.binding(file, rows[0])
        else:
            values = self.bindings(file, names.reaching(rows, owner, END, -1))
        if dot:
            values = self._attributes(values, rest)
        if cuts == self._cuts:
            self._keep(key, values, start)
        return values

    def _attributes(self, values: Values, rest: str) -> Values:
        while rest and values:
            name, _, rest = rest.partition(".")
            values = self.attribute(values, name)
        return values

    # -- names --------------------------------------------------------------------------------------------------------

    def bindings(self, file: int, rows: Sequence[Binding]) -> Values:
        """Return what any of some bindings gives its name."""
        if len(rows) == 1:
            return self.binding(file, rows[0])
        return union([self.binding(file, row) for row in rows])

    def binding(self, file: int, row: Binding) -> Values:
        """Return what a binding gives its name."""
        if row.value is None and row.annotation is None:
            return () if row.kind == DELETED else (UNKNOWN,)
        # A row lives as long as its file does, and its identity is much cheaper to look up than its content.
        return self.once(id(row), lambda: self._bound(file, row))

    def _bound(self, file: int, row: Binding) -> Values:
        if row.annotation is not None:
            declared = self.types.annotated(row.annotation, file, row.scope)
            if settled(declared):
                return declared
        return self.evaluate(row.value, place_of((file, row.scope, row.start, row.branch)))

    # -- attributes and calls -----------------------------------------------------------------------------------------

    def attribute(self, values: Values, name: str) -> Values:
        """Return what the attribute `name` of any of `values` may be."""
        if len(values) == 1:
            return self._attribute(values[0], name)
        return union([self._attribute(value, name) for value in values])

    def _attribute(self, value: Value, name: str) -> Values:
        kind = value.kind
        if kind in (OBJECT, CLASS, SUPER):
            return self.members.attribute(value, name)
        if kind == MODULE:
            return self.imports.member(value.more, name)
        if kind == OUTSIDE:
            return (Value(OUTSIDE, more=f"{value.more}.{name}"),)
        if kind in _ITEMS_OF:
            return (Value(CONTAINER_METHOD, more=(value, name)),)
        if kind == FUNCTION:
            return self.functions.attribute(value, name)
        return (UNKNOWN,)

    def result(self, file: int, number: int) -> Values:
        """Return what a call may give."""
        return self.once((file, number), lambda: self._result(file, number))

    def _result(self, file: int, number: int) -> Values:
        call = Call._make(self.files[file].facts.calls[number])
        where = place_of((file, call.scope, call.position, call.branch))
        callees = self.evaluate(call.callee, where)
        if len(callees) == 1:
            return self.called(callees[0], (call.arguments, where))
        return union([self.called(callee, (call.arguments, where)) for callee in callees])

    def called(self, callee: Value, given: Given) -> Values:
        """Return what calling a value may give."""
        kind = callee.kind
        found: Values = (UNKNOWN,)
        if kind in (FUNCTION, METHOD):
            found = self.functions.returned(callee, given)
        elif kind == CLASS:
            found = (value_of((OBJECT, callee.file, callee.scope, None)),)
        elif kind == OBJECT:
            methods = self.members.methods(callee, "__call__")
            found = union([self.functions.returned(method, given) for method in methods]) or found
        elif kind == CLOSURE:
            key = (callee.file, "lambda", callee.scope)
            found = self.once(key, lambda: self._body(callee))
        elif kind == CONTAINER_METHOD:
            found = containers.call_method(self, callee, given)
        elif kind == OUTSIDE:
            found = call_outside(self, callee.more, given)
        return found

    def _body(self, closure: Value) -> Values:
        row = self.files[closure.file].lambdas[closure.scope]
        return self.evaluate(row.body, place_of((closure.file, row.scope, row.body_position, row.branch)))


def _parameter(evaluator: Evaluator, expression: Tagged, where: Where) -> Values:
    if len(expression) == 2:
        return evaluator.functions.parameter(where.file, where.scope, expression[1])
    number = evaluator.files[where.file].lambda_numbers[expression[2]]
    key = (where.file, -1 - number, expression[1])
    evaluator.used.append(key)
    return evaluator.passed.get(key, ())


def _lambda(evaluator: Evaluator, expression: Tagged, where: Where) -> Values:
    number = evaluator.files[where.file].lambda_numbers.get(expression[1])
    return (UNKNOWN,) if number is None else (value_of((CLOSURE, where.file, number, None)),)


def _instance(evaluator: Evaluator, expression: Tagged, where: Where) -> Values:
    return tuple(
        value_of((OBJECT, value.file, value.scope, None)) if value.kind == CLASS else UNKNOWN
        for value in evaluator.evaluate(expression[1], where)
    )


def _container(_evaluator: Evaluator, expression: Tagged, where: Where) -> Values:
    position = expression[1] if expression[0] == MADE else where.position
    return (Value(CONTAINER, where.file, where.scope, (expression, where.branch, position)),)


_READERS: dict[str, Callable[[Evaluator, Tagged, Where], Values]] = {
    LITERAL: lambda _evaluator, expression, _where: (Value(PLAIN, more=expression[1]),),
    UNION: lambda evaluator, expression, where: union([evaluator.evaluate(part, where) for part in expression[1:]]),
    ATTRIBUTE: lambda evaluator, expression, where: evaluator.attribute(
        evaluator.evaluate(expression[1], where), expression[2]
    ),
    SEQUENCE: _container,
    MAPPING: _container,
    MADE: _container,
    ITEM: lambda evaluator, expression, where: containers.item(
        evaluator, evaluator.evaluate(expression[1], where), expression[2], where
    ),
    EACH: lambda evaluator, expression, where: containers.each(evaluator, evaluator.evaluate(expression[1], where)),
    ENTERED: lambda evaluator, expression, where: containers.entered(
        evaluator, evaluator.evaluate(expression[1], where)
    ),
    PART: lambda evaluator, expression, where: containers.part(
        evaluator, evaluator.evaluate(expression[1], where), expression[2], rest=False
    ),
    REST: lambda evaluator, expression, where: containers.part(
        evaluator, evaluator.evaluate(expression[1], where), expression[2], rest=True
    ),
    INSTANCE: _instance,
    LAMBDA: _lambda,
    DEFINED: lambda evaluator, expression, where: evaluator.functions.definition(where.file, expression[1]),
    PARAMETER: _parameter,
    IMPORTED: lambda evaluator, expression, where: evaluator.imports.imported(where.file, expression[1]),
}
