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
MAX_CHARS = 300
"""Characters printed of a file's name or a rule, which may quote what a stranger wrote."""


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
        return f"{self.subset}: {_brief(self.file)}: {_brief(self.rule)}"


class BundleError(DataError):
    """An example, its gold, or a whole source breaks rules; `problems` holds every one that was found."""

    def __init__(self, subject: str, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        lines = [f"  {_brief(problem.file)}: {_brief(problem.rule)}" for problem in self.problems[:MAX_LINES]]
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


def _brief(text: str) -> str:
    # The middle goes: a rule quotes first and says what is wrong last.
    return printable(text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS // 2]} ... {text[-MAX_CHARS // 2 :]}")


def printable(text: str) -> str:
    """Return `text` with control, bidirectional and other invisible characters written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


# What a model refuses, in the words of JSON; they do not change with the library's version.
_MESSAGES = {
    "dict_type": "is no object",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "int_from_float": "is no integer",
    "int_parsing": "is no integer",
    "int_type": "is no integer",
    "list_type": "is no array",
    "literal_error": "must be {expected}",
    "mapping_type": "is no object",
    "model_type": "is no object",
    "string_too_short": "is empty",
    "string_type": "is no string",
    "too_long": "has more than {max_length} items",
    "too_short": "has {actual_length} items; it needs at least {min_length}",
    "tuple_type": "is no array",
    "value_error": "is wrong: {error}",
}


def shape_rules(error: ValidationError) -> list[str]:
    """Return what a model refused, one clause each, with the place inside the document."""
    items = error.errors(include_url=False, include_input=False)[: MAX_PROBLEMS + 1]
    rules = []
    for item in items:
        place = _place(item["loc"])
        parent = _place(item["loc"][:-1])
        inside = f" in {parent}" if parent else ""
        if item["type"] == "extra_forbidden":
            rules.append(f"unknown key {item['loc'][-1]!r}{inside}")
        elif item["type"] == "missing":
            rules.append(f"key {item['loc'][-1]!r} is missing{inside}")
        elif item["type"] == "too_short" and any(
            len(other["loc"]) > len(item["loc"]) and other["loc"][: len(item["loc"])] == item["loc"] for other in items
        ):
            continue  # it counts only the sound items; that others are broken is said already
        else:
            message = _MESSAGES.get(item["type"])
            clause = message.format_map(item.get("ctx", {})) if message else item["msg"]
            rules.append(f"{place} {clause}" if place else clause)
    return rules


def _place(loc: Iterable[int | str]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).removeprefix(".")
