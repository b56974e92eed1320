"""Relations between tasks: `precedes` by order, `references` by explicit mention (part 4.4), and file hand-overs.

References are looked for from the referring side: what prompts and invocations mention is collected first, then one
pass over the producers finds who wrote it. So the cost is linear in the text, whatever is mentioned.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from ebg.trajectory import _vocabulary as words
from ebg.trajectory._exchange import split_exchange
from ebg.trajectory._model import Ref, TaskRelation, TaskRelationType, TaskResolution, TraceEvidence

__all__ = ["Home", "Link", "find_references", "home_of", "link_order", "number_relations"]

_TYPED = re.compile(
    r"\b(?P<type>task|job|run|execution|trial|shard)[\s_-]*(?:id|identifier|no\.?|number|#)[\"'`]?\s*[:=#]?\s*[\"'`]?"
    r"(?P<value>[A-Za-z0-9](?:[\w.:-]*\w)?)",
    re.IGNORECASE,
)
_COMMIT = re.compile(r"\bcommit\s+(?:(?:id|hash|sha)\s*[:=]?\s*)?[`\"'(]?(?P<value>[0-9a-f]{7,40})\b", re.IGNORECASE)
_LINK = re.compile(
    r"https?://[^\s<>\"'`)\]]*?(?:#issuecomment-\d+|#discussion_r\d+|#pullrequestreview-\d+|/commit/[0-9a-f]{7,40}"
    r"|/actions/runs/\d+)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"\n]{20,2000})\"|“([^”\n]{20,2000})”|^[ \t]*>[ \t]?(.{20,2000})$", re.MULTILINE)
_HAS_WORDS = re.compile(r"\s|[\u3040-\u30ff\u3400-\u9fff]")
_LIST_ITEM = re.compile(r"^[ \t]*(?:#{1,6}\s+|\*\*)?(?P<label>\d{1,3}|[A-Za-z])[.)]\s", re.MULTILINE)
_CJK_NUMBER = {numeral: str(number) for number, numeral in enumerate("一二三四五六七八九十", start=1)}
_BLOCK = 10
"""A quotation of 20 characters or more always covers a whole aligned block of this many."""

Span = tuple[int, int]


class Home(NamedTuple):
    """A task that an evidence belongs to, and the range of its content that does (None: all of it)."""

    task: str
    span: Span | None


@dataclass(slots=True)
class Link:
    """A relation before it has an id."""

    source: str
    type: TaskRelationType
    target: str
    resolution: TaskResolution
    support: list[Ref] = field(default_factory=list)


class _Mention(NamedTuple):
    key: str
    item: TraceEvidence
    task: str
    span: Span


class _Producers:
    """Who produced a thing, in order of the input."""

    def __init__(self) -> None:
        self._found: list[_Mention] = []
        self._places: list[int] = []
        self._ambiguous_from: int | None = None

    def add(self, producer: _Mention) -> None:
        if self._found and self._ambiguous_from is None and producer.task != self._found[0].task:
            self._ambiguous_from = producer.item.event_index
        self._found.append(producer)
        self._places.append(producer.item.event_index)

    def only_before(self, mention: _Mention) -> _Mention | None:
        """Return the latest producer before the mention, if one single other task produced it until then."""
        place = mention.item.event_index
        if self._ambiguous_from is not None and self._ambiguous_from < place:
            return None
        count = bisect_left(self._places, place)
        found = self._found[count - 1] if count else None
        return found if found is not None and found.task != mention.task else None


def link_order(firsts: Sequence[tuple[str, TraceEvidence]]) -> list[Link]:
    """Link tasks that follow each other; `firsts` has each task with its first evidence, in order of tasks."""
    places: dict[int, list[str]] = {}
    evidence: dict[int, TraceEvidence] = {}
    for task, item in firsts:
        places.setdefault(item.event_index, []).append(task)
        evidence[item.event_index] = item
    order = sorted(places)
    return [
        Link(places[a][0], "precedes", places[b][0], "position", [Ref(evidence[a].id), Ref(evidence[b].id)])
        for a, b in pairwise(order)
        if len(places[a]) == len(places[b]) == 1  # tasks that start together have no order
    ]


def find_references(evidence: Sequence[TraceEvidence], homes: Mapping[str, Sequence[Home]]) -> list[Link]:
    """Return the three explicit forms of the reference rules: ids, quotations, item labels."""
    return [*_by_id(evidence, homes), *_by_quotation(evidence, homes), *_by_label(evidence, homes)]


def number_relations(links: Iterable[Link]) -> tuple[TaskRelation, ...]:
    """Return one relation for each (source, type, target), sorted and numbered; the first link names the resolution.

    Links of another resolution add their support only if both are of the reference rules: a relation that these give
    stays what they give.
    """
    merged: dict[tuple[str, str, str], Link] = {}
    for link in links:
        known = merged.setdefault((link.source, link.type, link.target), link)
        if known is not link and (link.resolution != "file" or known.resolution == "file"):
            known.support.extend(ref for ref in link.support if ref not in known.support)
    return tuple(
        TaskRelation(
            id=f"R{number:04d}",
            source=link.source,
            type=link.type,
            target=link.target,
            support=tuple(sorted(link.support, key=lambda ref: (int(ref.evidence[1:]), ref.span or (0, 0)))),
            resolution=link.resolution,
        )
        for number, (_, link) in enumerate(sorted(merged.items()), start=1)
    )


def home_of(homes: Sequence[Home], position: int) -> str | None:
    """Return the task that a place in an evidence belongs to."""
    for home in homes:
        if home.span is None or home.span[0] <= position < home.span[1]:
            return home.task
    return homes[0].task if homes else None


def _by_id(evidence: Sequence[TraceEvidence], homes: Mapping[str, Sequence[Home]]) -> Iterator[Link]:
    mentions = [
        _Mention(key, item, task, span)
        for item in evidence
        for start, text in _referring_text(item)
        for key, span in _keys(text, start)
        if (task := home_of(homes.get(item.id, ()), span[0])) is not None
    ]
    wanted = {mention.key for mention in mentions}
    if not wanted:
        return
    producers: dict[str, _Producers] = {}
    for item in evidence:
        for start, text in _produced_text(item):
            for key, span in _keys(text, start):
                if key in wanted and (task := home_of(homes.get(item.id, ()), span[0])) is not None:
                    producers.setdefault(key, _Producers()).add(_Mention(key, item, task, span))
    for mention in mentions:
        if mention.key in producers and (found := producers[mention.key].only_before(mention)) is not None:
            yield _link(mention, found, "id")


def _link(mention: _Mention, producer: _Mention, resolution: TaskResolution) -> Link:
    support = [Ref(producer.item.id, producer.span), Ref(mention.item.id, mention.span)]
    return Link(mention.task, "references", producer.task, resolution, support)


def _referring_text(item: TraceEvidence) -> Iterator[tuple[int, str]]:
    if item.event_type == "user_prompt":
        yield 0, item.content
    elif item.event_type == "tool_exchange":
        yield 0, split_exchange(item.content).invocation


def _produced_text(item: TraceEvidence) -> Iterator[tuple[int, str]]:
    if item.event_type == "assistant_response":
        yield 0, item.content
    elif item.event_type == "tool_exchange":
        invocation, output = split_exchange(item.content)
        yield len(invocation), output


def _keys(text: str, offset: int) -> Iterator[tuple[str, Span]]:
    for found in _TYPED.finditer(text):
        value = found["value"]
        if any(char.isdigit() for char in value) and not value.isdigit():
            yield f"{found['type'].casefold()} {value.casefold()}", _moved(found.span("value"), offset)
    for found in _COMMIT.finditer(text):
        yield f"commit {found['value'].casefold()}", _moved(found.span("value"), offset)
    for found in _LINK.finditer(text):
        yield found.group().casefold(), _moved(found.span(), offset)


def _moved(span: Span, offset: int) -> Span:
    return span[0] + offset, span[1] + offset


def _by_quotation(evidence: Sequence[TraceEvidence], homes: Mapping[str, Sequence[Home]]) -> Iterator[Link]:
    quotes = list(_quotes(evidence, homes))
    blocks: dict[str, list[int]] = {}
    for number, quote in enumerate(quotes):
        for start in range(_BLOCK):
            blocks.setdefault(quote.key[start : start + _BLOCK], []).append(number)
    if not blocks:
        return
    producers: dict[str, _Producers] = {}
    for item in evidence:
        home = homes.get(item.id, ())
        if item.event_type != "assistant_response" or not home:
            continue
        folded = _folded(item.content)
        near = {number for at in range(0, len(folded), _BLOCK) for number in blocks.get(folded[at : at + _BLOCK], ())}
        for key in sorted({quotes[number].key for number in near}):
            if key in folded:
                span = _quoted_span(item.content, key)
                task = home_of(home, span[0]) or home[0].task
                producers.setdefault(key, _Producers()).add(_Mention(key, item, task, span))
    for quote in quotes:
        if quote.key in producers and (found := producers[quote.key].only_before(quote)) is not None:
            yield _link(quote, found, "quotation")


def _quotes(evidence: Sequence[TraceEvidence], homes: Mapping[str, Sequence[Home]]) -> Iterator[_Mention]:
    for item in evidence:
        if item.event_type != "user_prompt":
            continue
        for found in _QUOTED.finditer(item.content):
            group = found.lastindex or 0
            folded = _folded(found[group])
            task = home_of(homes.get(item.id, ()), found.start())
            if task is not None and len(folded) >= 20 and _HAS_WORDS.search(folded):
                yield _Mention(folded, item, task, found.span(group))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _quoted_span(text: str, folded: str) -> Span:
    found = re.search(r"\s+".join(re.escape(word) for word in folded.split()), text, re.IGNORECASE)
    return found.span() if found else (0, len(text))  # case folding can change lengths, as with the German sharp s


def _by_label(evidence: Sequence[TraceEvidence], homes: Mapping[str, Sequence[Home]]) -> Iterator[Link]:
    since: list[TraceEvidence] = []
    for item in evidence:
        if item.event_type == "assistant_response":
            since.append(item)
        if item.event_type != "user_prompt":
            continue
        labels = list(_labels(item.content))
        items: dict[str, list[tuple[TraceEvidence, Span]]] = {}
        for response in since if labels else ():
            for found in _LIST_ITEM.finditer(response.content):
                items.setdefault(found["label"].casefold(), []).append((response, found.span("label")))
        for label, span in labels:
            task = home_of(homes.get(item.id, ()), span[0])
            if len(items.get(label, ())) != 1 or task is None:
                continue
            response, place = items[label][0]
            producer = home_of(homes.get(response.id, ()), place[0])
            if producer is not None and producer != task:
                yield Link(task, "references", producer, "label", [Ref(response.id, place), Ref(item.id, span)])
        since = []


def _labels(text: str) -> Iterator[tuple[str, Span]]:
    alone = words.ONLY_LABEL.match(text)
    if alone:
        yield alone[1].casefold(), alone.span(1)
        return
    for found in words.ITEM_LABEL.finditer(text):
        if found["hash"] and re.search(r"\b(?:issue|pr|pull request)\s*$", text[: found.start()], re.IGNORECASE):
            continue
        group = next(name for name in "abc" if found[name])
        yield _CJK_NUMBER.get(found[group], found[group]).casefold(), found.span(group)
