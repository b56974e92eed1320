"""Small repositories, and their relations as readable lines."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from textwrap import dedent

import pytest

from ebg.repository._facts import Compat, LinkFacts
from ebg.repository._file import file_facts
from ebg.repository._link import link
from ebg.repository._names import name_facts
from ebg.repository._syntax import read_python

Files = Mapping[str, str]
Linked = Callable[..., LinkFacts]


def _link(files: Files, compat: Compat | None = None) -> LinkFacts:
    facts = []
    for path in sorted(files):
        text = dedent(files[path])
        is_python = path.endswith(".py")
        kind, language = ("source", "python") if is_python else ("runtime_template", "template")
        fact = file_facts(path, kind, language, text)
        facts.append(dataclasses.replace(fact, names=name_facts(read_python(text.encode()))) if is_python else fact)
    return link(facts, compat=compat)


@pytest.fixture
def linked() -> Linked:
    """Return the function that links a mapping of paths to (indented) texts."""
    return _link


@pytest.fixture
def calls() -> Callable[..., list[str]]:
    """Return the function that gives the calls of a mapping of files: `source -> target (resolution)`."""

    def found(files: Files | str, compat: Compat | None = None) -> list[str]:
        given = {"m.py": files} if isinstance(files, str) else files
        return [
            f"{row.source} -> {row.target} ({row.resolution})"
            for row in _link(given, compat).relations
            if row.type == "calls"
        ]

    return found
