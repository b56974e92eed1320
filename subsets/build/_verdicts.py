"""What executed tests prove, in the words of somebody other than the tested code.

A package's own suite is believed to pass when the run ended by itself, every collected test was reported, pytest's exit
code agrees with the reports, and of two tests of ours with random names one passed and one failed, as they must.
A semantic test has two witnesses: pytest in the sandbox, without settings, plugins or conftest files of the subject,
and the values of its expressions, which are compared out here with what is expected; the expected values never enter
the second run. Where the two disagree, nothing is proved.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from subsets.build._sandbox import Finished, Sandbox
from subsets.build._subject import Subject

__all__ = [
    "SEMANTIC",
    "Check",
    "Expression",
    "Observed",
    "SemanticTest",
    "SemanticVerdict",
    "SuiteVerdict",
    "check_semantics",
    "fingerprint",
    "observe",
    "observing_text",
    "run_suites",
]

SEMANTIC = "semantic"
"""Folder of the semantic tests in an executed copy."""
_QUIETLY = ("-q", "--tb=no", "-p", "no:cacheprovider", "-o", "addopts=", "-o", "filterwarnings=ignore")
# Coverage, colours and the like are not ours to ask for; what a suite needs stands in its other settings.

State = Literal["passed", "failed", "skipped", "expected"]
_RANK: Mapping[str, int] = {"passed": 0, "expected": 1, "skipped": 2, "failed": 3}


@dataclass(frozen=True, slots=True)
class SuiteVerdict:
    """What a package's own tests did."""

    states: Mapping[str, State]
    """State of each collected test; `expected` failed and is marked so."""
    refused: str | None
    """Why the run proves nothing, or None."""
    failures: Mapping[str, str]
    """Message of each failure."""
    broken: tuple[str, ...] = ()
    """Test files that cannot be imported."""

    @property
    def passed(self) -> bool:
        """Whether there are tests, none failed, and the run can be believed."""
        states = self.states.values()
        return self.refused is None and not self.broken and "passed" in states and "failed" not in states


@dataclass(frozen=True, slots=True)
class Expression:
    """Something to evaluate in a namespace of its own."""

    setup: tuple[str, ...]
    """Statements that run first."""
    text: str


@dataclass(frozen=True, slots=True)
class Observed:
    """What expressions gave in one variant of a package, in the words of `inside.observing`."""

    values: tuple[str, ...]
    refused: str | None
    """Why the run proves nothing, or None."""
    lines: tuple[frozenset[str], ...] = ()
    """Executed lines ("path:line") of each, when they were traced."""


@dataclass(frozen=True, slots=True)
class Check:
    """An expression and what it gives on the original."""

    expression: Expression
    expected: str


@dataclass(frozen=True, slots=True)
class SemanticTest:
    """A standalone test of one documented behavior."""

    name: str
    """Of the file, without folder."""
    text: str = field(repr=False)
    checks: tuple[Check, ...]
    """The same as data; each is asserted in the text."""


@dataclass(frozen=True, slots=True)
class SemanticVerdict:
    """What one semantic test did."""

    state: Literal["passed", "failed", "refused"]
    reason: str
    """Why it was refused, or the message of the failure."""
    fingerprint: str
    """Of the failure; empty when there is none."""
    observed: tuple[str, ...]
    """Values of the checks."""


