"""Commands that check something: which kind of check a command is, and which part of the whole it looks at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from agentmonbench.review._shell import Command

__all__ = ["CheckKind", "kind_of", "part_of"]

CheckKind = Literal["test", "lint", "build", "run"]

_TESTERS = frozenset(
    re.findall(
        r"\S+",
        """
    pytest py.test tox nox jest vitest mocha ava rspec phpunit ctest karma trial unittest nose nose2 doctest
    """,
    )
)
_LINTERS = frozenset(
    {
        "ruff",
        "flake8",
        "mypy",
        "pyright",
        "pylint",
        "eslint",
        "golangci-lint",
        "shellcheck",
        "clippy",
        "biome",
        "rubocop",
    }
)
_BUILDERS = frozenset({"cmake", "ninja", "tsc", "webpack", "vite", "msbuild", "xcodebuild"})
_TASK_RUNNERS = frozenset(
    re.findall(
        r"\S+",
        """
    npm pnpm yarn bun make just task mise rake gradle gradlew mvn mvnw dotnet bazel hatch swift mix deno composer sbt
    lein cargo go nx turbo ant grunt gulp invoke inv manage.py playwright cypress
    """,
    )
)
_INTERPRETERS = frozenset({"python", "python3", "node", "ruby", "perl", "php", "deno", "java", "dotnet", "Rscript"})
_TEST_WORD = re.compile(r"(?:^|[:_./-])(?:tests?|specs?|e2e|nextest|pytest|unittest|jest|vitest)(?:$|[:_./-])")
_TEST_SCRIPT = re.compile(
    r"\b(?:run[_-]?)?(?:unit[_-]?|integration[_-]?|all[_-]?)?tests?\.(?:sh|bash|py|js)\b|run[_-]tests?\b"
)
_LINT_WORD = re.compile(r"(?:^|[:_./-])(?:lint|clippy|vet|typecheck|type-check|fmt-check|check-types)(?:$|[:_./-])")
_BUILD_WORD = re.compile(r"(?:^|[:_./-])(?:build|compile|check|assemble|package)(?:$|[:_./-])")
_PYTEST_PART = re.compile(
    r"^(?:-k|-m|--lf|--ff|--last-failed|--deselect|--ignore(?:-glob)?|-x|--maxfail|--stepwise)(?:=|$)"
)
_PART_OPTION = {
    "go": re.compile(r"^-(?:run|skip|short)(?:=|$)"),
    "jest": re.compile(r"^(?:-t|--testNamePattern|--testPathPattern|--onlyChanged)(?:=|$)"),
}


def kind_of(command: Command) -> CheckKind | None:
    """Return what a command checks, or None when it checks nothing."""
    program, arguments = command.program.removesuffix(".exe"), command.words[1:]
    if program in _INTERPRETERS and arguments[:1] == ("-m",) and len(arguments) > 1:
        program, arguments = arguments[1], arguments[2:]
    by_name = _kind_by_name(program)
    if by_name is not None:
        only_asks = command.has("--version", "--help", "--collect-only", "--co") or arguments[:1] == ("format",)
        return None if only_asks else by_name
    if program in _TASK_RUNNERS or any(argument.endswith("manage.py") for argument in arguments[:1]):
        return _task_kind(program, arguments)
    script = program in _INTERPRETERS or program in ("bash", "sh")
    if (script and arguments) or command.words[0].startswith("./"):
        return "test" if _TEST_SCRIPT.search(" ".join(command.words[:2])) else "run"
    return None


def _kind_by_name(program: str) -> CheckKind | None:
    named: tuple[tuple[frozenset[str], CheckKind], ...] = (
        (_TESTERS, "test"),
        (_LINTERS, "lint"),
        (_BUILDERS, "build"),
    )
    return next((kind for programs, kind in named if program in programs), None)


def _task_kind(program: str, arguments: Sequence[str]) -> CheckKind | None:
    tasks = [argument for argument in arguments if not argument.startswith("-") and argument != "run"][:2]
    named: tuple[tuple[re.Pattern[str], CheckKind], ...] = (
        (_TEST_WORD, "test"),
        (_LINT_WORD, "lint"),
        (_BUILD_WORD, "build"),
    )
    for pattern, kind in named:
        if any(pattern.search(task) for task in tasks):
            return kind
    if program == "make" and not tasks:
        return "build"
    return "run" if program in ("go", "cargo", "npm", "yarn", "pnpm", "bun") and "run" in arguments else None


def part_of(command: Command) -> str:
    """Return what narrows a test run (`tests/test_a.py`, `-k name`); empty for a whole run."""
    words = command.words[1:]
    if command.program == "go":
        narrowed = [word for word in words if _PART_OPTION["go"].match(word)]
        named = [word for word in words[1:] if word.startswith("./") and not word.endswith("...")]
        return " ".join([*narrowed, *named])
    if command.program in ("jest", "vitest", "mocha", "npm", "yarn", "pnpm"):
        narrowed = [word for word in words if _PART_OPTION["jest"].match(word)]
        return " ".join([*narrowed, *(word for word in words if re.search(r"\.(?:test|spec)\.\w+$", word))])
    if command.program in ("pytest", "py.test") or "pytest" in words[:2]:
        parts: list[str] = []
        for place, word in enumerate(words):
            if _PYTEST_PART.match(word):
                value = words[place + 1 : place + 2] if word in ("-k", "-m", "--deselect", "--ignore") else ()
                parts.append(" ".join([word, *value]))
            elif "::" in word or word.endswith(".py"):
                parts.append(word)
        return " ".join(part for part in parts if part not in ("-m pytest", "-x"))
    return ""
