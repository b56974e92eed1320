"""All calls of a tree, resolved in rounds.

The first round knows nothing about parameters without an annotation. Each further round knows what the calls resolved
so far pass for them, and looks again only at what depends on what is new, until nothing is or `_MOST_ROUNDS` are done.
What is called by protocol (`with`, `for`, `raise` of a class, properties) is looked up after that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ebg.repository._names_expressions import ATTRIBUTE, PARAMETER, UNION, Expression
from ebg.repository._names_facts import Binding
from ebg.repository._resolve_calls import Group, argument, group_of, property_group, receiving
from ebg.repository._resolve_evaluate import Evaluator
from ebg.repository._resolve_values import (
    CLASS,
    DECORATED,
    FUNCTION,
    METHOD,
    OBJECT,
    OUTSIDE,
    PLAIN,
    UNKNOWN,
    Parameter,
    Scope,
    Value,
    Values,
    Where,
    known,
    place_of,
    union,
)

__all__ = ["Reached", "reached_by_calls", "reached_by_protocol"]

_MOST_ROUNDS = 4
_MOST_CLASSES = 3
"""A method that more classes and modules than this have is not looked for through what calls pass."""
_MOST_PASSED = 4
"""A parameter that gets more different things than this stands for nothing in particular."""
_CALLING = {"map": 0, "filter": 0, "functools.reduce": 0}
"""Functions outside the tree that call this one of their arguments."""
_CALLING_KEY = frozenset(("sorted", "min", "max"))
_CALLING_NAMES = frozenset(name.rpartition(".")[2] for name in _CALLING) | _CALLING_KEY
_ENTERING = (("__enter__", "__exit__"), ("__aenter__", "__aexit__"))


_CONTAINER_METHODS = frozenset(
    (
        *("add", "append", "appendleft", "clear", "copy", "count", "discard", "extend", "get", "index", "insert"),
        *("items", "keys", "pop", "popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update", "values"),
    )
)
"""On a receiver that is not plainly an object these are almost always a container's own, and to find out is costly."""


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


