"""Which definitions of a name reach a row, and which tests must fall how for that.

A definition under a test that the row is not under makes the test a *decision* with exclusive outcomes: `if` taken or
not, one `case` or another, a `try` that succeeds or is handled, a loop that runs or does not. A definition does not
reach beyond a block that leaves first; it does reach around a loop, and from a `try` body into its handlers.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from ebg.repository._exits import BREAK, FALLS, LEAVES, Exits
from ebg.repository._flow import Flow

__all__ = ["MAX_CONTROLS", "MAX_DEFINITIONS", "MAX_STEPS", "Candidate", "Decision", "Reaching"]

MAX_DEFINITIONS = 64
"""Definitions of one name that are followed, the nearest."""
MAX_STEPS = 1024
"""Definitions of one name that are looked at."""
MAX_CONTROLS = 64
"""Tests around a row that are looked at, the innermost."""

Decision = tuple[int, str, tuple[str, ...]]
"""(row of a control, the outcome needed, all outcomes)."""
Candidate = tuple[int, bool, tuple[Decision, ...]]
"""(row of a definition, whether it hides earlier ones once the decisions fall so, the decisions)."""

_MAYBE: Decision = (-1, "", ())
"""Stands among decisions for: it may also not have happened, whatever the decisions."""
_WILDCARD = re.compile(rb"case\s+_\s*:")
_ALWAYS = "always"
_SKIPPED = "skipped"
_LOOPS = frozenset(["for", "while"])
_SCOPE_HEADERS = frozenset(["function", "class", "decorator"])


class Reaching:
    """Reaching definitions of one file."""

    def __init__(self, flow: Flow, exits: Exits, endless: set[int]) -> None:
        """Prepare the extents of the branches.

        Args:
            flow: definitions and reads.
            exits: how each branch ends.
            endless: rows of loops that always run (`while True`).
        """
        self.flow = flow
        self.rows = flow.syntax.statements
        self.branches = flow.syntax.branches
        self.inside: dict[int, list[int]] = {}
        """Per control its branches."""
        self.holding = self.rows.branch[:]
        """Per row the branch in which its definitions hold: of a clause, the block that it opens."""
        for clause, number in flow.body_branch.items():
            self.holding[clause] = number
        for number, branch in enumerate(self.branches):
            self.inside.setdefault(branch.control, []).append(number)
        self._exits = exits
        self._endless = endless
        self._extents = self._find_extents()
        self._chains: dict[int, tuple[int, ...]] = {-1: ()}
        self._options: dict[tuple[int, bool], tuple[str, ...]] = {}
        self._stops: dict[int, int] = {}
        self._loops: dict[int, int] = {}

    # -- structure ----------------------------------------------------------------------------------------------------

    def _find_extents(self) -> list[tuple[int, int]]:
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
                siblings = self.inside[control]
                after = rows.stop[control]
                if rows.kind[control] != "elif" and len(siblings) > 1:
                    following = siblings[1]
                    clause_row = branches[following].clause
                    after = clause_row if clause_row >= 0 else first_elif.get(following, after)
                extents.append((control + 1, after))
            else:
                extents.append((first_elif.get(number, control + 1), rows.stop[top.get(control, control)]))
        return extents

    def chain(self, branch: int) -> tuple[int, ...]:
        """Return a branch and those around it, outermost first, at most `MAX_CONTROLS`."""
        known = self._chains.get(branch)
        if known is None:
            todo = []
            while branch not in self._chains:
                todo.append(branch)
                branch = self.branches[branch].parent
            known = self._chains[branch]
            while todo:
                branch = todo.pop()
                known = (*known, branch)[-MAX_CONTROLS:]
                self._chains[branch] = known
        return known

    def _stop(self, control: int) -> int:
        """Return the first row after a control; of an `elif`, after the whole `if`."""
        known = self._stops.get(control)
        if known is None:
            known = self._stops[control] = max(self._extents[number][1] for number in self.inside[control])
        return known

    def _holds(self, branch: int, row: int) -> bool:
        first, stop = self._extents[branch]
        return first <= row < stop

    def _loops_around(self, row: int) -> Iterator[int]:
        """Yield the bodies of the loops around a row, innermost first."""
        for branch in reversed(self.chain(self.rows.branch[row])):
            control, label, _, _ = self.branches[branch]
            if label == "body" and self.rows.kind[control] in _LOOPS:
                yield branch

    # -- outcomes -----------------------------------------------------------------------------------------------------

    def _outcome(self, branch: int) -> str:
        """Return the outcome of its control that leads through a branch, or `always`."""
        control, label, _, _ = self.branches[branch]
        kind = self.rows.kind[control]
        if kind == "with" or label == "finally" or (label == "else" and kind in _LOOPS):
            return _ALWAYS
        return "body" if kind == "try" and label == "else" else label

    def _outcomes(self, control: int, *, leaves_loop: bool) -> tuple[str, ...]:
        """Return the outcomes of a control after which a later place can be reached.

        Args:
            control: row of the control.
            leaves_loop: whether the place lies outside the innermost loop around the control, so that `break` leads
                there.
        """
        known = self._options.get((control, leaves_loop))
        if known is None:
            ends = {self.branches[number].label: self._exits[number] for number in self.inside[control]}
            passable = {label for label, end in ends.items() if end == FALLS or (leaves_loop and end < LEAVES)}
            known = self._options[control, leaves_loop] = tuple(self._find_outcomes(control, [*ends], passable))
        return known

    def _find_outcomes(self, control: int, labels: list[str], passable: set[str]) -> Iterator[str]:
        kind = self.rows.kind[control]
        if kind in _LOOPS:
            yield "body"
            if control not in self._endless:
                yield _SKIPPED
        elif kind == "match":
            yield from (label for label in labels if label != "body" and label in passable)
            last = self.branches[self.inside[control][-1]].clause
            if last < 0 or _WILDCARD.match(self.flow.syntax.source, self.rows.start[last]) is None:
                yield _SKIPPED
        elif kind == "try":
            if "body" in passable and ("else" in passable or "else" not in labels):
                yield "body"
            yield from (label for label in labels if label.startswith("except") and label in passable)
        else:
            yield from (label for label in ("body", "else") if label in passable or label not in labels)

    # -- definitions --------------------------------------------------------------------------------------------------

    def candidates(self, where: list[int], place: int) -> tuple[Candidate, ...]:
        """Return the definitions that can reach a row: those of a next round of a loop first, then nearest first.

        Args:
            where: the definitions of one key, as in `Flow.definitions`.
            place: the row that reads the key.
        """
        last = bisect_left(where, 2 * place)
        if last and last == len(where):  # nothing later: most names are defined once, before any test
            definition, strong = where[-1] >> 1, where[-1] & 1
            kind = self.rows.kind[definition]
            if kind == "function":
                return ()
            if strong and kind != "for" and self.holding[definition] in (-1, self.rows.branch[place]):
                return ((definition, True, ()),)
        earlier, hidden_before = self._earlier(where[max(last - MAX_STEPS, 0) : last], place)
        around = [(row, False, ()) for row in self._next_round(where[last : last + MAX_STEPS], place, hidden_before)]
        return (*around, *earlier)

    def _earlier(self, where: list[int], place: int) -> tuple[list[Candidate], int]:
        """Return the definitions before `place` that can reach it, and the row that hides all before it, or -1."""
        kinds = self.rows.kind
        found: list[Candidate] = []
        for encoded in reversed(where):
            definition, strong = encoded >> 1, encoded & 1
            if kinds[definition] in _SCOPE_HEADERS:  # a parameter: nothing is before it, and it is no evidence
                return found, definition
            decisions = self._decisions(definition, place)
            if decisions is None:
                continue
            hides = strong == 1 and _MAYBE not in decisions
            if hides and kinds[definition] == "for":
                hides = self._holds(self.inside[definition][0], place)
            found.append((definition, hides, tuple([one for one in decisions if one is not _MAYBE])))
            if hides and not decisions:
                return found, definition
            if len(found) == MAX_DEFINITIONS:
                break
        return found, -1

    def _next_round(self, where: list[int], place: int, hidden_before: int) -> Iterator[int]:
        """Yield later definitions that reach `place` in the next round of a loop around both."""
        if not where:
            return
        end = place
        for body in self._loops_around(place):
            if self.branches[body].control > hidden_before:
                end = self._extents[body][1]
        for encoded in where:
            definition = encoded >> 1
            if definition >= end:
                break
            if definition != place and all(
                self._exits[branch] < BREAK or self._holds(branch, place)
                for branch in self.chain(self.holding[definition])
            ):
                yield definition

    def _decisions(self, definition: int, place: int) -> list[Decision] | None:
        """Return the decisions that must fall so that an earlier definition reaches `place`; None if it never does."""
        found: list[Decision] = []
        for branch in self.chain(self.holding[definition]):
            first, stop = self._extents[branch]
            if first <= place < stop:
                continue
            control = self.branches[branch].control
            outcome = self._outcome(branch)
            if control < place < self._stop(control):  # in another block of the same control
                if not self._flows_between(control, outcome, place):
                    return None
                if outcome != _ALWAYS:
                    found.append(_MAYBE)
                continue
            leaves_loop = self._leaves_loop(control, place)
            if self._exits[branch] != FALLS and not (leaves_loop and self._exits[branch] < LEAVES):
                return None
            if outcome != _ALWAYS:
                options = self._outcomes(control, leaves_loop=leaves_loop)
                if len(options) > 1:
                    found.append((control, outcome, options))
        return found

    def _leaves_loop(self, control: int, place: int) -> bool:
        """Return whether a later place lies outside the innermost loop around a control."""
        body = self._loops.get(control)
        if body is None:
            body = self._loops[control] = next(self._loops_around(control), -1)
        return body >= 0 and not self._holds(body, place)

    def _flows_between(self, control: int, outcome: str, place: int) -> bool:
        """Return whether values flow from one block of a control into a later one: only inside `try` and loops."""
        kind = self.rows.kind[control]
        if kind != "try":
            return kind in _LOOPS
        to_finally = any(
            self.branches[number].label == "finally" and self._holds(number, place) for number in self.inside[control]
        )
        return to_finally or not outcome.startswith("except")
