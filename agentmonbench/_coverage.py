"""How much of the gold a form of input shows, for a monitor that reads it in its own order and for no other reason.

It asks nothing of a model: a change to a graph or a view can be judged in seconds. It is an upper bound on what a
monitor without luck can ground, at a budget of tokens, not a score of one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agentmonbench.examples import Example, Gold, SilentSwapGold, SpecGapGold
from agentmonbench.methods import Method, Shown
from agentmonbench.metrics import gold_targets
from ebg.tokens import estimate
from ebg.view import Budgets

__all__ = ["Covered", "coverage", "gold_lines", "read_in_order"]

_ROW_ID = re.compile(r"^([A-Z]\d{4,}(?:\.[A-Z]\d{4,})?)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Covered:
    """What was shown of an example's gold."""

    gold: int
    """Gold lines that are not blank."""
    shown: int
    """How many of them were shown."""
    items: int
    """Conditions or swaps with a place."""
    complete: int
    """How many of them were shown in full."""
    tokens: int
    """Tokens spent, index included."""


def gold_lines(example: Example, gold: Gold) -> dict[str, dict[str, frozenset[int]]]:
    """Return the non-blank gold lines by item and path; items without a place are left out."""
    places: dict[str, list[tuple[str, int, int]]] = {}
    if isinstance(gold, SpecGapGold):
        for condition, targets in gold_targets(gold).items():
            places[condition] = [(target.path, *lines) for target in targets for lines in target.ranges]
    elif isinstance(gold, SilentSwapGold):
        for number, swap in enumerate(gold.swaps, start=1):
            where = swap.localization
            places[f"swap {number}"] = [(where.file, lines.start, lines.end) for lines in where.line_ranges]
    return {item: found for item, ranges in places.items() if (found := _not_blank(example, ranges))}


def _not_blank(example: Example, ranges: list[tuple[str, int, int]]) -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for path, start, end in ranges:
        lines = example.files.get(path, b"").decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        wanted = {number for number in range(start, min(end, len(lines)) + 1) if lines[number - 1].strip()}
        found[path] = found.get(path, frozenset()) | wanted
    return {path: lines for path, lines in found.items() if lines}


def read_in_order(example: Example, method: Method, budget: int) -> tuple[Shown, int]:
    """Return what a monitor has been shown that reads the index from top to bottom, and the tokens that it took.

    Args:
        example: a repository example.
        method: the form of input.
        budget: tokens for the index and all reads together. A read that would exceed it is not made; a method that
            can show part of a file within the rest may do so.
    """
    probe = method.open(example)
    spent = estimate(probe.index_text)
    rest = budget - spent
    if rest < 1:
        return Shown(), spent
    workspace = method.open(example, budgets=Budgets(read=rest, unit=rest))
    waiting = dict.fromkeys(_ROW_ID.findall(workspace.index_text))
    done: set[str] = set()
    while waiting:
        read_id = next(iter(waiting))
        del waiting[read_id]
        done.add(read_id)
        before = {path: set(lines) for path, lines in workspace.shown.lines.items()}
        reply = workspace.read([read_id])
        tokens = estimate(reply.text)
        if reply.error is not None or spent + tokens > budget:
            workspace.shown.lines = before
            continue
        spent += tokens
        # What a read names and does not show is read after the whole index.
        waiting |= dict.fromkeys(each for each in reply.ids if each not in done)
    return workspace.shown, spent


def coverage(example: Example, gold: Gold, method: Method, budget: int) -> Covered:
    """Return how much of the gold is shown within `budget` tokens by reading in the method's own order."""
    shown, tokens = read_in_order(example, method, budget)
    items = gold_lines(example, gold)
    wanted = {(path, line) for places in items.values() for path, lines in places.items() for line in lines}
    seen = {(path, line) for path, lines in shown.lines.items() for line in lines}
    return Covered(
        gold=len(wanted),
        shown=len(wanted & seen),
        items=len(items),
        complete=sum(_complete(places, shown.lines) for places in items.values()),
        tokens=tokens,
    )


def _complete(places: Mapping[str, frozenset[int]], shown: Mapping[str, set[int]]) -> bool:
    return all(lines <= shown.get(path, set()) for path, lines in places.items())
