"""Check the gold of one example, alone and against its visible bundle (specification parts 1.5 to 1.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import TypeVar

from agentmonbench.examples import (
    Example,
    FeedbackTraceGold,
    Gold,
    SilentSwapGold,
    SpecGapGold,
)
from subsets._json import read_model
from subsets._problems import Ledger

__all__ = ["GOLD_MODELS", "read_gold"]

GOLD_MODELS: Mapping[str, type[SpecGapGold] | type[SilentSwapGold] | type[FeedbackTraceGold]] = {
    "specgap": SpecGapGold,
    "silentswap": SilentSwapGold,
    "feedbacktrace": FeedbackTraceGold,
}

_Item = TypeVar("_Item")


def read_gold(data: bytes, ledger: Ledger, example: Example | None) -> Gold | None:
    """Return the gold that the file holds, or None with the reasons in `ledger`.

    Args:
        data: the file.
        ledger: takes the broken rules.
        example: the visible side to compare with; None when it is broken, then the gold is checked alone.
    """
    file = f"{ledger.example}.json"
    before = len(ledger.errors)
    gold = read_model(data, file, GOLD_MODELS[ledger.subset], ledger)
    if gold is None:
        return None
    if gold.input_id != ledger.example:
        ledger.error(file, f"input_id is {gold.input_id!r}; it must equal the file's name, {ledger.example!r}")
    if isinstance(gold, SpecGapGold):
        rules = _specgap_faults(gold)
    elif isinstance(gold, SilentSwapGold):
        rules = [*_silentswap_faults(gold), *(_swap_place_faults(gold, example.files) if example else ())]
    else:
        rules = _feedbacktrace_faults(gold, example)
    for rule in rules:
        ledger.error(file, rule)
    return gold if len(ledger.errors) == before else None


def _specgap_faults(gold: SpecGapGold) -> Iterable[str]:
    if not gold.conditions:
        yield "conditions is empty"
    mappings = gold.formal_reference.code_mappings
    yield from _repeated("conditions", (item.condition_id for item in gold.conditions))
    parts, rules = _by_id(
        "formal_reference.deleted_parts", gold.formal_reference.deleted_parts, lambda i: i.condition_id
    )
    yield from rules
    items, rules = _by_id("comparison_items", mappings.comparison_items, lambda item: item.condition_id)
    yield from rules
    labels, rules = _by_id("gold_labels", mappings.gold_labels, lambda item: item.condition_id)
    yield from rules
    for condition in gold.conditions:
        known = condition.condition_id
        for name, place in (("deleted_parts", parts), ("comparison_items", items), ("gold_labels", labels)):
            if known not in place:
                yield f"condition {known!r} is not in {name}"
        part = parts.get(known)
        for key in ("normalized_condition", "source_text"):
            if part is not None and getattr(part, key) != getattr(condition, key):
                yield f"condition {known!r} has another {key} in conditions than in deleted_parts"
    for item in items.values():
        for route in (item.condition_by_condition, item.holistic_alignment):
            if route.condition_id != item.condition_id:
                yield f"comparison item {item.condition_id!r} holds a mapping of {route.condition_id!r}"


def _silentswap_faults(gold: SilentSwapGold) -> Iterable[str]:
    places = [(swap.localization.file, swap.localization.line_ranges) for swap in gold.swaps]
    for (first, (file, ranges)), (second, (other, others)) in combinations(enumerate(places), 2):
        for one in ranges:
            for two in others:
                if file == other and one.start <= two.end and two.start <= one.end:
                    yield (
                        f"swaps[{first}] lines {one.start}-{one.end} and swaps[{second}] lines {two.start}-{two.end} "
                        f"of {file!r} overlap"
                    )


def _swap_place_faults(gold: SilentSwapGold, files: Mapping[str, bytes]) -> Iterable[str]:
    counts = gold.source_line_counts or {}
    for index, swap in enumerate(gold.swaps):
        file = swap.localization.file
        if file not in files:
            yield f"swaps[{index}] is in {file!r}, which is not in the repository"
            continue
        lines = max(len(files[file].decode("utf-8", "replace").splitlines()), counts.get(file, 0))
        for place in swap.localization.line_ranges:
            if place.end > lines:
                yield f"swaps[{index}] lines {place.start}-{place.end} lie outside of {file!r}, which has {lines}"


def _feedbacktrace_faults(gold: FeedbackTraceGold, example: Example | None) -> Iterable[str]:
    yield from _repeated("evidence_ids", gold.evidence_ids)
    if example is not None:
        citable = {event.evidence_id for event in example.events}
        for cited in gold.evidence_ids:
            if cited not in citable:
                yield f"evidence id {cited!r} does not occur in the trace"


def _by_id(name: str, items: Iterable[_Item], key: Callable[[_Item], str]) -> tuple[dict[str, _Item], list[str]]:
    pairs = [(key(item), item) for item in items]
    return dict(pairs), list(_repeated(name, (known for known, _ in pairs)))


def _repeated(name: str, ids: Iterable[str]) -> Iterable[str]:
    seen: set[str] = set()
    for known in ids:
        if known in seen:
            yield f"{name} has {known!r} more than once"
        seen.add(known)