class CallLinker:
    """Resolves the calls and decorators of a tree."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._members = _member_names(evaluator)
        self._callees: dict[tuple[int, int], Values] = {}
        """What each call may run, by (file, number of the call); only what is known."""
        self._used: dict[tuple[int, int], tuple[Parameter, ...]] = {}
        """The parameters that a call's callee depends on."""
        self._callers: dict[Scope, dict[tuple[int, int], int]] = {}
        """The calls of each function, with the number of parameters that they fill without an argument."""
        self._wanted: dict[Parameter, None] = {}
        """The parameters that some callee depends on."""
        self._asked: dict[Parameter, tuple[int, tuple[Parameter, ...]]] = {}
        """Of each wanted parameter: how many calls pass it, and which parameters what they pass depends on."""

    def resolve(self) -> Iterator[Reached]:
        """Yield what calls and decorators reach, by file and position."""
        evaluator = self._evaluator
        for file, names in enumerate(evaluator.files):
            bound = {row[1] for row in names.facts.bindings}
            has_stars = bool(names.facts.stars)
            for number, row in enumerate(names.facts.calls):
                callee = row[4]
                if type(callee) is str:
                    receiver, _, name = callee.rpartition(".")
                    known_name = name in self._members if receiver else has_stars or name in bound
                    if not known_name and name not in _CALLING_NAMES:
                        continue
                if callee is not None and not self._is_of_container(file, row[0], callee):
                    self._resolve(file, number)
        self._find_decorated()
        changed: set[Parameter] = set()
        for _ in range(_MOST_ROUNDS):
            wanted = len(self._wanted)
            changed = self._pass_on(changed)
            if not changed and len(self._wanted) == wanted:
                break
            for file, number in [call for call, used in self._used.items() if not changed.isdisjoint(used)]:
                self._resolve(file, number)
        for file, names in enumerate(evaluator.files):
            for number in range(len(names.facts.calls)):
                values = self._callees.get((file, number))
                if values:
                    yield from self._reached(file, number, values)
            yield from self._reached_by_decorators(file)

    def _resolve(self, file: int, number: int) -> None:
        evaluator = self._evaluator
        scope, position, branch, _, callee, arguments, _, _, _ = evaluator.files[file].facts.calls[number]
        call = (file, number)
        parameter = self._bare_parameter(file, scope, callee)
        if parameter is not None:
            # The most frequent case by far in code without annotations, and nothing can be known of it.
            self._note_used(call, callee, (parameter,))
            return
        evaluator.used = []
        values = evaluator.evaluate(callee, place_of((file, scope, position, branch)))
        if evaluator.used:
            self._note_used(call, callee, evaluator.used_since(0))
        if not values or values == (UNKNOWN,):
            return
        self._callees[call] = values
        for value in values if arguments else ():
            function = receiving(evaluator, value)
            if function is not None:
                self._callers.setdefault(function[0], {})[call] = function[1]

    def _is_of_container(self, file: int, scope: int, callee: Expression) -> bool:
        """Say whether a callee is a method that containers have, of something that is not plainly an object."""
        if isinstance(callee, str):
            receiver, _, name = callee.rpartition(".")
            return name in _CONTAINER_METHODS and receiver != "" and not self._is_object(file, scope, receiver)
        if isinstance(callee, tuple) and callee[0] == ATTRIBUTE and callee[2] in _CONTAINER_METHODS:
            return not self._is_object(file, scope, callee[1])
        return False

    def _is_object(self, file: int, scope: int, receiver: Expression) -> bool:
        """Say whether a receiver is of a class at first sight.

        It is if it begins with a name from outside the function, with an annotated or the first parameter, or is the
        result of a class or of an annotated function.
        """
        names = self._evaluator.files[file]
        if isinstance(receiver, str):
            owner, rows, limited, _ = names.variable(scope, receiver.partition(".")[0])
            if owner <= 0 or names.scopes[owner].kind == "class":
                return not limited
            return any(self._is_object_at_binding(file, row) for row in rows)
        if not isinstance(receiver, int):
            return False
        scope, position, branch, _, callee, _, _, _, label = names.facts.calls[receiver]
        if not isinstance(callee, str):
            return str(label).startswith("super(")
        values = self._evaluator.evaluate(callee, place_of((file, scope, position, branch)))
        return any(
            value.kind == CLASS
            or (value.kind in (FUNCTION, METHOD) and self._evaluator.files[value.file].scopes[value.scope].returns)
            for value in values
        )

    def _is_object_at_binding(self, file: int, row: Binding) -> bool:
        if row.annotation is not None:
            return True
        if isinstance(row.value, int):
            return self._is_object(file, row.scope, row.value)
        if isinstance(row.value, tuple) and row.value[0] == UNION:
            return any(isinstance(part, int) and self._is_object(file, row.scope, part) for part in row.value[1:])
        if not isinstance(row.value, tuple) or row.value[0] != PARAMETER or len(row.value) > 2:
            return False
        scope = self._evaluator.files[file].scopes[row.scope]
        return scope.parameters[row.value[1]].annotation is not None or (row.value[1] == 0 and scope.kind == "method")

    def _bare_parameter(self, file: int, scope: int, callee: Expression) -> Parameter | None:
        """Return the parameter that a callee begins with if neither its function nor any call tells what it is."""
        if not isinstance(callee, str):
            return None
        names = self._evaluator.files[file]
        owner, rows, _, fixed = names.variable(scope, callee.partition(".")[0])
        value = rows[0].value if fixed and len(rows) == 1 else None
        if not isinstance(value, tuple) or value[0] != PARAMETER or len(value) > 2:
            return None
        key = (file, owner, value[1])
        row = names.scopes[owner].parameters[value[1]]
        if row.annotation is not None or row.default is not None or key in self._evaluator.passed:
            return None
        return None if value[1] == 0 and names.scopes[owner].kind == "method" else key

    def _note_used(self, call: tuple[int, int], callee: Expression, used: tuple[Parameter, ...]) -> None:
        self._used[call] = used
        if self._is_telling(callee):
            self._wanted.update(dict.fromkeys(used))

    def _is_telling(self, callee: Expression) -> bool:
        """Say whether it is worth while to look for the callee through parameters: few things have its last name."""
        if isinstance(callee, str):
            _, dot, name = callee.rpartition(".")
            return not dot or self._members[name] <= _MOST_CLASSES
        return not isinstance(callee, tuple) or callee[0] != ATTRIBUTE or self._members[callee[2]] <= _MOST_CLASSES

    def _find_decorated(self) -> None:
        """Note which functions each function of the tree decorates: its parameter stands for all of them."""
        evaluator = self._evaluator
        for file, names in enumerate(evaluator.files):
            for number, row in enumerate(names.scopes):
                for layer in evaluator.functions.layers(file, number)[0] if row.decorators else ():
                    if layer.given.kind != FUNCTION or row.kind == "class":
                        continue
                    for value in layer.callees:
                        if value.kind in (FUNCTION, METHOD):
                            key = (value.file, value.scope, int(value.kind == METHOD))
                            given = (layer.given.file, layer.given.scope)
                            evaluator.decorated.setdefault(key, {})[given] = None

    def _pass_on(self, changed: set[Parameter]) -> set[Parameter]:
        """Find what calls pass for the wanted parameters; return those for which that is new."""
        evaluator = self._evaluator
        found: dict[Parameter, Values] = {}
        for parameter in list(self._wanted):
            callers = self._callers.get(parameter[:2], {})
            state = self._asked.get(parameter)
            if state is not None and state[0] == len(callers) and changed.isdisjoint(state[1]):
                continue
            evaluator.used = []
            values = self._passed(parameter, callers)
            used = evaluator.used_since(0)
            self._asked[parameter] = (len(callers), used)
            self._wanted.update(dict.fromkeys(used))
            if values != evaluator.passed.get(parameter, ()):
                found[parameter] = values
        evaluator.pass_on(found)
        return set(found)

    def _passed(self, parameter: Parameter, callers: Mapping[tuple[int, int], int]) -> Values:
        """Return what calls and decorators pass for a parameter; nothing if none of it can be followed."""
        evaluator = self._evaluator
        groups: list[Values] = []
        if parameter in evaluator.decorated:
            groups.append((Value(DECORATED, *parameter),))
        for (file, number), skipped in callers.items():
            row = evaluator.files[file].facts.calls[number]
            found = argument(evaluator, parameter, skipped, row[5])
            if found is not None:
                groups.append(evaluator.evaluate(found[1], place_of((file, row[0], row[1], row[2]))))
        values = union(groups)
        if not all(groups) or any(value.kind in (UNKNOWN.kind, OUTSIDE) for value in values):
            # Some call passes something unknown: the class of an object is not taken from the others.
            values = tuple(value for value in values if value.kind != OBJECT)
        if not known(values) and not any(value.kind == PLAIN and value.more is not None for value in values):
            return ()
        return values if len(values) <= _MOST_PASSED else (UNKNOWN,)

    def _reached(self, file: int, number: int, values: Values) -> Iterator[Reached]:
        evaluator = self._evaluator
        if UNKNOWN in values:
            # `Command | Callable`: what is called may as well be the other one.
            values = tuple(value for value in values if value.kind != OBJECT)
        groups = _groups(evaluator, values)
        row = evaluator.files[file].facts.calls[number]
        scope, position, branch, evidence, callee, arguments, used, line, label = row
        if not groups and values and values[0].kind == OUTSIDE:
            where = place_of((file, scope, position, branch))
            groups = tuple(dict.fromkeys(_called_outside(evaluator, values[0].more, arguments, where)))
        if groups:
            chain = callee if isinstance(callee, str) else ""
            yield Reached(file, scope, evidence, used, line, label, chain, groups)

    def _reached_by_decorators(self, file: int) -> Iterator[Reached]:
        evaluator = self._evaluator
        for number, scope in enumerate(evaluator.files[file].scopes):
            if not scope.decorators:
                continue
            layers, _ = evaluator.functions.layers(file, number)
            for decoration, layer in zip(scope.decorators, layers, strict=True):
                groups = _groups(evaluator, layer.callees)
                if groups:
                    function = decoration.function
                    chain = function if isinstance(function, str) else ""
                    yield Reached(file, scope.parent, decoration.evidence, True, 0, f"@{chain}", chain, groups)


