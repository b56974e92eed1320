"""What is wrong with data, as data: a problem names the file and the rule that it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from pydantic import ValidationError

from agentmonbench.errors import DataError

__all__ = ["BundleError", "Ledger", "Problem", "RuleBroken", "printable", "shape_rules"]

MAX_PROBLEMS = 200
"""Problems kept for one example; a hostile bundle could break a rule a million times."""
MAX_LINES = 40
"""Problems printed in the message of an error; all of them are in its `problems`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A rule that a file breaks."""

    subset: str
    file: str
    """Path below the subset's `artifacts/`, or the name of an archive or list."""
    rule: str
    """What is wrong and what would be right, as a clause."""
    example: str | None = None
    """Id of the example that it concerns, None when it concerns the whole subset."""
    level: Literal["error", "note"] = "error"
    """An error keeps the example from being loaded or scored; a note is worth knowing."""

    def __str__(self) -> str:
        return f"{self.subset}: {printable(self.file)}: {printable(self.rule)}"


class BundleError(DataError):
    """An example, its gold, or a whole source breaks rules; `problems` holds every one that was found."""

    def __init__(self, subject: str, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        lines = [f"  {printable(problem.file)}: {printable(problem.rule)}" for problem in self.problems[:MAX_LINES]]
        if count > MAX_LINES:
            lines.append(f"  ... and {count - MAX_LINES} more")
        rules = "1 rule" if count == 1 else f"{count} rules"
        super().__init__("\n".join([f"{printable(subject)} breaks {rules}:", *lines]), code="broken_bundle")


class RuleBroken(ValueError):  # noqa: N818  # it is caught where it becomes a Problem and never leaves the package
    """Reading stopped because of the rule that the message states."""


@dataclass(slots=True)
class Ledger:
    """Collects the problems of one example (or, with `example` None, of a subset)."""

    subset: str
    example: str | None = None
    folder: str = ""
    """Put before every file, with the slash at its end."""
    problems: list[Problem] = field(default_factory=list)

    def error(self, file: str, rule: str) -> None:
        """Note a broken rule."""
        self._add(Problem(self.subset, self.folder + file, rule, self.example))

    def note(self, file: str, rule: str) -> None:
        """Note something worth knowing that breaks no rule of loading."""
        self._add(Problem(self.subset, self.folder + file, rule, self.example, level="note"))

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep the example from being used."""
        return tuple(problem for problem in self.problems if problem.level == "error")

    def _add(self, problem: Problem) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)
        elif len(self.problems) == MAX_PROBLEMS:
            rule = f"more than {MAX_PROBLEMS} problems; the rest is not listed"
            self.problems.append(Problem(self.subset, problem.file, rule, self.example))


def printable(text: str) -> str:
    """Return `text` with control, bidirectional and other invisible characters written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shape_rules(error: ValidationError) -> list[str]:
    """Return what a model refused, one clause each, with the place inside the document."""
    rules = []
    for item in error.errors(include_url=False, include_context=False, include_input=False)[: MAX_PROBLEMS + 1]:
        *parents, last = item["loc"] or ("",)
        if item["type"] == "extra_forbidden":
            rules.append(f"{_place(parents)}unknown key {last!r}")
        elif item["type"] == "missing":
            rules.append(f"{_place(parents)}key {last!r} is missing")
        else:
            message = item["msg"].removeprefix("Value error, ").removeprefix("Input ")
            rules.append(f"{_place(item['loc'])}{message}")
    return rules


def _place(loc: Iterable[int | str]) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).removeprefix(".")
    return f"{place}: " if place else ""
