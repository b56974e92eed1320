"""What the two plain methods share: lanes, tables cut at a budget, ids that must have been listed (parts 7.2 to 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from agentmonbench.methods._protocol import ToolReply

__all__ = ["INDEX_LANES", "cut_table", "interleave", "unlisted"]

INDEX_LANES = 8
"""A list that is cut at its budget is dealt from this many stretches, so that it shows something of each (part 8)."""

_Item = TypeVar("_Item")


def interleave(items: Sequence[_Item], lanes: int = INDEX_LANES) -> list[_Item]:
    """Return `items` dealt from `lanes` consecutive stretches of nearly equal length, one from each in turn."""
    size = -(-len(items) // lanes)
    stretches = [items[first : first + size] for first in range(0, len(items), size)] if size else []
    return [stretch[place] for place in range(size) for stretch in stretches if place < len(stretch)]


def cut_table(header: str, rows: Iterable[str], budget: int) -> list[str]:
    """Return the header and the longest prefix of `rows` that fits `budget` estimated tokens."""
    table = [header]
    # Bytes are summed instead of tokens, so that rounding does not add up row by row.
    used = len(header.encode()) + 1
    for row in rows:
        used += len(row.encode("utf-8", "replace")) + 1
        if -(-used // 3) > budget:
            break
        table.append(row)
    return table


def unlisted(ids: Sequence[str], listed: set[str]) -> ToolReply | None:
    """Return the error reply for ids that were never listed, or None."""
    unknown = [name for name in ids if name not in listed]
    if not unknown:
        return None
    names = ", ".join(repr(name[:40]) for name in unknown)
    return ToolReply(f"error: no index or result has listed {names}", error="unknown_or_unexposed_id")
