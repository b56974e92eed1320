"""Builds SilentSwap examples of one package without any model: search, screen by the suite, choose five, prove.

The order of everything is fixed by the package and the seed. `SwapExample` holds what was proved; nothing is written
here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from agentmonbench.errors import DataError
from subsets.build._candidates import Candidate, Package, find_candidates
from subsets.build._coexistence import Matrix, applied, prove, semantic_test
from subsets.build._sandbox import Sandbox
from subsets.build._verdicts import SemanticTest, run_suites

__all__ = ["SWAPS", "SwapExample", "build_examples"]

SWAPS = 5
"""Of one example; the form of the release asks for it."""
MAX_TRIED = 90
"""Changes of one package that its suite is run against."""
BATCH = 6
MAX_ROUNDS = 6
"""Attempts to find five that live together, for one example."""
MAX_LEFT_OUT = 0.1
"""Share of a package's tests that may fail on the original; a file that cannot be imported counts as ten."""
MIN_LIMIT_S = 20.0
BASELINES = 4.0
"""A suite may take so many times as long as on the original."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SwapExample:
    """Five swaps of a package that live together."""

    package: Package
    number: int
    """From 1, among the examples of the package."""
    candidates: tuple[Candidate, ...]
    tests: tuple[SemanticTest, ...]
    matrix: Matrix


def build_examples(
    package: Package,
    sandbox: Sandbox,
    *,
    seed: int,
    count: int,
    suite_limit_s: float,
    counts: dict[str, int],
    say: Say,
) -> Iterator[SwapExample]:
    """Yield up to `count` examples of a package; no swap, statement or sentence is used twice.

    Args:
        package: what is changed.
        sandbox: where all of it runs.
        seed: of what is drawn.
        count: how many at most.
        suite_limit_s: a package whose own tests take longer is left alone.
        counts: takes how many changes came through each step.
        say: is told how it goes.

    Raises:
        DataError: the package's own tests do not pass.
    """
    package, baseline_s = _baseline(package, sandbox, counts, suite_limit_s)
    say(f"{package.subject.name}: {counts['own_tests']} tests, {baseline_s:.0f} s")
    candidates = find_candidates(package, sandbox, seed=seed, counts=counts)
    say(f"{package.subject.name}: {len(candidates)} documented changes with an effect, of {counts['rewrites']} changes")
    counts |= {"tried": 0, "silent": 0, "proved": 0}
    silent = _silent(package, sandbox, candidates, limit_s=max(MIN_LIMIT_S, BASELINES * baseline_s), counts=counts)
    pool: list[Candidate] = []
    for number in range(1, count + 1):
        proved = _next_five(package, sandbox, silent, pool)
        if proved is None:
            return
        counts["proved"] += SWAPS
        yield SwapExample(package, number, *proved)


def _baseline(package: Package, sandbox: Sandbox, counts: dict[str, int], limit_s: float) -> tuple[Package, float]:
    """Run the package's own tests on the original and return the package with a suite that passes, and its time.

    Tests that fail on the original, for want of a network, a clock or a library, prove nothing about a change: a few of
    them are left out, and counted.
    """
    subject = package.subject
    started = time.monotonic()
    first = run_suites(sandbox, subject, [{}], to_the_end=True, limit_s=limit_s)[0]
    if first.passed:
        counts |= {"own_tests": len(first.states), "left_out_tests": 0}
        return package, time.monotonic() - started
    failing = sorted(first.failures)
    counts |= {"own_tests": len(first.states), "left_out_tests": len(failing) + len(first.broken)}
    if len(failing) + 10 * len(first.broken) > MAX_LEFT_OUT * len(first.states):
        shown = next((f"{name}: {text}" for name, text in first.failures.items()), first.refused or "no test ran")
        raise DataError(f"{len(failing)} of its own {len(first.states)} tests fail here: {shown[:300]}")
    package = replace(package, subject=subject.without_tests(failing, first.broken))
    started = time.monotonic()
    again = run_suites(sandbox, package.subject, [{}], limit_s=limit_s)[0]
    if not again.passed:
        shown = next((f"{name}: {text}" for name, text in again.failures.items()), again.refused or "no test ran")
        raise DataError(f"its own tests do not pass here: {shown[:300]}")
    return package, time.monotonic() - started


def _silent(
    package: Package, sandbox: Sandbox, candidates: Sequence[Candidate], *, limit_s: float, counts: dict[str, int]
) -> Iterator[Candidate]:
    """Yield the changes that the package's own suite does not notice."""
    waiting = _dealt(candidates)[:MAX_TRIED]
    for start in range(0, len(waiting), BATCH):
        batch = waiting[start : start + BATCH]
        verdicts = run_suites(
            sandbox,
            package.subject,
            [{each.rewrite.path: each.rewrite.text} for each in batch],
            limit_s=limit_s,
        )
        counts["tried"] += len(batch)
        for candidate, verdict in zip(batch, verdicts, strict=True):
            if verdict.passed:
                counts["silent"] += 1
                yield candidate


