"""Graphs for the tests of views: built from texts, with behaviors and relations put in by hand where needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import ebg
from ebg.model import Behavior, Relation, RepositoryGraph, ScopeId
from ebg.view import Unit

# Ex11 of specification part 11 (ebg-method).
EX11_FILES = {
    "api.py": "from util import helper\n\ndef run():\n    return helper()\n",
    "cfg.toml": "[app]\nmode = 'x'\n",
    "other.py": "def misc():\n    return 2\n",
    "util.py": "def helper():\n    return 1\n",
}
EX11_Q = "# Usage\nCall `api.run()` first.\n\n# Notes\nNothing else.\n"

Lines = Sequence[int]


def build(files: Mapping[str, str]) -> RepositoryGraph:
    """Build the graph of texts by path."""
    return ebg.build({path: text.encode() for path, text in files.items()})


def joined(
    graph: RepositoryGraph,
    behaviors: Iterable[tuple[str, str, Lines, Lines, Lines]] = (),
    relations: Iterable[tuple[str, str, str, str | None, Sequence[tuple[str, int]]]] = (),
) -> RepositoryGraph:
    """Return `graph` with exactly these behaviors and relations.

    Args:
        graph: gives files, scopes and evidence.
        behaviors: (scope as `path::symbol`, result type, condition, operation and result lines).
        relations: (source, type, target, via, supporting lines as (scope, line)).
    """

    def scope(name: str) -> ScopeId:
        return ScopeId(*name.split("::"))

    def evidence(name: str, line: int) -> str:
        return next(e.id for e in graph.evidence_of_scope[scope(name)] if e.line_start <= line <= e.line_end)

    return RepositoryGraph(
        files=graph.files.values(),
        scopes=graph.scopes.values(),
        evidence=graph.evidence,
        behaviors=[
            Behavior(
                f"B{number:04d}",
                scope(name),
                "source",
                result_type,  # type: ignore[arg-type]  # a literal in the tests
                *(tuple(evidence(name, line) for line in lines) for lines in roles),
                lines=graph.scopes[scope(name)].spans[0],
            )
            for number, (name, result_type, *roles) in enumerate(behaviors, start=1)
        ],
        relations=[
            Relation(
                f"R{number:04d}",
                scope(source),
                kind,  # type: ignore[arg-type]  # a literal in the tests
                scope(target),
                via,
                tuple(evidence(name, line) for name, line in support),
            )
            for number, (source, kind, target, via, support) in enumerate(relations, start=1)
        ],
    )


def ex11() -> RepositoryGraph:
    """Build the graph of Ex11."""
    return build(EX11_FILES)


def printed(text: str) -> list[tuple[int, str]]:
    """Return the numbered source lines of a text."""
    return [(int(m[1]), m[2]) for line in text.split("\n") if (m := re.fullmatch(r"(\d+) \| (.*)", line, re.DOTALL))]


def assert_faithful(graph: RepositoryGraph, unit: Unit) -> None:
    """Check that the text prints exactly the lines that the unit says, each once and as it is in its file."""
    expected = Counter(
        (number, graph.files[path].lines[number - 1].rstrip("\r\n"))
        for path, numbers in unit.lines.items()
        for number in numbers
    )
    assert Counter(printed(unit.text)) == expected
