"""Sets of line numbers as sorted, disjoint, inclusive ranges.

A predicted range may be as wide as an integer can say, so lines are never listed one by one.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Lines", "count", "distance", "shared", "union"]

Lines = tuple[tuple[int, int], ...]
"""Ranges (first, last) in ascending order that neither overlap nor touch."""


def union(ranges: Iterable[tuple[int, int]]) -> Lines:
    """Return the lines that lie in any of `ranges`; a reversed range has none."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if last < first:
            continue
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)


def count(lines: Lines) -> int:
    """Return the number of lines."""
    return sum(last - first + 1 for first, last in lines)


def shared(left: Lines, right: Lines) -> int:
    """Return the number of lines that are in both."""
    total = i = j = 0
    while i < len(left) and j < len(right):
        total += max(0, min(left[i][1], right[j][1]) - max(left[i][0], right[j][0]) + 1)
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return total


def distance(left: Lines, right: Lines) -> int | None:
    """Return the smallest difference between a line of one and a line of the other; None when one is empty."""
    return min(
        (max(0, b[0] - a[1], a[0] - b[1]) for a in left for b in right),
        default=None,
    )
