"""Backward slices: which definitions a result depends on, split into the exclusive routes that reach it.

For the names that an anchor and the tests around it read, the definitions that may reach it are followed backwards,
transitively, inside the scope. A definition under a test that the anchor is not under makes the test a *decision*: its
outcomes are exclusive routes, and each gives a slice of its own (`if` taken and not taken, each `case`, a `try` that
succeeds or is handled, a loop that runs or does not). Definitions reach their uses around a loop and from a `try` body
into its handlers; they do not reach beyond a block that leaves first.

Costs are bounded, because functions in the wild are not: see the limits below. Decisions are split from the anchor
outwards, so those that exceed `MAX_ROUTES` are the far ones; they stay joined, with the definitions of all their
outcomes in one slice. Twenty independent tests before one `return` give sixteen slices.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ebg.repository._exits import BREAK, FALLS, LEAVES, Exits
from ebg.repository._flow import Flow

__all__ = ["MAX_CONTROLS", "MAX_DEFINITIONS", "MAX_ROUTES", "MAX_STEPS", "Slice", "Slicer"]

MAX_ROUTES = 16
"""Slices of one anchor."""
MAX_DEFINITIONS = 64
"""Definitions in one slice, the nearest."""
MAX_STEPS = 2048
"""Definitions looked at for one slice."""
MAX_CONTROLS = 64
"""Tests around a row that are looked at, the innermost."""

_WILDCARD = re.compile(rb"case\s+_\s*:")
_ALWAYS = "always"
_SKIPPED = "skipped"


class Slice(NamedTuple):
    """One route to an anchor."""

    controls: tuple[int, ...]
    """Rows of the tests and clauses that lead here, ascending."""
    definitions: tuple[int, ...]
    """Rows that the result depends on, ascending; controls are not repeated."""


class Slicer:
    """Slices of one file."""

    def __init__(self, flow: Flow, exits: Exits, endless: set[int]) -> None:
        """Prepare the extents of the branches.

        Args:
            flow: definitions and reads.
            exits: how each branch ends.
            endless: rows of loops that always run (`while True`).
        """
        syntax = flow.syntax
        self.flow = flow
        self.rows = syntax.statements
        self.branches = syntax.branches
        self.exits = exits
        self.endless = endless
        self.inside: dict[int, list[int]] = {}
        for number, branch in enumerate(self.branches):
            self.inside.setdefault(branch.control, []).append(number)
        self.extents = self._extents()
        self.chains: dict[int, tuple[int, ...]] = {-1: ()}
        self.option_lists: dict[tuple[int, bool], tuple[str, ...]] = {}

    # -- structure ----------------------------------------------------------------------------------------------------

    def _extents(self) -> list[tuple[int, int]]:
        """Return the rows of each branch as a half-open range."""
        rows, branches = self.rows, self.branches
        first_elif = {rows.branch[row]: row for row, kind in enumerate(rows.kind) if kind == "elif"}
        top: dict[int, int] = {}
        extents = []
        for number, (control, label, parent, clause) in enumerate(branches):
            if rows.kind[control] == "elif" and parent >= 0:
                top[control] = top.get(branches[parent].control, branches[parent].control)
            if clause >= 0:
                extents.append((clause + 1, rows.stop[clause]))
            elif label == "body":
                later = self.inside[control]
                after = rows.stop[control]
                if rows.kind[control] != "elif" and len(later) > 1:
                    following = later[1] if later[0] == number else later[0]
                    clause_row = branches[following].clause
                    after = clause_row if clause_row >= 0 else first_elif.get(following, after)
                extents.append((control + 1, after))
            else:
                extents.append((first_elif.get(number, control + 1), rows.stop[top.get(control, control)]))
        return extents

    def branch_of(self, row: int) -> int:
        """Return the branch in which a definition by `row` holds: of a clause, the block that it opens."""
        return self.flow.body_branch.get(row, self.rows.branch[row])

    def chain(self, branch: int) -> tuple[int, ...]:
        """Return a branch and those around it, outermost first, at most `MAX_CONTROLS`."""
        known = self.chains.get(branch)
        if known is None:
            todo = []
            while branch not in self.chains:
                todo.append(branch)
                branch = self.branches[branch].parent
            known = self.chains[branch]
            while todo:
                branch = todo.pop()
                known = (*known, branch)[-MAX_CONTROLS:]
                self.chains[branch] = known
        return known

    def _control_stop(self, control: int) -> int:
        """Return the first row after a control; of an `elif`, after the whole `if`."""
        return max(self.extents[number][1] for number in self.inside[control])

    def _options(self, control: int, *, leaves_loop: bool) -> tuple[str, ...]:
        """Return the outcomes of a control after which its successors can be reached.

        Args:
            control: row of the control.
            leaves_loop: whether the place to reach lies outside the innermost loop around the control, so that
                `break` leads there.
        """
        known = self.option_lists.get((control, leaves_loop))
        if known is None:
            known = self.option_lists[control, leaves_loop] = tuple(self._outcomes(control, leaves_loop))
        return known

    def _outcomes(self, control: int, leaves_loop: bool) -> Iterator[str]:
        kind = self.rows.kind[control]
        ends = {self.branches[number].label: self.exits[number] for number in self.inside[control]}
        passable = {label for label, end in ends.items() if end == FALLS or (leaves_loop and end < LEAVES)}
        if kind in ("for", "while"):
            yield "body"
            if control not in self.endless:
                yield _SKIPPED
        elif kind == "match":
            yield from (label for label in ends if label != "body" and label in passable)
            if not self._is_exhaustive(control):
                yield _SKIPPED
        elif kind == "try":
            if "body" in passable and ("else" in passable or "else" not in ends):
                yield "body"
            yield from (label for label in ends if label.startswith("except") and label in passable)
        else:
            yield from (label for label in ("body", "else") if label in passable or label not in ends)

    def _is_exhaustive(self, control: int) -> bool:
        clause = self.branches[self.inside[control][-1]].clause
        return clause >= 0 and _WILDCARD.match(self.flow.syntax.source, self.rows.start[clause]) is not None

    def _outcome(self, branch: int) -> str:
        """Return the outcome of its control that leads through a branch, or `always`."""
        control, label, _, _ = self.branches[branch]
        kind = self.rows.kind[control]
        if kind == "with" or label == "finally" or (label == "else" and kind in ("for", "while")):
            return _ALWAYS
        return "body" if kind == "try" and label == "else" else label

    # -- slices -------------------------------------------------------------------------------------------------------

    def slices(self, row: int, reads: Iterable[tuple[int, bytes]]) -> list[Slice]:
        """Return the slices of an anchor in `row` whose expression makes `reads`; at least one."""
        chain = self.chain(self.rows.branch[row])
        needs = [(key, row) for read in reads for key in self.flow.keys(read)]
        for branch in chain:
            needs.extend(self._header_needs(branch))
        if not needs:
            return [Slice(tuple(sorted(self._headers(chain))), ())]
        waiting: list[dict[int, str]] = [{}]
        found: dict[Slice, None] = {}
        while waiting:
            chosen = waiting.pop(0)
            definitions, open_controls = self._reaching(needs, chosen)
            room = MAX_ROUTES - len(waiting) - len(found)
            split = self._next_split(row, open_controls, room)
            if split is None:
                found[self._slice(row, chain, chosen, definitions)] = None
            else:
                control, options = split
                waiting.extend({**chosen, control: option} for option in options)
        return list(found)

    def _header_needs(self, branch: int) -> Iterator[tuple[bytes, int]]:
        control, _, _, clause = self.branches[branch]
        for header in (control, clause):
            if header >= 0:
                for read in self.flow.reads_in(header):
                    for key in self.flow.keys(read):
                        yield key, header

    def _headers(self, chain: Iterable[int]) -> set[int]:
        headers = set()
        for branch in chain:
            control, _, _, clause = self.branches[branch]
            headers.add(control)
            if clause >= 0:
                headers.add(clause)
        return headers

    def _next_split(
        self, row: int, open_controls: Mapping[int, tuple[str, ...]], room: int
    ) -> tuple[int, tuple[str, ...]] | None:
        """Return the open decision to split next: of the outermost ones the nearest before the anchor."""
        best = None
        for control, options in open_controls.items():
            if len(options) > room:
                continue
            around = {self.branches[branch].control for branch in self.chain(self.rows.branch[control])}
            if around.isdisjoint(open_controls) and (
                best is None or (control <= row, control) > (best[0] <= row, best[0])
            ):
                best = (control, options)
        return best

    def _slice(self, row: int, chain: tuple[int, ...], chosen: Mapping[int, str], definitions: set[int]) -> Slice:
        headers = self._headers(chain)
        for control, option in chosen.items():
            headers.add(control)
            for number in self.inside[control]:
                if self.branches[number].label == option and self.branches[number].clause >= 0:
                    headers.add(self.branches[number].clause)
        kinds = self.rows.kind
        for definition in definitions:
            branch = self.branch_of(definition)
            headers |= self._headers(self.chain(branch))
            if kinds[definition] in _CONTROL_KINDS:
                headers.add(definition)
        headers.discard(row)
        operations = sorted(number for number in definitions if number not in headers and number != row)
        return Slice(tuple(sorted(headers)), tuple(operations))

    def _reaching(
        self, needs: list[tuple[bytes, int]], chosen: Mapping[int, str]
    ) -> tuple[set[int], dict[int, tuple[str, ...]]]:
        """Return the definitions that reach the needs when decisions fall as chosen, and the decisions left open."""
        flow, rows = self.flow, self.rows
        definitions: set[int] = set()
        open_controls: dict[int, tuple[str, ...]] = {}
        seen = set(needs)
        todo = list(seen) if len(seen) > 1 else list(needs)
        todo.sort()
        steps = 0
        while todo:
            key, place = todo.pop()
            where = flow.definitions.get((rows.scope[place], key))
            if where is None:
                continue
            for definition in self._candidates(where, place, chosen, open_controls):
                steps += 1
                if definition < 0:
                    continue
                if definition in definitions:
                    continue
                if len(definitions) >= MAX_DEFINITIONS:
                    return definitions, open_controls
                definitions.add(definition)
                for need in self._needs_of(definition):
                    if need not in seen:
                        seen.add(need)
                        todo.append(need)
            if steps > MAX_STEPS:
                break
        return definitions, open_controls

    def _needs_of(self, definition: int) -> Iterator[tuple[bytes, int]]:
        for read in self.flow.reads_in(definition):
            for key in self.flow.keys(read):
                yield key, definition
        for branch in self.chain(self.branch_of(definition)):
            yield from self._header_needs(branch)

    def _candidates(
        self, where: list[int], place: int, chosen: Mapping[int, str], open_controls: dict[int, tuple[str, ...]]
    ) -> Iterator[int]:
        """Yield the definitions of one key that can reach `place`, nearest first; -1 for each that cannot."""
        kinds = self.rows.kind
        last = bisect_left(where, 2 * place) - 1
        stop_at = -1
        for position in range(last, max(last - MAX_STEPS, -1), -1):
            definition, strong = where[position] >> 1, where[position] & 1
            if kinds[definition] in _HEADERS_OF_SCOPES:  # a parameter: nothing is before it, and it is no evidence
                stop_at = definition
                break
            relation = self._relation(definition, place, chosen, open_controls)
            if relation == _UNREACHED:
                yield -1
                continue
            yield definition
            if strong and relation == _DOMINATES and (kinds[definition] != "for" or self._in_loop(definition, place)):
                stop_at = definition
                break
        yield from self._carried(where, last + 1, place, stop_at)

    def _carried(self, where: list[int], first: int, place: int, stop_at: int) -> Iterator[int]:
        """Yield later definitions that reach `place` in the next round of a loop that holds both."""
        if first >= len(where):
            return
        end = place
        for branch in self.chain(self.rows.branch[place]):
            control, label, _, _ = self.branches[branch]
            if label == "body" and self.rows.kind[control] in ("for", "while") and control > stop_at:
                end = self.extents[branch][1]
                break
        for position in range(first, min(len(where), first + MAX_STEPS)):
            definition = where[position] >> 1
            if definition >= end:
                break
            if definition == place:
                continue
            blocks = self.chain(self.branch_of(definition))
            if all(self.exits[block] < BREAK or self._holds(block, place) for block in blocks):
                yield definition

    def _holds(self, branch: int, row: int) -> bool:
        first, stop = self.extents[branch]
        return first <= row < stop

    def _in_loop(self, control: int, place: int) -> bool:
        return any(
            self._holds(number, place) for number in self.inside[control] if self.branches[number].label == "body"
        )

    def _relation(
        self, definition: int, place: int, chosen: Mapping[int, str], open_controls: dict[int, tuple[str, ...]]
    ) -> int:
        """Return whether an earlier definition reaches `place`, and whether it always does."""
        dominates = True
        undecided: list[tuple[int, tuple[str, ...]]] = []
        for branch in self.chain(self.branch_of(definition)):
            if self._holds(branch, place):
                continue
            control = self.branches[branch].control
            outcome = self._outcome(branch)
            if control < place < self._control_stop(control):  # in another block of the same control
                if not self._flows_between(control, outcome, place):
                    return _UNREACHED
                dominates = dominates and outcome == _ALWAYS
                continue
            leaves_loop = self._leaves_loop(control, place)
            if self.exits[branch] != FALLS and not (leaves_loop and self.exits[branch] < LEAVES):
                return _UNREACHED
            if outcome == _ALWAYS:
                continue
            if control in chosen:
                if chosen[control] != outcome:
                    return _UNREACHED
                continue
            options = self._options(control, leaves_loop=leaves_loop)
            if len(options) > 1:
                undecided.append((control, options))
                dominates = False
        open_controls.update(undecided)
        return _DOMINATES if dominates else _REACHES

    def _flows_between(self, control: int, outcome: str, place: int) -> bool:
        """Return whether values flow from one block of a control into a later one: only inside `try` and loops."""
        kind = self.rows.kind[control]
        if kind in ("for", "while"):
            return True
        if kind != "try":
            return False
        target = next(
            (self.branches[number].label for number in self.inside[control] if self._holds(number, place)), "clause"
        )
        return not outcome.startswith("except") or target == "finally"

    def _leaves_loop(self, control: int, place: int) -> bool:
        """Return whether `place` lies outside the innermost loop around `control`."""
        for branch in reversed(self.chain(self.rows.branch[control])):
            outer, label, _, _ = self.branches[branch]
            if label == "body" and self.rows.kind[outer] in ("for", "while"):
                return not self._holds(branch, place)
        return False


_UNREACHED, _REACHES, _DOMINATES = range(3)
_HEADERS_OF_SCOPES = frozenset(["function", "class", "decorator"])
_CONTROL_KINDS = frozenset(["if", "elif", "for", "while", "with", "try", "match", "else", "except", "finally", "case"])
