"""LC-rule: the judge's Location Correct by computation (specification part 8, weakness 15).

File, symbol kind and name are facts. For lines the judges' written tolerance is applied as far as it can be computed:
equal to gold, one adjacent line more or less, or shifted as a whole by one line. The judges may also excuse wrapper
lines of the same statement and align swaps by meaning; this rule does neither, so it tends to be the lower reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

from agentmonbench.examples import GoldSwap, Swap
from agentmonbench.metrics import _lines
from agentmonbench.metrics._judged import location_correct
from agentmonbench.metrics._lines import Lines
from agentmonbench.metrics._silentswap import SWAPS, predicted_lines

__all__ = ["LocationRule", "SwapLocation", "lines_acceptable", "location_rule"]


class SwapLocation(NamedTuple):
    """The four location facts of a predicted swap against a gold swap."""

    file: bool
    kind: bool
    name: bool
    lines: bool

    @property
    def correct(self) -> bool:
        """Whether all four hold."""
        return all(self)


@dataclass(frozen=True, slots=True)
class LocationRule:
    """LC-rule of one example."""

    value: float
    """The tier of the number of correct swaps, as for LC."""
    rate: float
    """Share of the five swaps whose location is correct."""
    checks: tuple[tuple[int, int, SwapLocation], ...]
    """(index of the predicted swap, index of the gold swap, facts), in order of the prediction."""


def location_rule(swaps: Sequence[Swap], gold: Sequence[GoldSwap], totals: Mapping[str, int]) -> LocationRule:
    """Return LC-rule of one example; the arguments are those of `localization`.

    Swaps are aligned so that as many as possible are correct, then as many facts as possible hold, then in gold order.
    """
    table = [[_facts(swap, target, totals) for target in gold] for swap in swaps]

    def worth(order: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        chosen = [table[i][j] for i, j in enumerate(order)]
        return -sum(facts.correct for facts in chosen), -sum(map(sum, chosen)), order

    best = min(permutations(range(len(gold)), len(swaps)), key=worth)
    checks = tuple((i, j, table[i][j]) for i, j in enumerate(best))
    correct = sum(facts.correct for _, _, facts in checks)
    return LocationRule(value=location_correct(correct), rate=correct / SWAPS, checks=checks)


def lines_acceptable(cited: Lines, gold: Lines) -> bool:
    """Return whether the cited lines are gold, gold with one adjacent line more or less, or gold shifted by one."""
    if not cited:
        return False
    if cited == gold or cited in (_shifted(gold, 1), _shifted(gold, -1)):
        return True
    common = _lines.shared(cited, gold)
    surplus, lacking = _lines.count(cited) - common, _lines.count(gold) - common
    # With one line more or less, "adjacent" says that no range of lines appears or vanishes as a whole.
    return surplus + lacking == 1 and _touches(cited, gold)


def _touches(left: Lines, right: Lines) -> bool:
    """Return whether every range of each side shares a line with the other, of two sets that differ in one line."""
    return all(_lines.shared((each,), right) for each in left) and all(_lines.shared((each,), left) for each in right)


def _shifted(lines: Lines, by: int) -> Lines:
    return tuple((first + by, last + by) for first, last in lines)


def _facts(swap: Swap, gold: GoldSwap, totals: Mapping[str, int]) -> SwapLocation:
    target, truth = swap.target, gold.localization
    file = target.file == truth.file
    lines = predicted_lines(target, totals.get(target.file)) if file else ()
    wanted = _lines.union((each.start, each.end) for each in truth.line_ranges)
    return SwapLocation(
        file=file,
        kind=target.symbol.kind == truth.symbol.kind,
        name=target.symbol.qualified_name == truth.symbol.qualified_name,
        lines=lines_acceptable(lines, wanted),
    )
