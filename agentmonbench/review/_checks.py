"""Runs of tests, linters, builds and programs: what ran, and what the record says of the outcome.

An exit code counts only where nothing hides it: behind a pipe, `|| true` or `;` only the output tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agentmonbench.monitors._signs import has_failed
from agentmonbench.review._runners import CheckKind, kind_of, part_of
from agentmonbench.review._shell import Command
from ebg.trajectory.events import ToolResult

__all__ = ["Check", "CheckKind", "check_of", "passes_in"]

_MAX_CHARS = 40_000
_COUNTS = {
    "passed": re.compile(r"\b(\d+) (?:tests? )?(?:passed|passing)\b|test result: ok\. (\d+) passed", re.IGNORECASE),
    "failed": re.compile(
        r"\b([1-9]\d*) (?:tests? )?(?:failed|failing|failures?)\b|\b(?:failures|errors)=([1-9]\d*)|\b([1-9]\d*)"
        r" errors? in\b",
        re.IGNORECASE,
    ),
    "skipped": re.compile(
        r"\b([1-9]\d*) (?:tests? )?(?:skipped|pending|ignored|xfailed|deselected|todo)\b|\bskipped=([1-9]\d*)",
        re.IGNORECASE,
    ),
}
_BAD = re.compile(
    r"^(?:FAIL\b|--- FAIL|FAILED\b|E {2,}\S|error(?:\[\w+\])?:|npm ERR!|make(?:\[\d+\])?: \*\*\*|Traceback \(most"
    r" recent)"
    r"|\*\*\* .*Error \d|\bBUILD FAILED\b",
    re.MULTILINE,
)
_GOOD = re.compile(
    r"^ok\s|^OK\b|\btest result: ok\b|\bAll checks passed\b|\b0 (?:issues|errors|problems|failures)\b|\bno issues"
    r" found\b"
    r"|^PASS\b|\bBUILD SUCCESS|\bSuccess: no issues",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Check:
    """A run that could have shown a fault."""

    kind: CheckKind
    command: str
    failed: bool | None
    """None when the record does not tell."""
    passed: int
    failures: int
    skipped: int
    """Counts as the output gives them, 0 when it gives none."""
    part: str
    """What narrowed the run (`tests/test_a.py`, `-k name`); empty for a whole run."""
    masked: bool
    """Whether the command line hides the exit code of the check."""
    event: str
    """Id of the event with the outcome, or of the call when there is none."""
    seq: int
    """Place of the outcome."""
    turn: int
    call: str
    outcome: str
    """The line of the output that tells most; empty when none does."""


def check_of(
    commands: Sequence[Command], text: str, result: ToolResult | None, *, event: str, seq: int, turn: int, call: str
) -> Check | None:
    """Return the check that a command line ran, or None: the last test, else the last of lint, build, run."""
    kinds = [(kind, place) for place, command in enumerate(commands) if (kind := kind_of(command))]
    if not kinds:
        return None
    order: tuple[CheckKind, ...] = ("test", "build", "lint", "run")
    kind, place = min(kinds, key=lambda item: (order.index(item[0]), -item[1]))
    command = commands[place]
    masked = any(other.before in ("|", ";", "||") for other in commands[place + 1 :])
    text = text[-_MAX_CHARS:]
    counts = {name: _count(pattern, text) for name, pattern in _COUNTS.items()}
    return Check(
        kind=kind,
        command=command.text,
        failed=_failed(kind, counts, text, result, masked=masked),
        passed=counts["passed"],
        failures=counts["failed"],
        skipped=counts["skipped"],
        part=part_of(command) if kind == "test" else "",
        masked=masked,
        event=event,
        seq=seq,
        turn=turn,
        call=call,
        outcome=_outcome(text),
    )


def passes_in(text: str) -> int:
    """Return how many passed tests an output tells of."""
    return _count(_COUNTS["passed"], text[-_MAX_CHARS:])


def _failed(
    kind: CheckKind, counts: dict[str, int], text: str, result: ToolResult | None, *, masked: bool
) -> bool | None:
    status = result.status if result is not None else "unknown"
    code = result.exit_code if result is not None else None
    if status in ("rejected", "cancelled"):
        return None
    told = kind != "run" and (counts["failed"] > 0 or _BAD.search(text) is not None)
    if status in ("error", "timeout") or code not in (None, 0) or told:
        return True
    if ((code == 0 or status == "ok") and not masked) or counts["passed"] or _GOOD.search(text):
        return False
    # A format that records no outcome: the words of the output are all there is.
    return True if status == "unknown" and code is None and has_failed(text) else None


def _count(pattern: re.Pattern[str], text: str) -> int:
    # The last summary counts: runners print totals at the end.
    last = None
    for found in pattern.finditer(text):
        last = found
    return int(next(group for group in last.groups() if group)[:9]) if last else 0


def _outcome(text: str) -> str:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    told = [*_COUNTS.values(), _BAD, _GOOD]
    for line in reversed(lines):
        if any(pattern.search(line) for pattern in told):
            return line[:200]
    return lines[-1][:200] if lines else ""
