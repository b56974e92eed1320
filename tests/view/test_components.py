"""Reading order: Ex12 of specification part 11 (ebg-method) and its variations."""

from __future__ import annotations

from itertools import pairwise

from ebg.model import ScopeId
from ebg.view._components import reading_order

POSITIONS = {"C": 5, "B": 10, "A": 50}
END = 100


def scope(name: str) -> ScopeId:
    return ScopeId("m.py", name)


def order(edges: list[tuple[str, str]], seeds: str = "ABC") -> list[list[str]]:
    components = reading_order(
        [scope(name) for name in seeds],
        [(scope(one), scope(other)) for one, other in edges],
        lambda item: POSITIONS.get(item.symbol, END),
    )
    return [[step.scope.symbol for step in component.steps] for component in components]


def test_ex12_equal_neighbour_counts_take_the_first_mention_as_root() -> None:
    # x -> y has no end among the seeds, so it is not among the kept edges.
    assert order([("A", "x"), ("B", "x")]) == [["C"], ["B", "x", "A"]]


def test_ex12_most_neighbours_win_but_components_sort_by_mention() -> None:
    # With z -> A, A has two neighbours and is the root; {C} still comes first because 5 < 50.
    assert order([("A", "x"), ("B", "x"), ("z", "A")]) == [["C"], ["A", "x", "z", "B"]]


def test_self_loops_and_repeated_edges_add_no_neighbour() -> None:
    assert order([("A", "A"), ("A", "x"), ("x", "A"), ("B", "y"), ("B", "z")], "AB") == [["B", "y", "z"], ["A", "x"]]


def test_unmentioned_seeds_are_ordered_by_name() -> None:
    assert order([], "zyx") == [["x"], ["y"], ["z"]]


def test_a_long_chain_needs_no_recursion() -> None:
    names = [f"s{number:05d}" for number in range(5000)]
    components = reading_order([scope(names[0])], [(scope(a), scope(b)) for a, b in pairwise(names)], lambda _: 0)
    assert [step.scope.symbol for step in components[0].steps] == names
