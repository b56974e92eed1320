"""Runs a package's own suite and the semantic tests, for real, in a throw-away copy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from subsets.build import SEMANTIC, fingerprint

__all__ = ["SEMANTIC", "Outcome", "Run", "environment", "normalize", "run_pytest", "write_tree"]

_MEMORY = Path("/dev/shm")
"""A folder in memory, where there is one: the job queue waits for the disk at each of its changes."""

_ENVIRONMENT = {
    "COLUMNS": "100",
    "LC_ALL": "C.UTF-8",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
}


@dataclass(frozen=True, slots=True)
class Run:
    """What a command did, with timings and temporary paths replaced."""

    command: str
    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test: the fingerprint of its failure, or None if it passed."""

    test: str
    failure: str | None


def write_tree(folder: Path, files: Mapping[str, str]) -> None:
    """Write text files below `folder`."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def environment() -> dict[str, str]:
    """Return the small, fixed environment in which everything is executed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**_ENVIRONMENT, "PATH": path}


def run_pytest(files: Mapping[str, str], arguments: Sequence[str]) -> tuple[Run, tuple[Outcome, ...]]:
    """Write `files` to a fresh folder and run pytest there."""
    scratch = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="sample-", dir=scratch) as name:
        folder = Path(name)
        write_tree(folder, files)
        shown = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", *arguments]
        report = folder / "report.xml"
        done = subprocess.run(
            [sys.executable, *shown, f"--junitxml={report}", f"--basetemp={folder / 'tmp'}"],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        clean = [_without_timings(normalize(text, folder)) for text in (done.stdout, done.stderr)]
        run = Run(" ".join(["python", *shown]), done.returncode, *clean)
        return run, _outcomes(report)


def normalize(text: str, folder: Path) -> str:
    """Replace what says on which machine a command ran: folders and addresses."""
    text = re.sub(r"-+ generated xml file: .*? -+\n", "", text)
    text = text.replace(str(folder), "<copy>")
    for name, place in (("stdlib", "/usr/lib/python3"), ("purelib", "/usr/lib/python3/site-packages")):
        text = text.replace(sysconfig.get_path(name), place)
    text = re.sub(r"/\S*/pytest-of-\w+/pytest-\d+", "/tmp/pytest-of-dev/pytest-0", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0x<address>", text)


def _without_timings(text: str) -> str:
    return re.sub(r"\bin \d+\.\d+s\b", "in 0.00s", text)


def _outcomes(report: Path) -> tuple[Outcome, ...]:
    found = []
    for case in ET.parse(report).iter("testcase"):
        problem = next((case.find(tag) for tag in ("failure", "error") if case.find(tag) is not None), None)
        failure = None if problem is None else fingerprint(problem.get("message") or "")
        found.append(Outcome(f"{case.get('classname')}::{case.get('name')}", failure))
    return tuple(found)
