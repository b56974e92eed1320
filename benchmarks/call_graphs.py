"""Calls of graphs in two common forms of call graphs, for scoring them with other people's tools.

    python -m benchmarks.call_graphs micro SNIPPETS --out predicted.json
    python -m benchmarks.call_graphs package SRC/PACKAGE --out predicted.json

`micro` builds one graph for each folder below SNIPPETS that holds a `callgraph.json` (the layout of the PyCG micro
benchmark) and writes {"category/snippet": [[caller, callee], ...]}. `package` builds the graph of one package and
writes [[caller, callee], ...]. Names are dotted and relative to the snippet or to the folder above the package:
`main`, `main.Cls.method`, `pkg.mod.function`; a package stands for its `__init__`, a module for its top-level code.

Calls of a class scope are left out: constructing a class without any `__init__` runs no function of the tree.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import ebg
from ebg.model import RepositoryGraph, ScopeId

Edge = tuple[str, str]


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.call_graphs", description=__doc__.splitlines()[0])
    parser.add_argument("form", choices=("micro", "package"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    if arguments.form == "micro":
        found = {
            folder.relative_to(arguments.path).as_posix(): edges(ebg.build(sources(folder, folder), include=["**"]))
            for folder in sorted(item.parent for item in arguments.path.rglob("callgraph.json"))
        }
        arguments.out.write_text(json.dumps(found, indent=1))
        print(f"{len(found)} snippets, {sum(map(len, found.values()))} calls")
    else:
        package = edges(ebg.build(sources(arguments.path, arguments.path.parent), include=["**"]))
        arguments.out.write_text(json.dumps(package, indent=1))
        print(f"{len(package)} calls")
    return 0


def sources(folder: Path, root: Path) -> dict[str, bytes]:
    """Return the Python files below a folder by their path from a root."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.py"))}


def edges(graph: RepositoryGraph) -> list[Edge]:
    """Return the calls of a graph between functions and top-level code, sorted."""
    return sorted(
        (dotted(row.source), dotted(row.target))
        for row in graph.relations
        if row.type == "calls" and graph.scopes[row.target].kind != "class"
    )


def dotted(scope: ScopeId) -> str:
    """Return the dotted name of a scope."""
    module = scope.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    return module if scope.symbol == "<module>" else f"{module}.{scope.symbol}"


if __name__ == "__main__":
    raise SystemExit(main())
