"""What a run would take, before anything is sent: calls and tokens, low and high.

Low is a monitor that reads once and answers. High is one that uses every round and has read the whole input by then.
Between them lies every run that needs no repair. Output cannot be known; the two bounds are round figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agentmonbench._plan import Plan
from agentmonbench._predict import Source, limits_of
from agentmonbench.errors import DataError
from agentmonbench.methods import Method
from agentmonbench.monitors import Price
from agentmonbench.runs import Key
from ebg.tokens import estimate as estimate_tokens

__all__ = ["OUTPUT_PER_CALL", "Estimate", "Range", "estimate"]

OUTPUT_PER_CALL = (200, 2_000)
"""Output tokens of one call, low and high; reasoning models may write more."""


@dataclass(frozen=True, slots=True)
class Range:
    """A low and a high figure."""

    low: int = 0
    high: int = 0

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one monitor would take over all its predictions."""

    monitor: str
    predictions: int = 0
    broken: int = 0
    """Examples that cannot be opened; they cost nothing and count as failed."""
    calls: Range = Range()
    input_tokens: Range = Range()
    output_tokens: Range = Range()
    price: Price | None = None
    """None when it is not known."""

    @property
    def cost_usd(self) -> tuple[float, float] | None:
        """Return the low and high cost; None when the price is not known."""
        if self.price is None:
            return None
        bounds = (
            (self.input_tokens.low, self.output_tokens.low),
            (self.input_tokens.high, self.output_tokens.high),
        )
        low, high = (
            (tokens_in * self.price.input_usd + tokens_out * self.price.output_usd) / 1e6
            for tokens_in, tokens_out in bounds
        )
        return low, high

    def plus(self, calls: Range, input_tokens: Range) -> Estimate:
        """Return the estimate with one more prediction."""
        low, high = OUTPUT_PER_CALL
        output = Range(calls.low * low, calls.high * high)
        return replace(
            self,
            predictions=self.predictions + 1,
            calls=self.calls + calls,
            input_tokens=self.input_tokens + input_tokens,
            output_tokens=self.output_tokens + output,
        )


def estimate(plan: Plan, keys: Sequence[Key]) -> tuple[Estimate, ...]:
    """Return what `keys` would take, one estimate a monitor in the plan's order."""
    subsets: dict[str, Source] = {subset.name: subset for subset in plan.subsets}
    methods = {method.name: method for method in plan.methods}
    found = {monitor.name: Estimate(monitor.name, price=getattr(monitor, "price", None)) for monitor in plan.monitors}
    costs: dict[tuple[str, str, str], tuple[Range, Range] | None] = {}
    for key in keys:
        arm = (key.subset, key.example, key.method)
        if arm not in costs:
            costs[arm] = _cost(plan, subsets[key.subset], methods[key.method], key.example)
        cost, before = costs[arm], found[key.monitor]
        if cost is None:
            found[key.monitor] = replace(before, predictions=before.predictions + 1, broken=before.broken + 1)
        else:
            found[key.monitor] = before.plus(*cost)
    return tuple(found.values())


def _cost(plan: Plan, subset: Source, method: Method, example_id: str) -> tuple[Range, Range] | None:
    try:
        example = subset.example(example_id)
    except DataError:
        return None
    limits = limits_of(subset.name, plan.options)
    workspace = method.open(example)
    document = estimate_tokens(example.document.text) if example.document else 0
    opening = document + estimate_tokens(workspace.index_text) + estimate_tokens(workspace.input_note)
    if workspace.max_read_ids == 0:
        return Range(1, 1), Range(opening, opening)
    source = sum(estimate_tokens("".join(lines)) for lines in workspace.files.values())
    ceiling = min(opening + source, limits.compress_at_tokens)
    second = plan.options.second_stage == "all" or (plan.options.second_stage == "ebg" and method.name == "ebg")
    extra = subset.name == "silentswap" and second
    calls = Range(2 + extra, limits.rounds + extra)
    low = 2 * opening + min(source, opening) + (document if extra else 0)
    high = opening + (limits.rounds - 1) * ceiling + (document + source if extra else 0)
    return calls, Range(low, high)
