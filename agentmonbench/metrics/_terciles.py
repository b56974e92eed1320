"""Groups of equal size by input size (specification part 2.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

__all__ = ["Tercile", "terciles"]

Tercile = Literal["Low", "Medium", "High"]


def terciles(sizes: Mapping[str, int]) -> dict[str, Tercile]:
    """Return the size group of each example id, in ascending order of (size, id).

    With n examples the first n // 3 are Low, those up to 2n // 3 Medium, the rest High. Groups are made within a
    subset, never across.
    """
    ordered = sorted(sizes, key=lambda key: (sizes[key], key))
    low, medium = len(ordered) // 3, 2 * len(ordered) // 3
    return {key: "Low" if index < low else "Medium" if index < medium else "High" for index, key in enumerate(ordered)}
