"""The worked examples Ex1 (its edge), Ex3 and Ex4 of specification part 11 (ebg-method)."""

from __future__ import annotations

import pytest

SCALE = """\
import math

LIMIT = 10

def scale(value, strict=False):
    if strict and value > LIMIT:
        raise ValueError("too big")
    if value > LIMIT:
        out = LIMIT
    else:
        out = math.floor(value)
    return out
"""

CALC = """\
RATE = 2

def total(items):
    return sum(items) * RATE
"""

APP = """\
from pkg.calc import total

class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def price(self):
        return total(self.items)
"""

JOB = """\
class Job:
    retries = 3
    def __init__(self, name): self.name = name

def make(name): return Job(name)

def outer():
    def inner(): return 1
    return inner()
"""


def relations(graph):
    return [(row.id, row.source.symbol, row.type, row.target.symbol, row.via, row.evidence) for row in graph.relations]


def shop(app=APP):
    return {"pkg/__init__.py": "from .calc import total\n", "pkg/calc.py": CALC, "pkg/app.py": app}


@pytest.mark.parametrize("compat", [None, "reference"])
def test_ex1_a_global_feeds_the_function_that_reads_it(graph, compat):
    # Evidence: 1 import, 2 LIMIT, 3 def, 4 if, 5 raise, 6 if, 7 out = LIMIT, ...; LIMIT is read by 4, 6 and 7.
    assert relations(graph({"scale.py": SCALE}, compat)) == [
        ("R0001", "<module>", "feeds", "scale", "LIMIT", ("E000002", "E000004", "E000006", "E000007")),
    ]


# pkg/__init__.py comes first: "_" sorts before letters in the paths, so E1 is its import. app.py holds E2 to E9
# (import, class, __init__ header and body, add header and body, price header and body), calc.py E10 to E12.
EX3 = [
    ("R0001", "Cart.__init__", "feeds", "Cart.add", "items", ("E000005", "E000007")),
    ("R0002", "Cart.__init__", "feeds", "Cart.price", "items", ("E000005", "E000009")),
    ("R0003", "Cart.add", "feeds", "Cart.price", "items", ("E000007", "E000009")),
    ("R0004", "Cart.price", "calls", "total", None, ("E000009",)),
    ("R0005", "<module>", "feeds", "total", "RATE", ("E000010", "E000012")),
    ("R0006", "total", "feeds", "Cart.price", "result", ("E000009", "E000012")),
]


@pytest.mark.parametrize("compat", [None, "reference"])
def test_ex3_calls_results_and_state(graph, compat):
    assert relations(graph(shop(), compat)) == EX3


def test_ex3_a_reexport_is_followed(graph):
    built = graph(shop(APP.replace("from pkg.calc", "from pkg")))
    assert relations(built) == EX3
    assert [row.resolution for row in built.relations if row.type == "calls"] == ["reexport"]


def test_ex3_the_reference_does_not_follow_a_reexport(graph):
    # Without R4 and R6; R5 moves up.
    built = graph(shop(APP.replace("from pkg.calc", "from pkg")), "reference")
    assert [row[1:] for row in relations(built)] == [row[1:] for row in (*EX3[:3], EX3[4])]


def test_ex4_a_constructor_and_a_nested_function_are_reached(calls, feeds):
    assert calls(JOB) == ["make -> Job.__init__ (constructor)", "outer -> outer.inner (nested)"]
    assert feeds(JOB) == ["outer.inner -> outer via result"]


def test_ex4_the_reference_finds_two_candidates_for_the_class_and_none_for_the_nested_function(graph):
    built = graph(JOB, "reference")
    assert relations(built) == []
    (row,) = built.unresolved
    assert (row.scope.symbol, row.line, row.label) == ("make", 5, "Job")
    assert [candidate.symbol for candidate in row.candidates] == ["Job", "Job.__init__"]


def test_ex4_without_class_level_state_the_reference_reaches_the_constructor(calls, feeds):
    text = JOB.replace("    retries = 3\n", "")
    assert calls(text, "reference") == ["make -> Job.__init__ (exact)"]
    assert feeds(text, "reference") == []
    assert calls(text) == ["make -> Job.__init__ (exact)", "outer -> outer.inner (nested)"]
