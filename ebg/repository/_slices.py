"""Backward slices: what a result depends on, split into the exclusive routes that reach it.

The names that an anchor and the tests around it read are followed backwards through their definitions, transitively,
inside the scope. Each decision on the way (see `_reaching`) is split, and each combination of outcomes that can happen
is a route with a slice of its own.

Costs are bounded, because functions in the wild are not: a slice keeps its nearest `MAX_DEFINITIONS` definitions, an
anchor has at most `MAX_ROUTES` slices, and fewer where what it depends on is so large that they would hold more than
`MAX_ROUTES_DEFINITIONS` together. Decisions are split from the anchor outwards, so those that exceed the limits are the
far ones; they stay joined, with the definitions of all their outcomes in one slice. Ten independent tests before one
`return` give sixteen slices, twenty give eight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ebg.repository._reaching import MAX_DEFINITIONS, Candidate, Reaching

__all__ = ["MAX_ROUTES", "MAX_ROUTES_DEFINITIONS", "Slice", "Slicer"]

MAX_ROUTES = 16
"""Slices of one anchor."""
MAX_ROUTES_DEFINITIONS = 256
"""Definitions in all slices of one anchor together, were they all as large as what the anchor depends on. Three in a
hundred anchors meet it; without it they hold half of all that a graph says about behaviors."""

_MAX_FOLLOWED = 4 * MAX_DEFINITIONS
"""Definitions after which the search for the nearest ends."""

_CONTROLS = frozenset(["if", "elif", "for", "while", "with", "try", "match", "else", "except", "finally", "case"])

Reads = list[tuple[int, bytes]]
Options = dict[int, tuple[str, ...]]
"""Decisions that are still open: all outcomes by row of the control."""


class Slice(NamedTuple):
    """One route to an anchor."""

    controls: tuple[int, ...]
    """Rows of the tests and clauses that lead here, ascending."""
    definitions: tuple[int, ...]
    """Rows that the result depends on, ascending; controls are not repeated."""


class Slicer:
    """Slices of one file."""

    def __init__(self, reaching: Reaching) -> None:
        self.reaching = reaching
        self.flow = reaching.flow
        self.rows = reaching.rows
        # A need is what reaches a row that reads a key: rows that the same definitions reach have the same need. Needs
        # have numbers, so that sets of them are always in the same order.
        self.candidates: list[tuple[Candidate, ...]] = []
        """Definitions by number of need."""
        self.number_of: dict[tuple[Candidate, ...], int] = {}
        self.needs_of_key: dict[int, dict[bytes, int]] = {}
        """Per row, number of the need by key."""
        self.own_needs: dict[int, frozenset[int]] = {}
        self.chain_needs: dict[int, frozenset[int]] = {-1: frozenset()}
        self.headers: dict[int, frozenset[int]] = {-1: frozenset()}
        # What a definition depends on, itself included, whatever the decisions; for the scopes met so far.
        self.depends: dict[int, frozenset[int]] = {}
        self.undecided: set[int] = set()
        """Definitions whose dependences differ with some decision."""
        self.settled: dict[int, frozenset[int] | None] = {}
        """Per need the definitions that it depends on; None where that differs with some decision."""
        self.closed: set[int] = set()
        self.circular: set[int] = set()
        """Scopes in which values go around a loop."""

    def slices(self, row: int, reads: Reads | None) -> list[Slice]:
        """Return the slices of an anchor in `row`; at least one.

        Args:
            row: row of the anchor.
            reads: what the anchor's expression reads; None for everything that the row reads.
        """
        needs = self._own_needs(row) if reads is None else self._needs(reads, row)
        needs |= self._needs_of_chain(self.rows.branch[row])
        if not needs:
            return [self._slice(row, {}, ())]
        scope = self.rows.scope[row]
        if scope not in self.closed:
            self.closed.add(scope)
            self._close(scope)
        definitions, is_open = self._union(needs)
        definitions = _nearest(definitions)
        if not is_open:
            return [self._slice(row, {}, definitions)]
        # A power of two, since most decisions have two outcomes and a split that stops halfway favours one of them.
        most = min(MAX_ROUTES, 1 << (MAX_ROUTES_DEFINITIONS // len(definitions)).bit_length() - 1)
        return self._routes(row, needs, most)

    # -- routes -------------------------------------------------------------------------------------------------------

    def _routes(self, row: int, needs: frozenset[int], most: int) -> list[Slice]:
        waiting: list[dict[int, str]] = [{}]
        found: dict[Slice, None] = {}
        while waiting:
            chosen = waiting.pop(0)
            definitions, undecided = self._follow(needs, chosen)
            split = self._next_split(row, undecided, most - len(waiting) - len(found))
            if split is None:
                found[self._slice(row, chosen, _nearest(definitions))] = None
            else:
                control, options = split
                waiting.extend({**chosen, control: option} for option in options)
        return list(found)

    def _follow(self, needs: frozenset[int], chosen: Mapping[int, str]) -> tuple[set[int], Options]:
        """Return the definitions that reach the needs when decisions fall as chosen, and the decisions left open."""
        definitions: set[int] = set()
        undecided: Options = {}
        seen = set(needs)
        todo = list(needs)
        settled = self.settled
        while todo and len(definitions) < _MAX_FOLLOWED:
            need = todo.pop()
            known = settled[need] if need in settled else self._settle(need)
            if known is not None:
                definitions |= known
                continue
            for definition, hides, decisions in self.candidates[need]:
                is_open = False
                for control, outcome, options in decisions:
                    choice = chosen.get(control)
                    if choice is None:
                        is_open = True
                        undecided[control] = options
                    elif choice != outcome:
                        break
                else:
                    if definition not in self.undecided:
                        definitions |= self.depends[definition]
                    elif definition not in definitions:
                        definitions.add(definition)
                        new = self._needs_of(definition) - seen
                        seen |= new
                        todo += new
                    if hides and not is_open:
                        break
        return definitions, undecided

    def _settle(self, need: int) -> frozenset[int] | None:
        definitions, is_open = self._union(frozenset([need]))
        known = self.settled[need] = None if is_open else frozenset(definitions)
        return known

    def _next_split(self, row: int, undecided: Options, room: int) -> tuple[int, tuple[str, ...]] | None:
        """Return the open decision to split next: of the outermost ones the nearest before the anchor."""
        best: tuple[int, tuple[str, ...]] | None = None
        for control, options in undecided.items():
            if len(options) > room or (best is not None and (control < row, control) < (best[0] < row, best[0])):
                continue
            if self._headers(self.rows.branch[control]).isdisjoint(undecided):
                best = (control, options)
        return best

    def _slice(self, row: int, chosen: Mapping[int, str], definitions: Iterable[int]) -> Slice:
        headers = set(self._headers(self.rows.branch[row]))
        for control, option in chosen.items():
            headers.add(control)
            for number in self.reaching.inside[control]:
                _, label, _, clause = self.reaching.branches[number]
                if label == option and clause >= 0:
                    headers.add(clause)
        kinds = self.rows.kind
        operations: list[int] = []
        for definition in definitions:
            headers |= self._headers(self.reaching.holding[definition])
            (headers.add if kinds[definition] in _CONTROLS else operations.append)(definition)
        headers.discard(row)
        return Slice(tuple(sorted(headers)), tuple(sorted([number for number in operations if number != row])))

    def _headers(self, branch: int) -> frozenset[int]:
        """Return the rows of the controls and clauses around a branch, its own included."""
        known = self.headers.get(branch)
        if known is None:
            found: set[int] = set()
            for number in self.reaching.chain(branch):
                control, _, _, clause = self.reaching.branches[number]
                found.update((control, clause))
            found.discard(-1)
            known = self.headers[branch] = frozenset(found)
        return known

    # -- closures -----------------------------------------------------------------------------------------------------

    def _close(self, scope: int) -> None:
        """Compute what each definition of a scope depends on.

        In order of rows, which is nearly the order of dependence; where values go around loops, again until nothing
        changes (Kam and Ullman 1976: as many rounds as loops nest, plus two).
        """
        where = self.flow.definitions.get(scope, {})
        order = sorted({encoded >> 1 for rows in where.values() for encoded in rows})
        self.depends.update(dict.fromkeys(order, frozenset()))
        while self._close_once(order) and scope in self.circular:
            pass

    def _close_once(self, order: list[int]) -> bool:
        """Compute dependences from those known so far; return whether that changed any."""
        changed = False
        of_branch: dict[int, tuple[set[int], bool]] = {-1: (set(), False)}
        for row in order:
            branch = self.reaching.holding[row]
            around = of_branch.get(branch)
            if around is None:
                around = of_branch[branch] = self._union(self._needs_of_chain(branch))
            definitions, is_open = around
            own = self._own_needs(row)
            if own:
                more, own_open = self._union(own)
                definitions, is_open = definitions | more, is_open or own_open
            depends = frozenset(_nearest({row, *definitions}))
            if depends != self.depends[row] or (is_open and row not in self.undecided):
                self.depends[row] = depends
                changed = True
                if is_open:
                    self.undecided.add(row)
        return changed

    def _union(self, needs: frozenset[int]) -> tuple[set[int], bool]:
        """Return the definitions that needs depend on, and whether that differs with some decision."""
        definitions: set[int] = set()
        is_open = False
        depends, undecided = self.depends, self.undecided
        for need in needs:
            for definition, _, decisions in self.candidates[need]:
                definitions |= depends[definition]
                definitions.add(definition)
                if decisions or definition in undecided:
                    is_open = True
        return definitions, is_open

    # -- needs --------------------------------------------------------------------------------------------------------

    def _needs_of(self, definition: int) -> frozenset[int]:
        """Return what a definition and the tests around it need."""
        return self._own_needs(definition) | self._needs_of_chain(self.reaching.holding[definition])

    def _own_needs(self, row: int) -> frozenset[int]:
        known = self.own_needs.get(row)
        if known is None:
            known = self.own_needs[row] = self._needs(self.flow.reads_in(row), row)
        return known

    def _needs_of_chain(self, branch: int) -> frozenset[int]:
        """Return what the tests around a branch need, its own included."""
        known = self.chain_needs.get(branch)
        if known is None:
            found = [self._own_needs(row) for row in self._headers(branch)]
            known = self.chain_needs[branch] = frozenset().union(*found)
        return known

    def _needs(self, reads: Reads, row: int) -> frozenset[int]:
        """Return the needs of reads in a row that some definition of the scope reaches."""
        where = self.flow.definitions.get(self.rows.scope[row])
        if where is None:
            return frozenset()
        numbers = self.needs_of_key.setdefault(row, {})
        found = []
        changed = self.flow.changed
        for read in reads:
            for key in self.flow.keys(read) if read[1] in changed else read[1:]:
                if key in where:
                    number = numbers.get(key)
                    if number is None:
                        number = numbers[key] = self._add_need(where[key], row)
                    if number >= 0:
                        found.append(number)
        return frozenset(found)

    def _add_need(self, where: list[int], row: int) -> int:
        """Return a new number for a need, or -1 if no definition reaches it."""
        found = self.reaching.candidates(where, row)
        if not found:
            return -1
        if max(found)[0] >= row:
            self.circular.add(self.rows.scope[row])
        number = self.number_of.setdefault(found, len(self.candidates))
        if number == len(self.candidates):
            self.candidates.append(found)
        return number


def _nearest(definitions: set[int]) -> set[int]:
    """Return the last `MAX_DEFINITIONS` rows."""
    return definitions if len(definitions) <= MAX_DEFINITIONS else set(sorted(definitions)[-MAX_DEFINITIONS:])
