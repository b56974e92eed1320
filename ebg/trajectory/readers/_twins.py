"""Records that come in pairs: the same text written twice, in either order."""

from __future__ import annotations

from collections import Counter

__all__ = ["Twins"]


class Twins:
    """Tells the second of two records with the same text; each record has at most one twin."""

    def __init__(self) -> None:
        self._waiting: Counter[tuple[str, str]] = Counter()

    def is_second(self, side: str, other: str, text: str) -> bool:
        """Return whether an unmatched record of `other` has this text; else remember this one for `side`."""
        key = " ".join(text.split())
        if self._waiting[other, key] > 0:
            self._waiting[other, key] -= 1
            return True
        self._waiting[side, key] += 1
        return False
