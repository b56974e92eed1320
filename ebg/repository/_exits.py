"""Where control leaves a block, and so what later statements may take for granted.

`if bad: raise` before a statement means that the statement runs only when `bad` was false: an early exit is a guard of
whatever follows it in the same block, in blocks inside, and after a `with` around it.
"""

from __future__ import annotations

import re

from ebg.repository._syntax import PythonSyntax

__all__ = ["BREAK", "CONTINUE", "FALLS", "LEAVES", "MAX_GUARDS", "Exits", "Guard", "read_exits", "read_guards"]

# How a block ends: it falls through, starts the next round of its loop, ends the loop, or ends the function.
FALLS, CONTINUE, BREAK, LEAVES = range(4)

MAX_GUARDS = 32
"""Guards that a behavior lists, the nearest: a function with thousands of early exits must not cost their square."""

_ENDINGS = {"return": LEAVES, "raise": LEAVES, "break": BREAK, "continue": CONTINUE}
_EXIT_CALL = re.compile(rb"(?:sys\.exit|os\._exit|os\.abort|exit|quit)\s*\(")
_ATOM = re.compile(r"[\w.]+(?:\([^()]*\))?|\[[^\[\]]*\]|\"[^\"\\]*\"|'[^'\\]*'")

Exits = list[int]
"""Per branch, how it ends."""

Guard = tuple[str, int]
"""(negated test, row of the test)."""


def read_exits(syntax: PythonSyntax) -> Exits:
    """Return how each branch ends. One backward pass: a control is met after everything inside it."""
    rows, branches = syntax.statements, syntax.branches
    exits = [FALLS] * len(branches)
    inside: dict[int, list[int]] = {}
    for number, branch in enumerate(branches):
        inside.setdefault(branch.control, []).append(number)
    for row in range(len(rows.start) - 1, -1, -1):
        ending = _ENDINGS.get(rows.kind[row], FALLS)
        if row in inside:
            ending = _control_exit(rows.kind[row], [(branches[number].label, exits[number]) for number in inside[row]])
        elif rows.kind[row] == "expression" and _EXIT_CALL.match(syntax.source, rows.start[row]):
            ending = LEAVES
        branch_number = rows.branch[row]
        if ending and branch_number >= 0 and rows.kind[row] not in ("else", "except", "finally", "case"):
            exits[branch_number] = ending
    return exits


def _control_exit(kind: str, blocks: list[tuple[str, int]]) -> int:
    """Return how a control ends, from its blocks. Loops may run no round, and `match` may match nothing: they fall."""
    ends = dict(blocks)
    if kind == "with":
        return ends["body"]
    if kind in ("if", "elif"):
        return min(ends["body"], ends.get("else", FALLS))
    if kind == "try":
        if ends.get("finally"):
            return ends["finally"]
        normal = ends["body"] or ends.get("else", FALLS)
        return min([normal, *(end for label, end in blocks if label.startswith("except"))])
    return FALLS


def read_guards(syntax: PythonSyntax, exits: Exits, tests: dict[int, tuple[int, int]]) -> list[tuple[Guard, ...]]:
    """Return the guards of each row, outermost first.

    Args:
        syntax: tables of the file.
        exits: how its branches end.
        tests: byte range of the test of each `if`, `elif`, `while` and `assert`.
    """
    rows, branches = syntax.statements, syntax.branches
    passed = _passed(syntax, exits, tests)
    # State of a block: what holds after the rows met so far. A `with` block shares the state of the block around it.
    block_of = list(range(len(branches)))
    for number, branch in enumerate(branches):
        if rows.kind[branch.control] == "with":
            block_of[number] = block_of[branch.parent] if branch.parent >= 0 else -1
    states: dict[tuple[int, int], tuple[Guard, ...]] = {}
    of_row: list[tuple[Guard, ...]] = []
    for row, branch_number in enumerate(rows.branch):
        block = block_of[branch_number] if branch_number >= 0 else -1
        key = (rows.scope[row], block)
        state = states.get(key)
        if state is None:
            state = of_row[branches[block].control] if block >= 0 else ()
            states[key] = state
        of_row.append(state)
        if row in passed:
            states[key] = (state + passed[row])[-MAX_GUARDS:]
    return of_row


def _passed(syntax: PythonSyntax, exits: Exits, tests: dict[int, tuple[int, int]]) -> dict[int, tuple[Guard, ...]]:
    """Return per `if` or `assert` what holds after it because its blocks leave."""
    rows, branches = syntax.statements, syntax.branches
    body, other, after = {}, {}, {}
    for number, branch in enumerate(branches):
        if branch.label == "body":
            body[branch.control] = number
        elif branch.label == "else":
            other[branch.control] = number
    next_test = {branches[rows.branch[row]].control: row for row, kind in enumerate(rows.kind)
                 if kind == "elif" and rows.branch[row] >= 0}  # fmt: skip
    for row, kind in enumerate(rows.kind):
        found: list[Guard] = []
        if kind == "assert" and row in tests:
            found.append((_test_text(syntax, tests[row]), row))
        test: int | None = row if kind == "if" else None
        while test is not None and test in tests:
            if exits[body[test]]:
                found.append((_negated(_test_text(syntax, tests[test])), test))
                test = next_test.get(test)
                continue
            if test in other and test not in next_test and exits[other[test]]:
                found.append((_test_text(syntax, tests[test]), test))
            break
        if found:
            after[row] = tuple(found)
    return after


def _test_text(syntax: PythonSyntax, span: tuple[int, int]) -> str:
    return " ".join(syntax.source[span[0] : span[1]].decode("utf-8", "replace").split())


def _negated(text: str) -> str:
    if text.startswith("not ") and _ATOM.fullmatch(text[4:]):
        return text[4:]
    return f"not {text}" if _ATOM.fullmatch(text) or _is_group(text) else f"not ({text})"


def _is_group(text: str) -> bool:
    """Return whether the first parenthesis of a text closes at its end."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth:
            return position == len(text) - 1 > 0
    return False