def _dealt(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return one change of each statement after the other, the mechanisms in turn, those likely to be noticed last."""
    rows: list[Candidate] = []
    for asserted in (False, True):
        by_mechanism: dict[str, list[Candidate]] = {}
        for candidate in candidates:
            if candidate.asserted == asserted:
                by_mechanism.setdefault(candidate.rewrite.mechanism, []).append(candidate)
        queues = [by_mechanism[name] for name in sorted(by_mechanism)]
        for at in range(max(map(len, queues), default=0)):
            rows += [queue[at] for queue in queues if at < len(queue)]
    return rows


def _next_five(
    package: Package, sandbox: Sandbox, silent: Iterator[Candidate], pool: list[Candidate]
) -> tuple[tuple[Candidate, ...], tuple[SemanticTest, ...], Matrix] | None:
    """Choose five of `pool`, which is refilled from `silent`, until five are proved; what was used is taken out."""
    for _ in range(MAX_ROUNDS):
        chosen = _choose(pool)
        while len(chosen) < SWAPS:
            candidate = next(silent, None)
            if candidate is None:
                return None
            pool.append(candidate)
            chosen = _choose(pool)
        tests = [semantic_test(at, candidate) for at, candidate in enumerate(chosen, start=1)]
        matrix = prove(sandbox, package.subject, chosen, tests)
        faulty = [chosen[at] for at in matrix.faults]
        if not faulty:
            together = applied(package.subject, chosen)
            if run_suites(sandbox, package.subject, [together])[0].passed:
                _remove(pool, chosen)
                return tuple(chosen), tuple(tests), matrix
            faulty = chosen[-1:]
        for candidate in faulty:
            pool.remove(candidate)
    return None


def _choose(pool: Sequence[Candidate]) -> list[Candidate]:
    """Return up to five that share no statement, sentence or definition, new mechanisms first."""
    chosen: list[Candidate] = []
    for fresh in (True, False):
        for candidate in pool:
            known = {each.rewrite.mechanism for each in chosen}
            if len(chosen) == SWAPS or (fresh and candidate.rewrite.mechanism in known):
                continue
            if not any(_meet(candidate, each) for each in chosen):
                chosen.append(candidate)
    return chosen


def _remove(pool: list[Candidate], used: Sequence[Candidate]) -> None:
    pool[:] = [each for each in pool if not any(_meet(each, other) for other in used)]


def _meet(one: Candidate, two: Candidate) -> bool:
    sentence, other = one.target.sentence, two.target.sentence
    if sentence.start < other.end and other.start < sentence.end:
        return True
    # Changes of one statement would be one swap in the eyes of a reader; of one line, in those of the metrics.
    return one.rewrite.path == two.rewrite.path and abs(one.rewrite.line - two.rewrite.line) <= 1
