"""A small repository that every method can show."""

from __future__ import annotations

import pytest

from agentmonbench.examples import Document, Example

API = """\
import util


@util.logged
def run(name):
    if not name:
        raise ValueError("empty")
    return util.helper(name)


class Runner:
    def run_all(self, names):
        return [run(name) for name in names]
"""
UTIL = """\
def logged(function):
    return function


def helper(name):
    return name.strip()
"""


@pytest.fixture
def example() -> Example:
    files = {
        "app/api.py": API.encode(),
        "app/util.py": UTIL.encode(),
        "app/long.py": "".join(f"value_{number} = {number}\n" for number in range(1, 902)).encode(),
        "settings.toml": b"[app]\nmode = 'fast'\n",
        "tests/test_api.py": b"def test_run():\n    assert True\n",
    }
    return Example("sg_1", "specgap", document=Document("d.md", "# Run\nCall `api.run()`.\n"), files=files)