def reached_by_calls(evaluator: Evaluator) -> list[Reached]:
    """Resolve all calls and decorators."""
    return list(CallLinker(evaluator).resolve())


def _member_names(evaluator: Evaluator) -> Counter[str]:
    """Return the names of all members of the tree's modules and classes, and how many have each.

    A call of anything else reaches nothing.
    """
    found: Counter[str] = Counter()
    for names in evaluator.files:
        has_members = [scope.kind in ("module", "class") for scope in names.scopes]
        found.update([name for scope, name in names.bound if has_members[scope]])
        found.update({row[4] for row in names.facts.attributes})
    return found


def _groups(evaluator: Evaluator, values: Values) -> tuple[Group, ...]:
    return tuple(dict.fromkeys([group for value in values if (group := group_of(evaluator, value))]))


def _called_outside(
    evaluator: Evaluator, name: str, arguments: Iterable[tuple[str, Expression]], where: Where
) -> Iterator[Group]:
    """Yield what a well-known function outside the tree calls of what it is given."""
    for index, (keyword, expression) in enumerate(arguments):
        if (not keyword and _CALLING.get(name) == index) or (keyword == "key" and name in _CALLING_KEY):
            yield from _groups(evaluator, evaluator.evaluate(expression, where))


def reached_by_protocol(evaluator: Evaluator) -> Iterator[Reached]:
    """Yield what statements and attributes run without a call expression, by file and position."""
    finders = {"with": _entering, "for": _iterating, "raise": _raising}
    special = _special_names(evaluator)
    wanted = {"raise"}
    if not special.isdisjoint(("__enter__", "__aenter__")):
        wanted.add("with")
    if "__iter__" in special:
        wanted.add("for")
    for file, names in enumerate(evaluator.files):
        for kind, scope, position, branch, evidence, expression in names.facts.protocols:
            if kind not in wanted:
                continue
            values = evaluator.evaluate(expression, place_of((file, scope, position, branch)))
            found = [group for value in values if (group := finders[kind](evaluator, value))]
            if found:
                groups = tuple(dict.fromkeys(found))
                yield Reached(file, scope, evidence, True, 0, kind, "", groups, is_call=False)
        yield from _properties(evaluator, file, special)


