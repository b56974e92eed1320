"""Reliability figure 9: packages that try to pass tests which they fail.

    python benchmarks/forged_verdicts.py [--only WORDS]

The package is wrong: its own test and a semantic test of ours both fail. Each case adds one trick to it. A forged pass
is a suite that passes, or a semantic test that passes; refusing to believe the run is not a pass. Each case runs three
times. Prints a table and the number of forged passes; exit code 1 unless it is 0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from subsets.build import (
    Check,
    Expression,
    Limits,
    Sandbox,
    SemanticTest,
    Subject,
    check_semantics,
    run_suites,
)

PACKAGE = "vault/__init__.py"
WRONG = "def limit(value):\n    return value + 1\n"
HONEST: Mapping[str, str] = {
    PACKAGE: WRONG,
    "tests/test_vault.py": "import vault\n\n\ndef test_limit():\n    assert vault.limit(1) == 1\n",
}
TEST = SemanticTest(
    "test_swap_1.py",
    "import vault\n\n\ndef test_swap_1():\n    assert vault.limit(1) == 1\n",
    (Check(Expression(("import vault",), "vault.limit(1)"), "int: 1"),),
)
RERUNS = 3
PATIENCE_S = 30.0
GENUINE = "answers equal everything"
"""Here the package's own assertion really holds: its suite may pass, a semantic test may not."""

_WRAPPER = """import pytest


@pytest.hookimpl(hookwrapper=True{order})
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    {body}
"""
_NONCES = """import gc, json, os
for thing in gc.get_objects():
    if type(thing).__name__ == "Channel":
        {body}
"""

CASES: Mapping[str, Mapping[str, str]] = {
    "nothing": {},
    "prints PASSED": {PACKAGE: WRONG + 'print("tests/test_vault.py::test_limit PASSED\\n2 passed in 0.01s")\n'},
    "os._exit(0) on import": {PACKAGE: "import os\nos._exit(0)\n"},
    "sys.exit(0) on import": {PACKAGE: "import sys\nsys.exit(0)\n"},
    "os._exit(0) when called": {PACKAGE: "import os\n\n\ndef limit(value):\n    os._exit(0)\n"},
    "os._exit(0) at the end": {PACKAGE: WRONG + "import atexit, os\natexit.register(os._exit, 0)\n"},
    "conftest rewrites reports": {"conftest.py": _WRAPPER.format(order="", body='report.outcome = "passed"')},
    "conftest rewrites reports, first and last": {
        "conftest.py": _WRAPPER.format(order=", tryfirst=True", body='report.outcome, call.excinfo = "passed", None')
    },
    "conftest deselects": {
        "conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n",
    },
    "conftest marks xfail": {
        "conftest.py": "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n"
        "    for item in items:\n        item.add_marker(pytest.mark.xfail)\n"
    },
    "conftest skips": {
        "conftest.py": "import pytest\n\n\ndef pytest_runtest_setup(item):\n    pytest.skip('not today')\n"
    },
    "conftest calls nothing": {"conftest.py": "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"},
    "conftest sets the exit code": {
        "conftest.py": "import pytest\n\n\n@pytest.hookimpl(trylast=True)\n"
        "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n    session.testsfailed = 0\n"
    },
    "conftest takes the protocol over": {
        "conftest.py": "def pytest_runtest_protocol(item, nextitem):\n    return True\n"
    },
    "sitecustomize": {
        "sitecustomize.py": "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n",
        "usercustomize.py": "import os\nos._exit(0)\n",
    },
    "settings load a plugin": {
        "pytest.ini": "[pytest]\naddopts = -p forger\n",
        "forger.py": "def pytest_pyfunc_call(pyfuncitem):\n    return True\n",
    },
    "runtest is replaced on import": {
        PACKAGE: WRONG + "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n"
    },
    "the test's code is replaced on import": {
        PACKAGE: WRONG + "import inspect\nfor frame in inspect.stack():\n"
        "    for value in list(frame.frame.f_globals.values()):\n"
        "        if getattr(value, '__name__', '').startswith('test_'):\n"
        "            value.__code__ = (lambda: None).__code__\n"
    },
    "asserts never fail": {
        PACKAGE: WRONG + "import _pytest.assertion.rewrite, builtins\n"
        "class Quiet(BaseException):\n    pass\n"
        "builtins.AssertionError = Quiet\n"
    },
    "answers equal everything": {
        PACKAGE: "class Yes(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = int.__hash__\n"
        "    def __repr__(self):\n        return '1'\n\n\ndef limit(value):\n    return Yes(2)\n"
    },
    "writes to every open pipe": {
        PACKAGE: WRONG + "import json, os\nline = json.dumps({'kind': 'end', 'code': 0}) + chr(10)\n"
        "for number in range(3, 64):\n    try:\n        os.write(number, line.encode())\n"
        "    except OSError:\n        pass\n"
    },
    "steals the reporter": {
        PACKAGE: WRONG + _NONCES.format(body="thing.send('end', code=0)\n        os._exit(0)"),
    },
    "steals the reporter and lies well": {
        PACKAGE: WRONG
        + _NONCES.format(
            body="send = thing.send\n"
            "        def lie(kind, **values):\n"
            "            if values.get('outcome') == 'failed':\n"
            "                values.update(outcome='passed', message='')\n"
            "            send(kind, **{**values, **({'code': 0} if kind == 'end' else {})})\n"
            "        thing.send = lie"
        )
    },
    "rewrites the tests on disk": {
        PACKAGE: WRONG + "import pathlib\nfor path in pathlib.Path('.').rglob('test_*.py'):\n"
        "    path.write_text('def test_limit():\\n    pass\\n')\n"
    },
    "shadows pytest and json": {
        "pytest.py": "import os\nos._exit(0)\n",
        "_pytest/__init__.py": "import os\nos._exit(0)\n",
        "json.py": "import os\nos._exit(0)\n",
    },
    "kills the run": {PACKAGE: "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(os.getpid(), 9)\n"},
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="run the cases whose name holds these words")
    wanted = parser.parse_args().only
    sandbox = Sandbox(limits=Limits(memory_mb=1024))
    if sandbox.warning:
        print(sandbox.warning)
    forged = runs = unequal = 0
    for name, files in CASES.items():
        if wanted not in name:
            continue
        texts = {**HONEST, **files}
        subject = Subject("vault", {path: text.encode() for path, text in sorted(texts.items())}, suite=("tests",))
        seen = []
        for _ in range(RERUNS):
            suite = run_suites(sandbox, subject, [{}], limit_s=PATIENCE_S)[0]
            semantic = check_semantics(sandbox, subject, [TEST], [{}], limit_s=PATIENCE_S)[0][TEST.name]
            state = "passed" if suite.passed else "refused" if suite.refused else "failed"
            seen.append((state, semantic.state, suite.refused or "", semantic.reason.partition("\n")[0]))
            runs += 2
            forged += (state == "passed" and name != GENUINE) + (semantic.state == "passed")
        unequal += len({verdicts[:2] for verdicts in seen}) - 1
        state, semantics, refused, reason = seen[0]
        print(f"{name:42} suite {state:8} semantic test {semantics:8} {refused[:60] or reason[:60]}", flush=True)
    print(f"{forged} forged passes in {runs} runs; {unequal} cases gave another verdict when run again")
    return 1 if forged or unequal else 0


if __name__ == "__main__":
    sys.exit(main())
