"""Maximum-weight one-to-one matching with a defined choice among equal optima.

The value of the optimum is unique, the matching is not: a report shows which finding was matched with which condition,
so the choice must not depend on how a solver walks its matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Pair", "best_matching"]

EPSILON = 1e-9
"""Sums closer than this are equal: scores are ratios of small integers, so real differences are larger."""


class Pair(NamedTuple):
    """A matched row and column, and their score."""

    row: int
    column: int
    score: float


def best_matching(scores: Sequence[Sequence[float]]) -> tuple[Pair, ...]:
    """Return the one-to-one matching of rows and columns with the largest sum of scores.

    Pairs with score 0 are left out. Among matchings with the same sum, columns are settled in their order: each takes
    the lowest row that still allows the largest sum.

    Args:
        scores: a row per finding, a column per condition; every score is at least 0.

    Returns:
        The pairs in order of their columns.
    """
    columns = range(len(scores[0])) if scores else range(0)
    free_rows = list(range(len(scores)))
    remaining = _optimum(scores, free_rows, list(columns))
    pairs: list[Pair] = []
    for column in columns:
        later = [other for other in columns if other > column]
        for row in free_rows:
            score = scores[row][column]
            if score <= 0:
                continue
            rest = _optimum(scores, [other for other in free_rows if other != row], later)
            if score + rest >= remaining - EPSILON:
                pairs.append(Pair(row, column, score))
                free_rows.remove(row)
                remaining = rest
                break
    return tuple(pairs)


def _optimum(scores: Sequence[Sequence[float]], rows: Sequence[int], columns: Sequence[int]) -> float:
    """Return the largest sum over one-to-one matchings of the chosen rows and columns."""
    if not rows or not columns:
        return 0.0
    from scipy.optimize import linear_sum_assignment

    matrix = [[scores[row][column] for column in columns] for row in rows]
    chosen = linear_sum_assignment(matrix, maximize=True)
    return sum(matrix[row][column] for row, column in zip(*chosen, strict=True))
