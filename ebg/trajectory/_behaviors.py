"""Form Demand-Action-Response behaviors from a session's events (part 4.2).

A user message opens a group that runs to the next user message. A group with agent events gives one behavior, or one
for each demand of the message when every demand finds events of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ebg.trajectory._demands import Demands, split_demands
from ebg.trajectory._model import Ref, TraceEvidence
from ebg.trajectory._signals import Signal, match, text_signal, tool_signal

__all__ = ["Draft", "Group", "form_behaviors", "group_events"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。\uff01\uff1f])\s*|\n+")
_MAX_SPLIT_RESPONSE = 2_000
_MAX_CANDIDATES = 64
"""Tool groups compared with an event for each thing they share; keeps grouping near linear."""


@dataclass(slots=True)
class Group:
    """A user message and what followed it."""

    prompt: TraceEvidence
    standing: list[TraceEvidence] = field(default_factory=list)
    """User messages directly before it that got no reply."""
    agent: list[TraceEvidence] = field(default_factory=list)
    """Tool and assistant events, in order."""
    context: list[TraceEvidence] = field(default_factory=list)
    """System events."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A behavior before it has an id and a task."""

    demand: tuple[Ref, ...]
    action: tuple[str, ...]
    response: tuple[Ref, ...]


def group_events(evidence: Iterable[TraceEvidence]) -> tuple[list[TraceEvidence], list[Group], list[TraceEvidence]]:
    """Return (events before the first user message, groups with agent events, user messages left without a reply)."""
    before: list[TraceEvidence] = []
    groups: list[Group] = []
    waiting: list[Group] = []
    for item in evidence:
        if item.event_type == "user_prompt":
            waiting.append(Group(item))
        elif item.event_type == "system":
            (waiting[-1].context if waiting else groups[-1].context if groups else before).append(item)
        elif waiting:
            group = waiting.pop()
            for earlier in waiting:
                group.standing.append(earlier.prompt)
                group.context[:0] = earlier.context
            waiting.clear()
            group.agent.append(item)
            groups.append(group)
        elif groups:
            groups[-1].agent.append(item)
        else:
            before.append(item)
    trailing = [item for group in waiting for item in (group.prompt, *group.context)]
    return before, groups, trailing


def form_behaviors(group: Group, *, shared: bool = True) -> list[Draft]:
    """Return the behaviors of a group in the order of its demands; one unless every demand has events of its own.

    Args:
        group: a user message with agent events.
        shared: attach the preamble of a list to each demand (the reference leaves it out).
    """
    text = group.prompt.content
    demands = split_demands(text)
    owners = _assign(group, text, demands) if demands.parts else None
    if owners is None:
        return [_draft((Ref(group.prompt.id),), _whole(group.agent))]
    common = tuple(Ref(group.prompt.id, span) for span in demands.shared) if shared else ()
    return [
        _draft((*common, Ref(group.prompt.id, span)), [unit for unit, owner in owners if owner == number])
        for number, span in enumerate(demands.parts)
    ]


@dataclass(slots=True)
class _Unit:
    """Events, or a sentence of one, that go to a demand together."""

    items: list[TraceEvidence]
    signal: Signal
    span: tuple[int, int] | None = None


def _whole(items: Iterable[TraceEvidence]) -> list[_Unit]:
    return [_Unit([item], Signal()) for item in items]


def _draft(demand: tuple[Ref, ...], units: list[_Unit]) -> Draft:
    parts = sorted(
        ((item, unit.span) for unit in units for item in unit.items),
        key=lambda part: (part[0].event_index, part[1] or (0, 0)),
    )
    return Draft(
        demand,
        tuple(item.id for item, _ in parts if item.event_type == "tool_exchange"),
        tuple(Ref(item.id, span) for item, span in parts if item.event_type == "assistant_response"),
    )