def run_suites(
    sandbox: Sandbox,
    subject: Subject,
    variants: Sequence[Mapping[str, str]],
    *,
    to_the_end: bool = False,
    limit_s: float = 120.0,
) -> list[SuiteVerdict]:
    """Run the package's own tests once for each variant and return the verdicts in order.

    Args:
        sandbox: where.
        subject: the package.
        variants: files that are replaced, by path.
        to_the_end: go on after the first failure.
        limit_s: time of one variant.
    """
    nonce = f"c{secrets.token_hex(6)}"
    canary = f"{nonce}/test_{nonce}.py"
    good, bad = (f"test_{secrets.token_hex(6)}" for _ in range(2))
    text = f"def {good}():\n    assert len('{nonce}') == 13\n\n\ndef {bad}():\n    assert len('{nonce}') == 14\n"
    ending = ["--continue-on-collection-errors"] if to_the_end else ["-x"]
    states = [
        {
            "id": number,
            "files": {**files, canary: text},
            "plain": False,
            "arguments": [*_QUIETLY, *ending, *(subject.suite or (".",)), canary],
        }
        for number, files in enumerate(variants)
    ]
    finished = _run(sandbox, "run_pytest", subject, states, limit_s)
    verdicts = []
    for number in range(len(variants)):
        outcomes, failures = _states(finished, number)
        refused = _refusal(finished, number, outcomes)
        told = {name.rpartition("::")[2]: state for name, state in outcomes.items() if nonce in name}
        own = {name: state for name, state in outcomes.items() if nonce not in name}
        if refused is None and "failed" not in own.values() and told != {good: "passed", bad: "failed"}:
            refused = "a test that must fail did not, or one that must pass did not: the package steers its own tests"
        broken = tuple(record["path"] for record in finished.of("broken") if record["state"] == number)
        failures = {name: text for name, text in failures.items() if name in own}
        verdicts.append(SuiteVerdict(own, refused, failures, broken))
    return verdicts


def observe(
    sandbox: Sandbox,
    subject: Subject,
    checks: Sequence[Sequence[Expression]],
    variants: Sequence[Mapping[str, str]],
    *,
    trace: bool = False,
    limit_s: float = 60.0,
) -> list[Observed]:
    """Evaluate expressions in each variant of a package and return what came out, in order.

    Args:
        sandbox: where.
        subject: the package.
        checks: the expressions for each variant.
        variants: files that are replaced, by path.
        trace: also tell which lines each expression executes.
        limit_s: time of one variant.
    """
    states = [
        {
            "id": number,
            "files": dict(files),
            "trace": trace,
            "calls": [{"id": at, "setup": check.setup, "expression": check.text} for at, check in enumerate(wanted)],
        }
        for number, (wanted, files) in enumerate(zip(checks, variants, strict=True))
    ]
    finished = _run(sandbox, "observe", subject, states, limit_s)
    results = []
    for number, wanted in enumerate(checks):
        told = [record for record in finished.of("observed") if record["state"] == number]
        found = {record["id"]: str(record["value"]) for record in told}
        refused = _unfinished(finished, number)
        if refused is None and (len(told) != len(wanted) or len(found) != len(wanted)):
            refused = "some values are missing or were told twice"
        lines = {record["id"]: frozenset(record["lines"]) for record in told}
        results.append(
            Observed(
                tuple(found.get(at, "") for at in range(len(wanted))),
                refused,
                tuple(lines.get(at, frozenset()) for at in range(len(wanted))) if trace else (),
            )
        )
    return results


def check_semantics(
    sandbox: Sandbox,
    subject: Subject,
    tests: Sequence[SemanticTest],
    variants: Sequence[Mapping[str, str]],
    *,
    limit_s: float = 60.0,
) -> list[dict[str, SemanticVerdict]]:
    """Run semantic tests on each variant of a package, each with its two witnesses; verdicts are by name."""
    files = {f"{SEMANTIC}/{test.name}": test.text for test in tests}
    states = [
        {
            "id": number,
            "files": {**variant, **files},
            "plain": True,
            "arguments": ["-q", "--tb=short", "-p", "no:cacheprovider", *files],
        }
        for number, variant in enumerate(variants)
    ]
    finished = _run(sandbox, "run_pytest", subject, states, limit_s)
    wanted = [check.expression for test in tests for check in test.checks]
    witnesses = observe(sandbox, subject, [wanted] * len(variants), variants, limit_s=limit_s)
    results = []
    for number, witness in enumerate(witnesses):
        outcomes, failures = _states(finished, number)
        refused = _refusal(finished, number, outcomes) or witness.refused
        verdicts, values = {}, witness.values
        for test in tests:
            observed, values = values[: len(test.checks)], values[len(test.checks) :]
            verdicts[test.name] = _semantic(test, outcomes, failures, observed, refused)
        results.append(verdicts)
    return results


