"""JavaScript with the optional grammar, and without it."""

from __future__ import annotations

import pytest

import ebg
from ebg.model import RepositoryGraph

TOOL = """\
import fs from 'fs'
import near from './near.js'

export function load(path) {
  if (!path) {
    throw new Error('no path')
  } else if (path === '-')
    return near.read()
  // plain
  else {
    console.log(path)
  }
  for (const line of fs.readFileSync(path)) {
    yield line
  }
}

export default class Cart {
  size = 1
  constructor() {
    this.items = []
  }
}

export const twice = (x) => x * 2
exports.half = function (x) { return x / 2 }
"""


def rows_of(graph: RepositoryGraph) -> list[tuple[str, str, int, list[int]]]:
    """Return (symbol, result type, line of the result, lines of the conditions)."""
    line = {item.id: item.line_start for item in graph.evidence}
    return [
        (item.scope.symbol, item.result_type, line[item.result[0]], [line[one] for one in item.condition])
        for item in graph.behaviors
    ]


def test_an_exported_function_returns() -> None:
    # Specification part 11, Ex6 with T.
    graph = ebg.build({"tool.js": b"export function exportedName(a) {\n  return a\n}\n", "old.py": b"print 'x'\n"})
    assert ("tool.js", "exportedName") in graph.scopes
    assert rows_of(graph) == [("<module>", "output", 1, []), ("exportedName", "return", 2, [])]
    old = [(item.symbol, item.line_start, item.line_end) for item in graph.evidence if item.path == "old.py"]
    assert old == [("<module>", 1, 1)]


def test_scopes_evidence_and_conditions() -> None:
    graph = ebg.build({"tool.js": TOOL.encode()})
    scopes = [(scope.symbol, scope.kind, scope.spans) for scope in graph.scopes.values()]
    assert scopes == [
        ("<module>", "module", ((1, 26),)),
        ("load", "function", ((4, 16),)),
        ("Cart", "class", ((18, 23),)),
        ("Cart.constructor", "method", ((20, 22),)),
        ("twice", "function", ((25, 25),)),
        ("half", "function", ((26, 26),)),
    ]
    assert rows_of(graph) == [
        ("Cart.constructor", "state_write", 21, []),
        ("half", "return", 26, []),
        ("load", "raise", 6, [5]),
        ("load", "return", 8, [5, 7]),
        ("load", "output", 11, [5, 7, 10]),
        ("load", "yield", 14, [13]),
        ("twice", "return", 25, []),
    ]
    for item in graph.evidence:
        assert "".join(graph.files[item.path].lines[item.line_start - 1 : item.line_end]) == item.content


@pytest.mark.parametrize(
    "text", ["(" * 5000, "{" * 5000, "if (a) " * 3000 + "b", "a" + ".b()" * 5000, "function f( {", "", "\r\r\r", "}}}}"]
)
def test_broken_and_deep_files(text: str) -> None:
    graph = ebg.build({"keep.py": b"x = 1\n", "a.js": text.encode()})
    for item in graph.evidence:
        assert "".join(graph.files[item.path].lines[item.line_start - 1 : item.line_end]) == item.content
