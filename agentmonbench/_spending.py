"""A limit on the money of a run: nothing new is begun once it is reached, and what is in flight is finished."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agentmonbench.errors import UsageError
from agentmonbench.monitors import Monitor, Tally
from agentmonbench.runs import RunDirectory

__all__ = ["Spending", "paid_before"]


@dataclass(frozen=True, slots=True)
class Spending:
    """What a run may cost in US dollars, everything paid for it before included.

    Raises:
        UsageError: the limit is no positive number.
    """

    limit_usd: float
    tally: Tally
    """What the models of the run have cost in this process."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.limit_usd) and self.limit_usd > 0):
            raise UsageError(f"a limit on money is a positive number of US dollars, not {self.limit_usd}")

    def reached(self, before_usd: float) -> bool:
        """Return whether nothing new may begin, when `before_usd` had been paid before this process."""
        return before_usd + self.tally.cost_usd >= self.limit_usd

    @staticmethod
    def check_prices(monitors: Sequence[Monitor]) -> None:
        """Refuse monitors whose price is not known: their money could not be counted.

        Raises:
            UsageError: naming them.
        """
        unpriced = [monitor.name for monitor in monitors if getattr(monitor, "price", None) is None]
        if unpriced:
            raise UsageError(
                f"the price of {', '.join(unpriced)} is not known, so a limit on money cannot be kept; "
                "give it in a file of monitors, or leave the limit out"
            )


def paid_before(run: RunDirectory) -> float:
    """Return the known cost in US dollars of stored predictions and judgements, answers from a cache left out."""
    replies = [step for record in run.predictions_log for step in record["steps"]]
    for line in run.judgments_log:
        replies += [attempt["reply"] for attempt in line["judgement"]["attempts"] if attempt["reply"] is not None]
    return sum((reply["cost_usd"] or 0.0 for reply in replies if not reply["cached"]), 0.0)
