"""Hostile packages are contained, and what they say about themselves is not believed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

import pytest

from subsets.build import (
    Check,
    Expression,
    Limits,
    Sandbox,
    SemanticTest,
    Subject,
    check_semantics,
    observe,
    run_suites,
)

needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
SMALL = Limits(memory_mb=512, processes=24, file_mb=8, disk_mb=16)
PACKAGE = "def double(value):\n    return value * 2\n"
SUITE = "import twice\n\n\ndef test_double():\n    assert twice.double(2) == 4\n"


def subject(**files: str) -> Subject:
    texts = {"twice.py": PACKAGE, "tests/test_twice.py": SUITE}
    texts |= {name.replace("__", "/") + ".py": text for name, text in files.items()}
    return Subject("twice", {path: text.encode() for path, text in sorted(texts.items())}, suite=("tests",))


def hostile(body: str) -> Mapping[str, str]:
    return {"tests__test_twice": f"def test_hostile():\n{body}"}


def test_a_suite_passes_and_fails_by_variant():
    broken = {"twice.py": "def double(value):\n    return value * 3\n"}
    good, bad = run_suites(Sandbox(), subject(), [{}, broken])
    assert good.passed
    assert dict(good.states) == {"tests/test_twice.py::test_double": "passed"}
    assert not bad.passed
    assert bad.refused is None
    assert bad.failures["tests/test_twice.py::test_double"].startswith("AssertionError: assert 6 == 4")


def test_without_bubblewrap_it_works_and_warns():
    sandbox = Sandbox(bubblewrap=False)
    assert sandbox.warning is not None
    assert "bubblewrap is not installed" in sandbox.warning
    assert run_suites(sandbox, subject(), [{}])[0].passed


def test_values_are_told_as_text():
    wanted = [
        Expression(("from twice import double",), "double(2)"),
        Expression(("from twice import double",), "double(None)"),
        Expression(("from twice import double",), "map(double, [1, 2])"),
        Expression((), "{3, 1, 2}"),
    ]
    seen = observe(Sandbox(), subject(), [wanted], [{}])[0]
    assert seen.refused is None
    assert seen.values == (
        "int: 4",
        "raises TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'",
        "map: iterator of [2, 4]",
        "set: set of [1, 2, 3]",
    )


def test_a_semantic_test_needs_both_witnesses():
    # The liar's value equals anything inside pytest; outside, its text is compared.
    liar = {"twice.py": "class Any(int):\n    def __eq__(self, other):\n        return True\n\n\ndouble = Any\n"}
    test = SemanticTest(
        "test_swap_1.py",
        "import twice\n\n\ndef test_swap_1():\n    assert twice.double(2) == 4\n",
        (Check(Expression(("import twice",), "twice.double(2)"), "int: 4"),),
    )
    honest, lying = check_semantics(Sandbox(), subject(), [test], [{}, liar])
    assert honest["test_swap_1.py"].state == "passed"
    assert lying["test_swap_1.py"].state == "refused"
    assert lying["test_swap_1.py"].reason == "pytest says passed, but the values are not the expected ones"


@needs_bubblewrap
@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "    import os, contextlib as c\n    while True:\n        with c.suppress(OSError):\n            os.fork()\n",
        "    import time\n    time.sleep(1000)\n",
        "    import os, time\n    os.fork() or os.setsid() or time.sleep(1000)\n    assert False\n",
        "    block = b'x' * (1 << 20)\n    for number in range(1000):\n        open(f'f{number}', 'wb').write(block)\n",
        "    open('big', 'wb').write(b'x' * (64 << 20))\n",
        "    keep = []\n    while True:\n        keep.append(bytearray(1 << 24))\n",
        "    import socket\n    socket.create_connection(('127.0.0.1', 22), 1)\n",
        "    open('/usr/left_behind', 'w')\n",
    ],
    ids=["forks", "sleeps", "hides", "fills the disk", "large file", "takes memory", "connects", "writes outside"],
)
def test_hostile_tests_are_contained(body, tmp_path):
    sandbox = Sandbox(limits=SMALL, scratch=tmp_path)
    assert not run_suites(sandbox, subject(**hostile(body)), [{}], limit_s=6.0)[0].passed
    assert list(tmp_path.iterdir()) == []
    assert run_suites(sandbox, subject(), [{}])[0].passed, "the next package is built"


@needs_bubblewrap
def test_home_environment_and_other_processes_are_not_seen(monkeypatch):
    monkeypatch.setenv("A_SECRET", "s3cret")
    looks = [
        Expression(("import os",), "'A_SECRET' in os.environ"),
        Expression(("import os",), "os.listdir(os.path.expanduser('~'))"),
        Expression(("import os",), "os.geteuid() == 0"),
        Expression(("import os",), "len([name for name in os.listdir('/proc') if name.isdigit()]) < 8"),
        Expression(("import os",), "os.path.exists('/etc/passwd')"),
    ]
    assert observe(Sandbox(), subject(), [looks], [{}])[0].values == (
        "bool: False",
        "list: list of []",
        "bool: False",
        "bool: True",
        "bool: False",
    )
