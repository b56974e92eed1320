"""Keeping a conversation inside the working size (specification ebg-method.md, part 7.3).

Two things may be reduced, and only when the prompt has grown past its trigger: a read whose text a later read repeats,
and a search whose ids were all read or whose query was repeated. Other read results are never shortened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentmonbench._actions import Read, Search
from ebg.tokens import estimate

__all__ = ["Exchange", "compress"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One action of the monitor and the result that it got."""

    action: Search | Read
    result: str
    ids: tuple[str, ...] = ()
    """Ids that the result made readable."""
    deferred: tuple[str, ...] = ()
    receipt: str | None = None
    """What stands in place of the result once it was reduced."""

    @property
    def text(self) -> str:
        """Return what is sent."""
        return self.result if self.receipt is None else self.receipt


def compress(exchanges: Sequence[Exchange], *, fixed_tokens: int, target_tokens: int) -> list[Exchange]:
    """Reduce old results, oldest first, until the prompt has at most `target_tokens` or nothing is left to reduce.

    Args:
        exchanges: the conversation so far; the newest is never touched.
        fixed_tokens: tokens of everything that is not a result.
        target_tokens: the size to reach.
    """
    kept = list(exchanges)
    total = fixed_tokens + sum(estimate(exchange.text) for exchange in kept)
    for reducible in (_repeated_read, _spent_search):
        for index in range(len(kept) - 1):
            if total <= target_tokens:
                return kept
            receipt = reducible(kept, index)
            if receipt is None or estimate(receipt) >= estimate(kept[index].text):
                continue
            total += estimate(receipt) - estimate(kept[index].text)
            old = kept[index]
            kept[index] = Exchange(old.action, old.result, old.ids, old.deferred, receipt)
    return kept


def _repeated_read(exchanges: Sequence[Exchange], index: int) -> str | None:
    old = exchanges[index]
    if not isinstance(old.action, Read) or old.receipt is not None:
        return None
    for later in exchanges[index + 1 :]:
        if isinstance(later.action, Read) and later.receipt is None and old.result in later.result:
            return f"(left out here: {', '.join(old.action.ids)} was shown again later)"
    return None


def _spent_search(exchanges: Sequence[Exchange], index: int) -> str | None:
    old = exchanges[index]
    if not isinstance(old.action, Search) or old.receipt is not None:
        return None
    later = exchanges[index + 1 :]
    read = {name for exchange in later if isinstance(exchange.action, Read) for name in exchange.action.ids}
    repeated = any(exchange.action == old.action for exchange in later)
    if repeated or all(name in read for name in old.ids):
        return f"(left out here: {len(old.ids)} hits, {', '.join(old.ids) or 'no ids'}; all used or listed again)"
    return None