def _special_names(evaluator: Evaluator) -> frozenset[str]:
    """Return the names of all properties and special methods of the tree."""
    found = set()
    for file, names in enumerate(evaluator.files):
        for number, scope in enumerate(names.scopes):
            if scope.kind == "method":
                name = scope.symbol.rpartition(".")[2]
                if name.startswith("__") or "property" in evaluator.functions.flags(file, number):
                    found.add(name)
    return frozenset(found)


def _entering(evaluator: Evaluator, value: Value) -> Group:
    if value.kind != OBJECT:
        return ()
    for names in _ENTERING:
        found = [method for name in names for method in evaluator.members.methods(value, name)]
        if found:
            return tuple((method.file, method.scope) for method in found)
    return ()


def _iterating(evaluator: Evaluator, value: Value) -> Group:
    if value.kind != OBJECT:
        return ()
    found = evaluator.members.methods(value, "__iter__")
    iterators = [item for method in found for item in evaluator.functions.returned(method) if item.kind == OBJECT]
    found = [*found, *(method for item in iterators for method in evaluator.members.methods(item, "__next__"))]
    return tuple(dict.fromkeys((method.file, method.scope) for method in found))


def _raising(evaluator: Evaluator, value: Value) -> Group:
    return group_of(evaluator, value) if value.kind == CLASS else ()


def _properties(evaluator: Evaluator, file: int, special: frozenset[str]) -> Iterator[Reached]:
    facts = evaluator.files[file].facts
    for scope, chain, position, branch, evidence in facts.reads:
        root, *parts = chain.split(".")
        if special.isdisjoint(parts):
            continue
        values = evaluator.evaluate(root, place_of((file, scope, position, branch)))
        for part in parts:
            if part in special:
                yield from _property(evaluator, values, part, Reached(file, scope, evidence, True, 0, chain, "", ()))
            values = evaluator.attribute(values, part)
    for scope, start, branch, owner, attribute, _, _, evidence in facts.attributes:
        if attribute in special:
            values = evaluator.evaluate(owner, place_of((file, scope, start, branch)))
            reached = Reached(file, scope, evidence, False, 0, attribute, "", ())
            yield from _property(evaluator, values, attribute, reached)


def _property(evaluator: Evaluator, values: Values, name: str, reached: Reached) -> Iterator[Reached]:
    groups = tuple(dict.fromkeys([group for value in values if (group := property_group(evaluator, value, name))]))
    if groups:
        cached = all("cached" in evaluator.functions.flags(*scope) for group in groups for scope in group)
        yield reached._replace(groups=groups, is_call=False, cached=cached)
