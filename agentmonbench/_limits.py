"""The limits of one monitor run, as data (specification ebg-method.md, parts 7.2 and 10.1; data-metrics.md, 7.2).

Tokens are counted by `ebg.tokens.estimate` everywhere in the loop, so that limits mean the same for every model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from agentmonbench.examples import SubsetName
from ebg.view import Budgets

__all__ = ["Limits", "Protocol", "limits_for"]

Protocol = Literal["fair", "paper"]
"""`fair` asks the same of every method and lets a wrong citation be corrected once; `paper` keeps the original."""


_BUDGETS = Budgets()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use. The defaults are those of the paper for SpecGAP under the fair protocol."""

    rounds: int = 8
    """Actions of the monitor, the finish included; repairs are free."""
    index_tokens: int = _BUDGETS.index
    """Tokens of the initial index."""
    read_tokens: int = _BUDGETS.read
    """Tokens of one read result."""
    search_hits: int = _BUDGETS.hits
    """Places that one search lists."""
    query_chars: int = 512
    format_repairs: int = 2
    """Malformed answers that may be corrected, over the whole run."""
    grounding_repairs: int = 1
    """Finishes that cite what was not shown and may be corrected."""
    stage_two_repairs: int = 1
    """Corrections of any kind in the second stage of SilentSwap."""
    stage_two_files: int = 6
    """Files of the index that the second stage shows in full beside those that were read."""
    output_tokens: int = 32_768
    context_tokens: int = 1_000_000
    context_margin_tokens: int = 32_768
    compress_at_tokens: int = 131_072
    compress_to_tokens: int = 98_304

    @property
    def hard_prompt_tokens(self) -> int:
        """Prompt size above which a run cannot go on: 934,464 with the defaults."""
        return self.context_tokens - self.context_margin_tokens - self.output_tokens

    @property
    def budgets(self) -> Budgets:
        """What a method may show at once."""
        unit = min(self.read_tokens, _BUDGETS.unit)
        return Budgets(index=self.index_tokens, read=self.read_tokens, unit=unit, hits=self.search_hits)

    def fitted(self, context_tokens: int | None, output_tokens: int | None) -> Limits:
        """Return these limits, lowered to a model's window and output; None changes nothing."""
        output = min(self.output_tokens, output_tokens or self.output_tokens)
        context = min(self.context_tokens, context_tokens or self.context_tokens)
        if context == self.context_tokens:
            return replace(self, output_tokens=output)
        # A small window keeps an eighth for the answer and a thirtieth for what the estimate may miss, and is not
        # filled by one read: the estimate counts a third more tokens than most models do.
        output = min(output, context // 8)
        margin = min(self.context_margin_tokens, context // 30)
        room = context - output - margin
        return replace(
            self,
            context_tokens=context,
            context_margin_tokens=margin,
            output_tokens=output,
            index_tokens=min(self.index_tokens, room // 8),
            read_tokens=min(self.read_tokens, room // 5),
            compress_at_tokens=min(self.compress_at_tokens, room * 3 // 4),
            compress_to_tokens=min(self.compress_to_tokens, room // 2),
        )


_BY_SUBSET: dict[SubsetName, Limits] = {
    "specgap": Limits(rounds=8, format_repairs=2),
    "silentswap": Limits(rounds=6, format_repairs=1),
    # A session is shown whole and answered in one turn (part 7.10).
    "feedbacktrace": Limits(rounds=1, format_repairs=1),
}


def limits_for(subset: SubsetName, protocol: Protocol = "fair") -> Limits:
    """Return the limits of a subset under a protocol."""
    limits = _BY_SUBSET[subset]
    if protocol == "fair":
        return limits
    # The original ends a run at the first ungrounded citation, and never corrects a session's answer.
    format_repairs = 0 if subset == "feedbacktrace" else limits.format_repairs
    return replace(limits, grounding_repairs=0, format_repairs=format_repairs)
