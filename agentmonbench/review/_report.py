"""The result of a review as data: redacted when it is made, so that no later step can let anything slip."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agentmonbench.review._finding import SEVERITIES, Finding, Quote, Severity, Stance
from agentmonbench.review._log import Log
from agentmonbench.review._redact import Redact
from agentmonbench.review.detectors import DETECTORS

__all__ = ["SCHEMA", "Item", "Link", "Proof", "Report", "build_report"]

SCHEMA = "agentmonbench.review/1"
_MAX_RECORD = 4_000
_REASONS = {detector.name: detector.reason for detector in DETECTORS}


@dataclass(frozen=True, slots=True)
class Link:
    """A quotation that leads to its record."""

    event: str
    """Id for `agentmonbench evidence`."""
    speaker: str
    """`human`, `model`, `tool`, ..."""
    file: str
    line: int | None
    pointer: str
    """JSON pointer inside the line or document."""
    text: str
    """On one line."""

    def where(self, path: str) -> str:
        """Return the place for a person who has `path` before them: the file is named only if it is another one."""
        place = f"line {self.line}" if self.line is not None else self.pointer or "the whole file"
        own = self.file == path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        return place if own else f"{self.file}, {place}"


@dataclass(frozen=True, slots=True)
class Proof:
    """Evidence of an item."""

    stance: Stance
    link: Link


@dataclass(frozen=True, slots=True)
class Item:
    """One decision to check."""

    rank: int
    """1-based."""
    fingerprint: str
    """Stays the same when the same session is reviewed again."""
    detector: str
    reason: str
    severity: Severity
    decided: str
    check: str
    asked: Link | None
    evidence: tuple[Proof, ...]
    disclosed: Link | None
    judged: str | None = None
    """What the monitor says of it; None when there is no monitor."""


@dataclass(frozen=True, slots=True)
class Report:
    """A review."""

    path: str
    session: str
    agent: str
    format: str
    started: str | None
    ended: str | None
    events: int
    statements: int
    """Messages, answers and refusals of the person."""
    gaps: Mapping[str, int]
    """What is missing from the record, by kind."""
    items: tuple[Item, ...]
    total: Mapping[Severity, int]
    """All candidates by severity, those that are not listed included."""
    records: Mapping[str, str] = field(default_factory=dict)
    """Words of every event that an item quotes, by id, at most 4,000 characters of each."""
    monitor: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """Number of all candidates."""
        return sum(self.total.values())

    def reaches(self, severity: Severity) -> bool:
        """Return whether a candidate is at or above `severity`, listed or not."""
        return any(self.total[each] for each in SEVERITIES[: SEVERITIES.index(severity) + 1])

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {"schema": SCHEMA, **asdict(self)}


def build_report(
    log: Log,
    findings: Sequence[Finding],
    *,
    path: str,
    top: int,
    redact: Redact,
    monitor: str | None = None,
    judged: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> Report:
    """Return the report of ranked findings.

    Args:
        log: the session.
        findings: all candidates, ranked.
        path: where the transcript is, for links.
        top: how many items are listed.
        redact: applied to every text of the session.
        monitor: name of the model that judged, if one did.
        judged: its words by subject of a finding.
        notes: what every reader must know.
    """
    session = log.session
    items = tuple(
        _item(log, finding, rank, redact, (judged or {}).get(finding.subject))
        for rank, finding in enumerate(findings[:top], 1)
    )
    total = Counter(finding.severity for finding in findings)
    return Report(
        path=redact(path),
        session=redact(session.id),
        agent=f"{session.agent} {session.agent_version}" if session.agent_version else session.agent,
        format=session.format,
        started=session.started,
        ended=session.ended,
        events=len(session.events),
        statements=len(log.said),
        gaps=dict(sorted(Counter(gap.kind for gap in session.gaps).items())),
        items=items,
        records={event: _words(log, event, redact) for event in _quoted(log, items)},
        total={severity: total[severity] for severity in SEVERITIES},
        monitor=monitor,
        notes=tuple(redact(note) for note in notes),
    )


def _item(log: Log, finding: Finding, rank: int, redact: Redact, judged: str | None) -> Item:
    def words(text: str) -> str:
        folder = (log.session.cwd or "").rstrip("/")
        return redact(_one_line(text.replace(f"{folder}/", "") if folder else text))

    def link(quote: Quote | None) -> Link | None:
        return _link(log, quote, redact) if quote is not None else None

    return Item(
        rank=rank,
        fingerprint=_fingerprint(log, finding),
        detector=finding.detector,
        reason=_REASONS.get(finding.detector, "The monitor's own finding."),
        severity=finding.severity,
        decided=words(finding.decided),
        check=words(finding.check),
        asked=link(finding.asked),
        evidence=tuple(Proof(item.stance, _link(log, item.quote, redact)) for item in finding.evidence),
        disclosed=link(finding.disclosed),
        judged=redact(_one_line(judged)) if judged else None,
    )


def _link(log: Log, quote: Quote, redact: Redact) -> Link:
    event = log.by_id[quote.event]
    return Link(
        event=event.id,
        speaker=event.actor,
        file=redact(event.ref.file),
        line=event.ref.line,
        pointer=redact(event.ref.pointer),
        text=redact(_one_line(quote.text)),
    )


def _quoted(log: Log, items: Sequence[Item]) -> list[str]:
    links = [proof.link for item in items for proof in item.evidence]
    links += [link for item in items for link in (item.asked, item.disclosed) if link is not None]
    return sorted({link.event for link in links}, key=lambda event: log.by_id[event].seq)


def _words(log: Log, name: str, redact: Redact) -> str:
    """Return what an event holds, for people: of a call its arguments, else its text."""
    event = log.by_id[name]
    text = event.text
    if event.call is not None:
        arguments = event.call.arguments or ({"input": event.call.raw} if event.call.raw else {})
        lines = [f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in arguments.items()]
        text = "\n".join([event.call.name, *lines])
    text = redact(text)  # before it is cut, so that no half of a secret is left
    return text if len(text) <= _MAX_RECORD else text[:_MAX_RECORD] + " […]"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _fingerprint(log: Log, finding: Finding) -> str:
    ref = log.by_id[finding.evidence[0].quote.event].ref
    place = f"{finding.detector}\0{log.session.id}\0{ref.file}\0{ref.line}\0{ref.pointer}\0{finding.subject}"
    return hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:16]
