"""Reducing old results (specification ebg-method.md, part 7.3)."""

from __future__ import annotations

from agentmonbench._actions import Read, Search
from agentmonbench._compression import Exchange, compress

TEXT = "x" * 3_000  # 1,000 tokens by the loop's estimate


def test_nothing_is_reduced_below_the_target() -> None:
    exchanges = [Exchange(Search("a"), TEXT, ids=()), Exchange(Read(("F1",)), TEXT)]
    assert compress(exchanges, fixed_tokens=0, target_tokens=2_000) == exchanges


def test_repeated_reads_go_first_then_spent_searches_and_the_newest_stays() -> None:
    exchanges = [
        Exchange(Search("a"), TEXT, ids=("F1",)),
        Exchange(Read(("F1",)), TEXT + "F1"),
        Exchange(Search("b"), TEXT, ids=("F9",)),
        Exchange(Read(("F1", "F2")), TEXT + "F1\n\nand F2"),
    ]
    reduced = compress(exchanges, fixed_tokens=0, target_tokens=3_100)
    assert [exchange.receipt is not None for exchange in reduced] == [False, True, False, False]
    reduced = compress(exchanges, fixed_tokens=0, target_tokens=0)
    # F9 was never read, so its search result stays: its id would be lost.
    assert [exchange.receipt is not None for exchange in reduced] == [True, True, False, False]
    assert reduced[0].text == "(left out here: 1 hits, F1; all used or listed again)"
    assert compress(reduced, fixed_tokens=0, target_tokens=0) == reduced


def test_a_read_that_a_later_one_only_refers_back_to_is_kept() -> None:
    exchanges = [
        Exchange(Read(("F1",)), TEXT),
        Exchange(Read(("F1",)), "a.py: lines 1-9 were shown before"),
        Exchange(Read(("F2",)), "y" * 3_000),
    ]
    assert compress(exchanges, fixed_tokens=0, target_tokens=0) == exchanges


def test_a_repeated_search_is_reduced() -> None:
    exchanges = [Exchange(Search("a"), TEXT, ids=("F1",)), Exchange(Search("a"), TEXT, ids=("F1",))]
    assert [item.receipt is None for item in compress(exchanges, fixed_tokens=0, target_tokens=0)] == [False, True]
