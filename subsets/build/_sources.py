"""Opens what examples are made from: a folder, a git checkout, or a source distribution, without running any of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from agentmonbench.errors import DataError, UsageError
from subsets._paths import path_fault
from subsets.build._subject import Subject

__all__ = ["open_source", "source_name"]

MAX_FILE_BYTES = 1 << 20
MAX_FILES = 5_000
MAX_TOTAL_BYTES = 48 << 20

_PINNED = re.compile(r"pypi:([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9][A-Za-z0-9._+!-]*)")
_LEFT_OUT = re.compile(r"\..*|__pycache__|node_modules|build|dist|venv|htmlcov|_build|.*\.egg-info|.*\.dist-info")
_TEST_FOLDERS = ("tests", "test", "testing")
_TEST_FILES = re.compile(r"(test_\w+|\w+_test|tests?)\.py")

# pip builds a source distribution's metadata, that is, runs its code, before it hands the file over. Given a Python
# that does nothing it fails at that point and can run nothing, and leaves what it unpacked where it is told to.
_PIP = """import runpy, sys
sys.executable = {nothing!r}
sys.argv = ["pip", *sys.argv[1:]]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""


def source_name(source: str) -> str:
    """Return the short name of a source, fit for ids.

    Raises:
        UsageError: it is no folder and no pinned distribution.
    """
    if match := _PINNED.fullmatch(source):
        return re.sub(r"[-_.]+", "-", match[1]).lower()
    if source.startswith("pypi:"):
        raise UsageError(f"{source!r} names no version; write pypi:NAME==VERSION")
    if not Path(source).is_dir():
        raise UsageError(f"{source!r} is no folder and no pypi:NAME==VERSION")
    return re.sub(r"[^A-Za-z0-9-]+", "-", Path(source).resolve().name).strip("-") or "repository"


def open_source(source: str, cache: Path) -> Subject:
    """Read a source's files and say how it is imported and tested.

    Args:
        source: a folder, or `pypi:NAME==VERSION`.
        cache: folder in which downloads are kept.

    Raises:
        UsageError: it is neither.
        DataError: it cannot be had, or holds no Python package with tests.
    """
    name = source_name(source)
    match = _PINNED.fullmatch(source)
    folder = _download(match[1], match[2], cache) if match else Path(source)
    files = dict(sorted(_files(folder)))
    path = _import_path(files)
    suite = _suite(files)
    if not suite:
        raise DataError(f"{source}: no tests were found (a folder 'tests' or files like test_*.py)")
    return Subject(name, files, path, suite)


def _download(name: str, version: str, cache: Path) -> Path:
    kept = cache / f"{name}-{version}"
    if not kept.is_dir():
        partial = cache / f".{name}-{version}.{os.getpid()}"
        partial.mkdir(parents=True, exist_ok=True)
        nothing = "/bin/false"
        words = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--no-clean"]
        done = subprocess.run(
            [sys.executable, "-I", "-c", _PIP.format(nothing=nothing), *words, f"{name}=={version}"],
            env={**os.environ, "TMPDIR": str(partial), "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            cwd=partial,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        unpacked = [path for path in sorted(partial.glob("pip-*/*")) if (path / "PKG-INFO").is_file()]
        if len(unpacked) != 1:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise DataError(f"pypi:{name}=={version} cannot be downloaded as source: {reason}")
        unpacked[0].replace(kept)
    return kept


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    count = total = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _LEFT_OUT.fullmatch(name))
        for name in sorted(names):
            path = Path(root, name)
            relative = path.relative_to(folder).as_posix()
            if path.is_symlink() or not path.is_file() or path_fault(relative) or path.stat().st_size > MAX_FILE_BYTES:
                continue
            if name.endswith((".pyc", ".pyo", ".so", ".pyd")):
                continue
            data = path.read_bytes()
            count, total = count + 1, total + len(data)
            if count > MAX_FILES or total > MAX_TOTAL_BYTES:
                raise DataError(f"{folder}: more than {MAX_FILES:,} files or {MAX_TOTAL_BYTES:,} bytes")
            yield relative, data


def _import_path(files: dict[str, bytes]) -> tuple[str, ...]:
    packages = any(re.fullmatch(r"src/(\w+/__init__|\w+)\.py", path) for path in files)
    return ("src", "") if packages else ("",)


def _suite(files: dict[str, bytes]) -> tuple[str, ...]:
    """Return where the tests are: folders at the root or in the package, or single files at the root."""
    folders = {
        "/".join(parts[: at + 1])
        for parts in (path.split("/") for path in files)
        for at, part in enumerate(parts[:-1])
        if part in _TEST_FOLDERS and _TEST_FILES.fullmatch(parts[-1])
    }
    roots = sorted(folder for folder in folders if folder.count("/") <= 2)
    outer = [folder for folder in roots if not any(folder.startswith(f"{other}/") for other in roots)]
    return tuple(outer) or tuple(path for path in files if "/" not in path and _TEST_FILES.fullmatch(path))
