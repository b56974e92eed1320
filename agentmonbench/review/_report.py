"""The result of a review as data: redacted when it is made, so that no later step can let anything slip."""

from __future__ import annotations

import hashlib
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

    @property
    def place(self) -> str:
        """File and line, or file and JSON pointer."""
        if self.line is not None:
            return f"{self.file}:{self.line}"
        return f"{self.file}#{self.pointer}" if self.pointer else self.file


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
    monitor: str | None = None
    notes: tuple[str, ...] = field(default=())

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


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _fingerprint(log: Log, finding: Finding) -> str:
    ref = log.by_id[finding.evidence[0].quote.event].ref
    place = f"{finding.detector}\0{log.session.id}\0{ref.file}\0{ref.line}\0{ref.pointer}\0{finding.subject}"
    return hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:16]