def _assign(group: Group, text: str, demands: Demands) -> list[tuple[_Unit, int]] | None:
    """Return each unit with the number of its demand, or None when a demand stays without events."""
    signals = [text_signal(text[start:end]) for start, end in demands.parts]
    units = _tool_groups(item for item in group.agent if item.event_type == "tool_exchange")
    for item in group.agent:
        if item.event_type == "assistant_response":
            units.extend(_response_units(item, signals))
    owners = [_best(signals, unit.signal, loose=unit.items[0].event_type == "assistant_response") for unit in units]
    places: dict[int, list[int]] = {}
    for unit, owner in zip(units, owners, strict=True):
        if owner is not None:
            places.setdefault(owner, []).extend(item.event_index for item in unit.items)
    if len(places) < len(signals):
        return None
    for sorted_places in places.values():
        sorted_places.sort()
    return [
        (unit, owner if owner is not None else _nearest(places, unit.items[0].event_index))
        for unit, owner in zip(units, owners, strict=True)
    ]


def _nearest(places: dict[int, list[int]], position: int) -> int:
    def distance(number: int) -> int:
        sorted_places = places[number]
        at = bisect_left(sorted_places, position)
        return min(abs(place - position) for place in sorted_places[max(at - 1, 0) : at + 1])

    return min(places, key=lambda number: (distance(number), number))


def _best(candidates: Sequence[Signal], signal: Signal, *, loose: bool = False) -> int | None:
    return _unique_best(
        [(match(candidate, signal, loose=loose), number) for number, candidate in enumerate(candidates)]
    )


def _unique_best(scores: Iterable[tuple[int, int]]) -> int | None:
    best, winner = 0, None
    for score, number in scores:
        if score > best:
            best, winner = score, number
        elif score == best:
            winner = None
    return winner


def _tool_groups(items: Iterable[TraceEvidence]) -> list[_Unit]:
    """Group tool events greedily: each joins the one group it matches best (part 4.2, step 4)."""
    groups: list[_Unit] = []
    holders: dict[str, list[int]] = {}
    for item in items:
        signal = tool_signal(item.tool_name or "", item.content)
        keys = [*(f"o:{key}" for key in signal.objects), *(f"t:{key}" for key in signal.terms)]
        near = sorted({number for key in keys for number in holders.get(key, ())[:_MAX_CANDIDATES]})
        winner = _unique_best((match(groups[number].signal, signal), number) for number in near)
        if winner is None:
            winner = len(groups)
            groups.append(_Unit([], Signal()))
        groups[winner].items.append(item)
        groups[winner].signal.absorb(signal)
        for key in keys:
            held = holders.setdefault(key, [])
            if len(held) < _MAX_CANDIDATES and winner not in held:
                held.append(winner)
    return groups


def _response_units(item: TraceEvidence, demands: Sequence[Signal]) -> list[_Unit]:
    """Return a response whole, or by sentences when these speak of at least two demands (part 4.2, step 4)."""
    text = item.content
    whole = [_Unit([item], text_signal(text))]
    if len(text) > _MAX_SPLIT_RESPONSE or "```" in text:
        return whole
    units = [_Unit([item], text_signal(text[start:end]), (start, end)) for start, end in _sentences(text)]
    owners = [_best(demands, unit.signal, loose=True) for unit in units]
    if len({owner for owner in owners if owner is not None}) < 2:
        return whole
    matched = [number for number, owner in enumerate(owners) if owner is not None]
    for number, unit in enumerate(units):
        nearest = min(matched, key=lambda other: (abs(other - number), other))
        unit.signal = units[nearest].signal
    return units


def _sentences(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for end, after in [*((m.start(), m.end()) for m in _SENTENCE_END.finditer(text)), (len(text), len(text))]:
        if text[start:end].strip():
            left = len(text[start:end]) - len(text[start:end].lstrip())
            spans.append((start + left, start + len(text[start:end].rstrip())))
        start = after
    return spans