def observing_text() -> str:
    """Return the source of `observe` as semantic tests hold it, so that both witnesses use the same words."""
    text = (Path(__file__).parent / "inside" / "observing.py").read_text("utf-8")
    return text[text.index("def observe") :].replace("  # noqa: BLE001", "")


def fingerprint(message: str) -> str:
    """Reduce a failure to what identifies it (specification part 5.2, step 7)."""
    message = re.sub(r"0x[0-9a-f]+", "<address>", message)
    message = re.sub(r"(/[\w.+-]+){2,}", "<path>", message)
    message = re.sub(r"'[^']*'|\"[^\"]*\"", "<text>", message)
    return re.sub(r"\d+(\.\d+)?", "<n>", message).strip()


def _semantic(
    test: SemanticTest,
    states: Mapping[str, State],
    failures: Mapping[str, str],
    observed: tuple[str, ...],
    refused: str | None,
) -> SemanticVerdict:
    mine = [name for name in states if name.startswith(f"{SEMANTIC}/{test.name}::")]
    if refused is None and (len(mine) != 1 or states[mine[0]] not in ("passed", "failed")):
        refused = f"{len(mine)} tests ran to their end; a semantic test is one test"
    if refused is not None:
        return SemanticVerdict("refused", refused, "", observed)
    message = failures.get(mine[0], "")
    as_expected = all(value == check.expected for value, check in zip(observed, test.checks, strict=True))
    if as_expected != (states[mine[0]] == "passed"):
        reason = f"pytest says {states[mine[0]]}, but the values are {'' if as_expected else 'not '}the expected ones"
        return SemanticVerdict("refused", reason, "", observed)
    return SemanticVerdict("passed" if as_expected else "failed", message, fingerprint(message), observed)


def _run(
    sandbox: Sandbox, program: str, subject: Subject, states: Sequence[Mapping[str, object]], limit_s: float
) -> Finished:
    limits = replace(sandbox.limits, wall_s=limit_s * len(states) + 30.0, cpu_s=int(limit_s) + 30)
    job = {"states": list(states), "state_s": limit_s}
    return sandbox.run(program, job, files=subject.files, path=subject.path, libraries=subject.libraries, limits=limits)


def _states(finished: Finished, number: int) -> tuple[dict[str, State], dict[str, str]]:
    states: dict[str, State] = {}
    failures: dict[str, str] = {}
    for record in finished.of("phase"):
        if record["state"] != number:
            continue
        test, outcome = record["test"], record["outcome"]
        if test not in states or _RANK[outcome] > _RANK[states[test]]:
            states[test] = outcome
        if outcome == "failed":
            failures.setdefault(test, record["message"])
    return states, failures


def _refusal(finished: Finished, number: int, states: Mapping[str, State]) -> str | None:
    """Return why a run of pytest in one state cannot be believed, or None."""
    if reason := _unfinished(finished, number):
        return reason
    failed = "failed" in states.values()
    codes = [record["code"] for record in finished.of("code") if record["state"] == number]
    if codes != [1 if failed else 0]:
        return f"pytest ended with {codes}, which its reports do not explain"
    collected = {test for record in finished.of("collected") if record["state"] == number for test in record["tests"]}
    ended = {
        record["test"] for record in finished.of("phase") if record["state"] == number and record["when"] == "teardown"
    }
    if not failed and (collected != set(states) or ended != collected):
        return f"{len(collected)} tests were collected, {len(ended)} ended"
    return None


def _unfinished(finished: Finished, number: int) -> str | None:
    if finished.tampered:
        return finished.tampered
    ends = [record["status"] for record in finished.of("ended") if record["state"] == number]
    if ends == [None] or (finished.stopped and not ends):
        return f"it was stopped at the limit of {finished.stopped or 'time'}"
    if ends != [0]:
        last = finished.stderr.strip().splitlines()[-1:] or ["no message"]
        return f"it did not end as it should (exit codes {ends or [finished.exit_code]}; {last[0][:200]})"
    return None
