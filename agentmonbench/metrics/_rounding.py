"""The two roundings of the published numbers (specification data-metrics.md, part 2, general rules).

Numbers inside an example and batch means are rounded to six decimals with Python's `round`; table cells are rounded
half up to three decimals, in decimal arithmetic, so that 0.3325 becomes 0.333 on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

__all__ = ["f1", "round6", "table_value"]

TABLE_STEP = Decimal("0.001")


def round6(value: float) -> float:
    """Return `value` rounded to six decimals."""
    return round(value, 6)


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall, 0 when both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def table_value(batch_means: Sequence[float]) -> Decimal:
    """Return a table cell: the mean of the judges' batch means, rounded half up to three decimals.

    Args:
        batch_means: one mean per judge, or a single mean. Float dust beyond the ninth decimal is taken off; rounding to
            six here as well would round twice.

    Raises:
        ValueError: when there is no mean.
    """
    if not batch_means:
        raise ValueError("a table value needs at least one batch mean")
    total = sum((Decimal(repr(round(mean, 9))) for mean in batch_means), Decimal(0))
    return (total / len(batch_means)).quantize(TABLE_STEP, rounding=ROUND_HALF_UP)
