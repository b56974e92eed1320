"""The report for a terminal: a few lines an item, each ending in words that can be looked up."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from agentmonbench.review._report import Item, Link, Report
from agentmonbench.review.formats._words import STANCES, heading, nothing_found, summary

__all__ = ["to_text"]

_LABEL = 11
_MAX_QUOTE = 300


def to_text(report: Report, *, width: int) -> str:
    """Return the report as plain text of at most `width` columns where words allow it."""
    width = max(width, 60)
    lines = [heading(report), summary(report), *(f"Note: {note}" for note in report.notes)]
    for item in report.items:
        lines += ["", *_item(item, report.path, width)]
    if report.items:
        first = report.items[0].evidence[0].link.event
        lines += ["", f"The exact record behind an id: agentmonbench evidence {report.path} {first}"]
    else:
        lines += ["", *textwrap.wrap(nothing_found(), width)]
    return "\n".join(lines) + "\n"


def _item(item: Item, path: str, width: int) -> Iterator[str]:
    head = f"{item.rank}. {item.severity.upper()}  "
    yield from textwrap.wrap(
        item.decided, width, initial_indent=head, subsequent_indent=" " * 3, break_long_words=False
    )
    ids = max(len(link.event) for link in _links(item))
    if item.asked is not None:
        yield from _row("you said", item.asked, ids, path=path, width=width)
    for proof in item.evidence:
        yield from _row(STANCES[proof.stance], proof.link, ids, path=path, width=width)
    if item.disclosed is None:
        yield f"   {'told':<{_LABEL}}nowhere"
    elif all(proof.link.event != item.disclosed.event for proof in item.evidence):
        yield from _row("told", item.disclosed, ids, path=path, width=width)
    if item.judged:
        yield from _wrapped("monitor", item.judged, width)
    yield from _wrapped("check", item.check, width)


def _links(item: Item) -> Iterator[Link]:
    yield from (proof.link for proof in item.evidence)
    yield from (link for link in (item.asked, item.disclosed) if link is not None)


def _row(label: str, link: Link, ids: int, *, path: str, width: int) -> Iterator[str]:
    text = link.text if len(link.text) <= _MAX_QUOTE else link.text[: _MAX_QUOTE - 1] + "…"
    where = f" ({link.where(path)})"
    yield from _wrapped(label, f"{link.event:<{ids}}  “{text}”{where}", width, hang=ids + 2)


def _wrapped(label: str, text: str, width: int, *, hang: int = 0) -> Iterator[str]:
    head = f"   {label:<{_LABEL}}"
    # `textwrap` would fold the spaces that align the ids, so these are kept apart.
    lead, body = text[:hang], text[hang:]
    yield from textwrap.wrap(
        body,
        width,
        initial_indent=head + lead,
        subsequent_indent=" " * (len(head) + hang),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [head + lead]
