"""`compat="reference"`: behaviors as the reference rules form them (specification part 11, ebg-method, R)."""

from __future__ import annotations

import ebg
from ebg.model import RepositoryGraph
from tests.repository.test_behaviors import PICK, SCALE

Row = tuple[str, str, list[int], list[int], list[int], tuple[int, int]]


def rows_of(graph: RepositoryGraph) -> list[Row]:
    """Return (symbol, result type, condition, operation, result, lines) with evidence by number."""
    number = {item.id: index for index, item in enumerate(graph.evidence, 1)}

    def numbers(ids: tuple[str, ...]) -> list[int]:
        return [number[one] for one in ids]

    return [
        (
            item.scope.symbol,
            item.result_type,
            numbers(item.condition),
            numbers(item.operation),
            numbers(item.result),
            item.lines,
        )
        for item in graph.behaviors
    ]


def reference(**files: str) -> RepositoryGraph:
    return ebg.build({f"{name}.py": text.encode() for name, text in files.items()}, compat="reference")


def test_roles_and_exclusive_routes() -> None:
    graph = reference(scale=SCALE)
    assert rows_of(graph) == [
        ("<module>", "state_write", [], [], [2], (1, 12)),
        ("scale", "raise", [4], [], [5], (5, 12)),
        ("scale", "external_call", [6, 8], [], [9], (5, 12)),
        ("scale", "return", [6], [7], [10], (5, 12)),
        ("scale", "return", [6, 8], [9], [10], (5, 12)),
    ]
    assert {item.guards for item in graph.behaviors} == {()}


def test_known_errors_are_kept() -> None:
    assert rows_of(reference(pick=PICK)) == [
        ("pick", "return", [], [], [2], (1, 15)),
        ("pick", "raise", [4, 6], [5], [7], (1, 15)),
        ("pick", "output", [8, 12], [], [13], (1, 15)),
        ("pick", "return", [4, 6], [5, 7], [14], (1, 15)),
    ]


def test_calls_of_project_imports_are_external() -> None:
    graph = ebg.build(
        {
            "pkg/__init__.py": b"from .calc import total\n",
            "pkg/calc.py": b"RATE = 2\n\ndef total(items):\n    return sum(items) * RATE\n",
            "pkg/app.py": b"""\
from pkg.calc import total

class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def price(self):
        return total(self.items)
""",
        },
        compat="reference",
    )
    assert rows_of(graph) == [
        ("Cart.__init__", "state_write", [], [], [5], (4, 5)),
        ("Cart.add", "state_write", [], [], [7], (7, 8)),
        ("Cart.price", "external_call", [], [], [9], (10, 11)),
        ("Cart.price", "return", [], [], [9], (10, 11)),
        ("<module>", "state_write", [], [], [10], (1, 4)),
        ("total", "return", [], [], [12], (3, 4)),
    ]
    # Scopes without a behavior do not exist.
    assert [str(scope) for scope in graph.scopes] == [
        "pkg/app.py::Cart.__init__",
        "pkg/app.py::Cart.add",
        "pkg/app.py::Cart.price",
        "pkg/calc.py::<module>",
        "pkg/calc.py::total",
    ]


def test_other_languages_and_broken_files_are_one_evidence() -> None:
    graph = ebg.build(
        {"tool.js": b"export function f() {\n  return 1\n}\n", "broken.py": b"def f(:\n    return 1\n"},
        compat="reference",
    )
    assert [(item.path, item.symbol, item.line_start, item.line_end) for item in graph.evidence] == [
        ("broken.py", "<module>", 1, 2),
        ("tool.js", "<module>", 1, 3),
    ]
    assert list(graph.behaviors) == []


def test_tuple_targets_and_python_2() -> None:
    assert rows_of(reference(a="class K:\n    x: int\n    def f(self):\n        self.a, self.b = 1, 2\n")) == [
        ("K", "state_write", [], [], [2], (1, 4))
    ]


def test_routes_are_limited() -> None:
    tests = "".join(f"    if a[{number}]:\n        x = x + {number}\n" for number in range(20))
    assert len(rows_of(reference(a=f"def f(a):\n    x = 0\n{tests}    return x\n"))) <= 256
