"""All calls of a tree, resolved in rounds.

The first round knows nothing about parameters without an annotation. Each further round knows what the calls resolved
so far pass for them, and looks again only at what depends on what is new, until nothing is or `_MOST_ROUNDS` are done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ebg.repository._link_reached import Reached, groups_of
from ebg.repository._names_expressions import ATTRIBUTE, Expression
from ebg.repository._resolve_calls import Group, argument, receiving
from ebg.repository._resolve_evaluate import Evaluator
from ebg.repository._resolve_sight import bare_parameter, is_of_container
from ebg.repository._resolve_values import (
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

__all__ = ["reached_by_calls"]

_MOST_ROUNDS = 4
_MOST_STEPS = 2
"""How far back a value is followed that functions pass on to each other as a parameter."""
_MOST_CLASSES = 3
"""A method that more classes and modules than this have is not looked for through what calls pass."""
_MOST_PASSED = 4
"""A parameter that gets more different things than this stands for nothing in particular."""
_CALLING = {"map": 0, "filter": 0, "functools.reduce": 0}
"""Functions outside the tree that call this one of their arguments."""
_CALLING_KEY = frozenset(("sorted", "min", "max"))
_CALLING_NAMES = frozenset(name.rpartition(".")[2] for name in _CALLING) | _CALLING_KEY


class _CallLinker:
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
                if callee is not None and not is_of_container(evaluator, file, row[0], callee):
                    self._resolve(file, number)
        self._find_decorated()
        changed: set[Parameter] = set()
        for rounds in range(_MOST_ROUNDS):
            wanted = len(self._wanted)
            changed = self._pass_on(changed, look_further=rounds < _MOST_STEPS)
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
        parameter = bare_parameter(evaluator, file, scope, callee)
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

    def _pass_on(self, changed: set[Parameter], *, look_further: bool) -> set[Parameter]:
        """Find what calls pass for the wanted parameters; return those for which that is new.

        To look further means to want the parameters that are passed on as well.
        """
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
            if look_further:
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
        groups = groups_of(evaluator, values)
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
                groups = groups_of(evaluator, layer.callees)
                if groups:
                    function = decoration.function
                    chain = function if isinstance(function, str) else ""
                    yield Reached(file, scope.parent, decoration.evidence, True, 0, f"@{chain}", chain, groups)


def reached_by_calls(evaluator: Evaluator) -> list[Reached]:
    """Resolve all calls and decorators."""
    return list(_CallLinker(evaluator).resolve())


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


def _called_outside(
    evaluator: Evaluator, name: str, arguments: Iterable[tuple[str, Expression]], where: Where
) -> Iterator[Group]:
    """Yield what a well-known function outside the tree calls of what it is given."""
    for index, (keyword, expression) in enumerate(arguments):
        if (not keyword and _CALLING.get(name) == index) or (keyword == "key" and name in _CALLING_KEY):
            yield from groups_of(evaluator, evaluator.evaluate(expression, where))
