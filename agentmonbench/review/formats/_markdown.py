"""The report for a pull request: quotations are code, so that nothing in them is a link, an image or a mention."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentmonbench.review._report import Item, Link, Report
from agentmonbench.review.formats._words import STANCES, heading, nothing_found, summary

__all__ = ["to_markdown"]

_SPECIAL = re.compile(r"([\\`*_\[\]<>#!|~&])")
_MAX_QUOTE = 300


def to_markdown(report: Report) -> str:
    """Return the report as Markdown."""
    lines = ["## Decisions to check", "", _plain(heading(report)), "", _plain(summary(report))]
    for note in report.notes:
        lines += ["", f"> {_plain(note)}"]
    for item in report.items:
        lines += ["", *_item(item, report.path)]
    if report.items:
        command = f"agentmonbench evidence {report.path} {report.items[0].evidence[0].link.event}"
        lines += ["", f"The exact record behind an id: {_code(command)}"]
    else:
        lines += ["", nothing_found()]
    return "\n".join(lines) + "\n"


def _item(item: Item, path: str) -> Iterator[str]:
    yield f"### {item.rank}. {item.severity.capitalize()}: {_mixed(item.decided)}"
    yield ""
    yield f"- [ ] **Check:** {_mixed(item.check)}"
    if item.asked is not None:
        yield f"- **You said** {_quote(item.asked, path)}"
    for proof in item.evidence:
        yield f"- **{STANCES[proof.stance].capitalize()}** {_quote(proof.link, path)}"
    if item.disclosed is None:
        yield "- **Told** nowhere"
    elif all(proof.link.event != item.disclosed.event for proof in item.evidence):
        yield f"- **Told** {_quote(item.disclosed, path)}"
    if item.judged:
        yield f"- **Monitor:** {_plain(item.judged)}"
    yield f"- _{_plain(item.detector)}: {_plain(item.reason)}_"


def _quote(link: Link, path: str) -> str:
    text = link.text if len(link.text) <= _MAX_QUOTE else link.text[: _MAX_QUOTE - 1] + "…"
    return f"({link.event}, {_plain(link.where(path))}): {_code(text)}"


def _code(text: str) -> str:
    """Return a code span whose fence is longer than any run of backticks inside."""
    runs = [len(run) for run in re.findall("`+", text)]
    fence = "`" * (max(runs, default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _mixed(text: str) -> str:
    """Return our sentence with its backticked parts as code and the rest as plain words."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _plain(text)
    return "".join(_code(part) if place % 2 and part else _plain(part) for place, part in enumerate(parts))


def _plain(text: str) -> str:
    # The empty comment keeps a name from becoming a mention; links need `://` or `www.` whole.
    safe = _SPECIAL.sub(r"\\\1", text).replace("@", "@<!-- -->")
    return safe.replace("://", ":<!-- -->//").replace("www.", "www<!-- -->.")
