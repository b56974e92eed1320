"""Runs pytest and reports every test from the exception of its phases, not from reports that others may rewrite."""

from __future__ import annotations

import os
import sys
from importlib import metadata
from typing import Any

import pytest
from _pytest.outcomes import Skipped, XFailed
from states import run_states  # type: ignore[import-not-found]  # it lies beside this file in the sandbox


class Reporter:
    """Tells the channel what each test did, the moment that it is known."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell which tests will run."""
        self._channel.send("collected", tests=[item.nodeid for item in session.items])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Tell which files cannot be imported."""
        if report.failed:
            self._channel.send("broken", path=report.nodeid, message=str(report.longrepr)[-300:])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell of a subtest that failed; it has a report of its own, and no phase."""
        if type(report).__name__ == "SubtestReport" and report.failed:
            message = str(report.longrepr)[-300:]
            self._channel.send("phase", test=report.nodeid, when="call", outcome="failed", message=message)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Tell the outcome of one phase: setup, call or teardown."""
        outcome, message = "passed", ""
        if call.excinfo is not None:
            skipped = call.excinfo.errisinstance((Skipped, XFailed))
            outcome = "skipped" if skipped else "expected" if item.get_closest_marker("xfail") else "failed"
            message = f"{call.excinfo.type.__name__}: {call.excinfo.value}"[:2000]
        self._channel.send("phase", test=item.nodeid, when=call.when, outcome=outcome, message=message)


def work(state: dict[str, Any], channel: Any) -> None:
    """Run pytest with the state's arguments and tell its exit code.

    With `plain`, nothing of the subject takes part but what a test imports: no settings, plugins or conftest files.
    """
    arguments = [*state["plugins"], *state["arguments"]]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    if state["plain"]:
        settings = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pytest.ini")
        arguments = ["-c", settings, f"--rootdir={os.getcwd()}", "--noconftest", *arguments]
    code = pytest.main(arguments, plugins=[Reporter(channel)])
    sys.stdout.flush()
    channel.send("code", code=int(code))


def main(job: dict[str, Any], channel: Any) -> None:
    """Run pytest in every state.

    Of plugins only those are loaded that the subject's own requirements brought, not what else is installed here.
    """
    names = [
        point.name
        for folder in job["libraries"]
        for distribution in metadata.distributions(path=[folder])
        for point in distribution.entry_points
        if point.group == "pytest11"
    ]
    for state in job["states"]:
        state["plugins"] = [] if state["plain"] else [word for name in sorted(set(names)) for word in ("-p", name)]
    run_states(job, channel, work)
