"""Installs what a package's tests need, as wheels only, so that nothing of it runs while it is installed."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agentmonbench.errors import DataError
from subsets.build._subject import Subject

__all__ = ["install", "requirements_of"]

_TEST_NAMES = ("test", "tests", "testing")


def requirements_of(subject: Subject, source: str) -> list[str]:
    """Return what must be installed for a package and its tests, sorted.

    A pinned distribution gives itself with its extras for tests (`NAME[test]==VERSION`), which brings what it depends
    on; a folder gives the dependencies of its `pyproject.toml`. Groups of dependencies for tests are added.
    """
    table = _project(subject.files)
    project = table.get("project", {})
    wanted: list[str] = []
    optional = project.get("optional-dependencies", {})
    for group in _TEST_NAMES:
        wanted += [item for item in table.get("dependency-groups", {}).get(group, []) if isinstance(item, str)]
    if source.startswith("pypi:"):
        provided = re.findall(
            r"(?m)^Provides-Extra: *(\S+)", subject.files.get("PKG-INFO", b"").decode("utf-8", "replace")
        )
        extras = ",".join(name for name in _TEST_NAMES if name in provided)
        name, _, version = source.removeprefix("pypi:").partition("==")
        wanted.append(f"{name}[{extras}]=={version}" if extras else f"{name}=={version}")
    else:
        wanted += [item for item in project.get("dependencies", []) if isinstance(item, str)]
        wanted += [item for group in _TEST_NAMES for item in optional.get(group, []) if isinstance(item, str)]
    return sorted(set(wanted))


def install(requirements: Iterable[str], own: str, cache: Path) -> tuple[Path, ...]:
    """Install requirements into a folder below `cache`, once, and return the folders to import from.

    Args:
        requirements: as pip takes them; none means that nothing is needed.
        own: name of the package under construction; its files are removed, for its copy is what runs.
        cache: where the folders are kept, by what they hold.

    Raises:
        DataError: a requirement cannot be had as a wheel.
    """
    wanted = sorted(requirements)
    if not wanted:
        return ()
    key = hashlib.sha256("\n".join([sys.version, *wanted]).encode()).hexdigest()[:20]
    kept = cache / key
    if not kept.is_dir():
        partial = cache / f".{key}.{os.getpid()}"
        shutil.rmtree(partial, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--no-compile"]
        done = subprocess.run(
            [*command, "--target", str(partial), *wanted],
            env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["no message"]
            raise DataError(f"requirements of {own} cannot be installed as wheels: {errors[-1]}")
        _remove_own(partial, own)
        partial.replace(kept)
    return (kept,)


def _remove_own(folder: Path, own: str) -> None:
    """Remove the modules of a package but leave its metadata, by which it knows its own version."""
    plain = re.sub(r"[-_.]+", "-", own).lower()
    for record in folder.glob("*.dist-info/RECORD"):
        if re.sub(r"[-_.]+", "-", record.parent.name.partition("-")[0]).lower() != plain:
            continue
        for line in record.read_text("utf-8").splitlines():
            path = (folder / line.split(",")[0]).resolve()
            if path.is_relative_to(folder.resolve()) and ".dist-info" not in str(path.parent) and path.is_file():
                path.unlink()


def _project(files: Mapping[str, bytes]) -> dict[str, Any]:
    try:
        return tomllib.loads(files.get("pyproject.toml", b"").decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
