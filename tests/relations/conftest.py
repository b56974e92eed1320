"""Small repositories, and their relations as readable lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import dedent
from typing import Literal

import pytest

import ebg
from ebg.model import RepositoryGraph

Files = Mapping[str, str]


def _build(files: Files | str, compat: Literal["reference"] | None = None) -> RepositoryGraph:
    given = {"m.py": files} if isinstance(files, str) else files
    return ebg.build({path: dedent(text).encode() for path, text in given.items()}, compat=compat)


@pytest.fixture
def graph() -> Callable[..., RepositoryGraph]:
    """Return the function that builds the graph of texts by path, or of one text, the file m.py."""
    return _build


@pytest.fixture
def calls() -> Callable[..., list[str]]:
    """Return the function that gives the `calls` of files: `source -> target (resolution)`, symbols alone in m.py."""

    def found(files: Files | str, compat: Literal["reference"] | None = None) -> list[str]:
        rows = [row for row in _build(files, compat).relations if row.type == "calls"]
        return [f"{row.source} -> {row.target} ({row.resolution})".replace("m.py::", "") for row in rows]

    return found


@pytest.fixture
def feeds() -> Callable[..., list[str]]:
    """Return the function that gives the `feeds` of files: `source -> target via name`, symbols alone in m.py."""

    def found(files: Files | str, compat: Literal["reference"] | None = None) -> list[str]:
        rows = [row for row in _build(files, compat).relations if row.type == "feeds"]
        return [f"{row.source} -> {row.target} via {row.via}".replace("m.py::", "") for row in rows]

    return found
