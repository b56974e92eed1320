"""Proof that swaps live together: the whole matrix of specification part 5.2, steps 5 to 8, by execution only.

For every swap: its semantic test passes on the original, fails with only this swap, passes with the other four, and
fails in the same way with all five, where the same way means the same fingerprint of the failure and the same values
of the expressions. The package's own suite passes with all five; that it passes with each alone was found before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from subsets.build._candidates import Candidate
from subsets.build._rewrites import Edit
from subsets.build._sandbox import Sandbox
from subsets.build._subject import Subject
from subsets.build._verdicts import SemanticTest, SemanticVerdict, check_semantics, observing_text

__all__ = ["Matrix", "applied", "patch_of", "prove", "semantic_test"]


@dataclass(frozen=True, slots=True)
class Matrix:
    """What the semantic tests of some swaps did; one verdict a swap in each state."""

    original: tuple[SemanticVerdict, ...]
    together: tuple[SemanticVerdict, ...]
    faults: Mapping[int, str]
    """By the number of a swap, from 0, why it cannot stay."""


def applied(subject: Subject, candidates: Sequence[Candidate]) -> dict[str, str]:
    """Return the files that the swaps change, with all of them made."""
    edits: dict[str, list[Edit]] = {}
    for candidate in candidates:
        edits.setdefault(candidate.rewrite.path, []).append(candidate.rewrite.edit)
    texts = {}
    for path, changes in edits.items():
        data = subject.files[path]
        for edit in sorted(changes, key=lambda edit: edit.start, reverse=True):
            data = data[: edit.start] + edit.new.encode() + data[edit.end :]
        texts[path] = data.decode()
    return texts


def patch_of(subject: Subject, candidate: Candidate) -> str:
    """Return one swap as a unified diff."""
    path = candidate.rewrite.path
    before, after = (text.splitlines(keepends=True) for text in (subject.text(path), candidate.rewrite.text))
    return "".join(unified_diff(before, after, f"a/{path}", f"b/{path}"))


def semantic_test(number: int, candidate: Candidate) -> SemanticTest:
    """Write the standalone test of a swap: the document's words, and values that the original gives."""
    name = f"test_swap_{number}.py"
    quoted = " ".join(candidate.target.sentence.text.split()).replace("\\", "\\\\").replace('"""', "'''")
    lines = [f'"""The document says: {quoted} """', "", *observing_text().splitlines(), "", ""]
    lines.append(f"def test_swap_{number}():")
    for at, check in enumerate(candidate.checks):
        body = [*check.expression.setup, f"return {check.expression.text}"]
        lines.append(f"    def call_{at}():")
        lines += [f"        {line}" if line.strip() else "" for part in body for line in part.splitlines()]
        lines += ["", f"    assert observe(call_{at}) == {check.expected!r}"]
    return SemanticTest(name, "\n".join(lines) + "\n", candidate.checks)


def prove(sandbox: Sandbox, subject: Subject, candidates: Sequence[Candidate], tests: Sequence[SemanticTest]) -> Matrix:
    """Run the whole matrix for some swaps."""
    count = len(candidates)
    alone = [applied(subject, [candidate]) for candidate in candidates]
    without = [applied(subject, [*candidates[:at], *candidates[at + 1 :]]) for at in range(count)]
    variants = [{}, *alone, *without, applied(subject, candidates)]
    verdicts = check_semantics(sandbox, subject, tests, variants)
    names = [test.name for test in tests]
    original, together = verdicts[0], verdicts[-1]
    faults: dict[int, str] = {}
    for at, name in enumerate(names):
        mine, rest = verdicts[1 + at], verdicts[1 + count + at]
        states = (original[name].state, mine[name].state, rest[name].state, together[name].state)
        if states != ("passed", "failed", "passed", "failed"):
            faults[at] = f"original, alone, others, all: {', '.join(states)}"
        elif (mine[name].fingerprint, mine[name].observed) != (together[name].fingerprint, together[name].observed):
            faults[at] = "it fails in another way alone than with the others"
        elif any(mine[other].state != "passed" for other in names if other != name):
            faults[at] = "it fails the test of another swap"
    return Matrix(
        tuple(original[name] for name in names), tuple(together[name] for name in names), dict(sorted(faults.items()))
    )
