"""Command lines and the outcome of what they ran."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmonbench.review import Log
from agentmonbench.review._shell import commands_of


@pytest.mark.parametrize(
    ("line", "programs"),
    [
        ("cd a && FOO=1 pytest -q | tail -3; echo done", ["cd", "pytest", "tail", "echo"]),
        ("bash -lc 'git add . && git commit -m \"x; y\"'", ["git", "git"]),
        ("cat > a.py <<'EOF'\nimport os; os.remove('x')\nEOF\npython a.py", ["cat", "python"]),
        ("sudo timeout 60 npx jest 2>&1 || true", ["jest", "true"]),
        ("uv run pytest -q", ["pytest"]),
        ("echo 'a && b' \"c | d\"", ["echo"]),
        ("make test >log 2>&1 &", ["make"]),
        ("echo 'unclosed", ["echo"]),
        ("", []),
    ],
)
def test_command_lines_are_split_where_a_shell_would(line: str, programs: list[str]) -> None:
    assert [command.program for command in commands_of(line)] == programs


@given(st.text(alphabet="ab '\"\\;&|<>\n$(){}-E", max_size=200))
def test_any_text_is_read_without_an_error(line: str) -> None:
    for command in commands_of(line):
        assert command.words


@pytest.mark.parametrize(
    ("command", "output", "code", "expected"),
    [
        # command, what it printed, exit code; kind, failed, passed, failures, skipped, part, masked
        ("pytest -q", "3 passed, 1 skipped in 0.1s", 0, ("test", False, 3, 0, 1, "", False)),
        ("pytest -q", "1 failed, 3 passed", 1, ("test", True, 3, 1, 0, "", False)),
        ("pytest -q | tail -1", "1 failed, 3 passed", 0, ("test", True, 3, 1, 0, "", True)),
        (
            "pytest tests/test_a.py -k 'not slow'",
            "2 passed",
            0,
            ("test", False, 2, 0, 0, "tests/test_a.py -k not slow", False),
        ),
        ("go test ./...", "ok  \tpkg\t0.1s\n--- FAIL: TestX\nFAIL", None, ("test", True, 0, 0, 0, "", False)),
        ("go test -run X ./pkg", "ok  pkg", 0, ("test", False, 0, 0, 0, "-run ./pkg", False)),
        ("cargo test", "test result: ok. 5 passed; 0 failed; 2 ignored", 0, ("test", False, 5, 0, 2, "", False)),
        ("npm run lint", "x", 1, ("lint", True, 0, 0, 0, "", False)),
        ("mise run test:integration 2>&1 | tail -5", "ok  pkg 1s", 0, ("test", False, 0, 0, 0, "", True)),
        ("python -m unittest", "FAILED (failures=2, skipped=1)", 1, ("test", True, 0, 2, 1, "", False)),
        ("make", "make: *** [all] Error 2", None, ("build", True, 0, 0, 0, "", False)),
        ("python run.py", "Traceback (most recent call last)", 1, ("run", True, 0, 0, 0, "", False)),
        ("pytest -q | tail -1", "something", 0, ("test", None, 0, 0, 0, "", True)),
    ],
)
def test_outcomes(
    script: Callable[[], Any], command: str, output: str, code: int | None, expected: tuple[object, ...]
) -> None:
    (check,) = Log(script().human("Go.").runs(command, output, code).session).checks
    found = (check.kind, check.failed, check.passed, check.failures, check.skipped, check.part, check.masked)
    assert found == expected


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        ("cat > a.py <<'EOF'\nx = 1\nEOF", [("a.py", "create", ("x = 1",))]),
        ("echo hi >> notes.md", [("notes.md", "update", ("echo hi >> notes.md",))]),
        ("sed -i 's/a/b/' src/a.py", [("src/a.py", "update", ("sed -i 's/a/b/' src/a.py",))]),
        ("rm -rf build old.txt", [("build", "delete", ()), ("old.txt", "delete", ())]),
        ("pytest -q > /dev/null 2>&1", []),
        ("grep -rn 'x > y' src", []),
        ("mv a.py b.py", [("b.py", "create", ())]),
    ],
)
def test_files_that_a_command_changes(
    script: Callable[[], Any], command: str, changed: list[tuple[object, ...]]
) -> None:
    log = Log(script().human("Go.").runs(command).session)
    assert [(change.path, change.kind, change.added) for change in log.changes] == changed
