"""Sequences that are made when first looked at.

A build keeps facts as tuples; the evidence and behaviors of a large repository are hundreds of thousands of objects
that many callers (a summary, a view of six files) never touch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, overload

from ebg.repository._collector import no_collections

__all__ = ["Deferred"]

_Item_co = TypeVar("_Item_co", covariant=True)


class Deferred(Sequence[_Item_co]):
    """A sequence of known length whose items are made, all at once, on first access."""

    __slots__ = ("_items", "_length", "_make")

    def __init__(self, length: int, make: Callable[[], Sequence[_Item_co]]) -> None:
        self._length = length
        self._make = make
        self._items: Sequence[_Item_co] | None = None

    def _all(self) -> Sequence[_Item_co]:
        if self._items is None:
            with no_collections():
                self._items = self._make()
        return self._items

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[_Item_co]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> _Item_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item_co]: ...
    def __getitem__(self, index: int | slice) -> _Item_co | Sequence[_Item_co]:
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # mutable by appearance only, but equal to lists

    def __repr__(self) -> str:
        return f"<{self._length} items>"
