"""Graphs as networkx objects."""

from __future__ import annotations

import ebg


def test_networkx_forms() -> None:
    graph = ebg.build({"a.py": b"def f(x):\n    if x:\n        return g()\n\ndef g():\n    return 1\n"})
    small = graph.to_networkx()
    assert sorted(small.nodes) == ["a.py::<module>", "a.py::f", "a.py::g"]
    assert sorted(small.edges(keys=True)) == [("a.py::f", "a.py::g", "calls"), ("a.py::g", "a.py::f", "feeds")]
    assert small.nodes["a.py::f"]["behaviors"] == ("B0001",)
    middle = graph.to_networkx("behaviors")
    assert sorted(set(middle.nodes) - set(small.nodes)) == ["B0001", "B0002"]
    assert middle.has_edge("a.py::f", "B0001", "has")
    large = graph.to_networkx("evidence")
    assert len(large) == len(middle) + len(graph.evidence)
    assert large.has_edge("B0001", "E000002", "condition")
    assert large.has_edge("B0001", "E000003", "result")
