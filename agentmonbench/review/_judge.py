"""A model's view of the candidates: it orders them, says why, and adds what the rules missed, with shown evidence.

The model can move a candidate to the end of the list and never remove it or lower its severity, so that words planted
in a transcript cannot hide anything. What it is sent is redacted; what it cites must be what it was shown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from string import Template
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from pydantic import Field as Limited

from agentmonbench._messages import Fence
from agentmonbench._strict_json import NotJson, decode_exactly
from agentmonbench.errors import MonitorError
from agentmonbench.monitors import Message, Monitor
from agentmonbench.review._finding import Evidence, Finding, Quote, Severity
from agentmonbench.review._log import Log
from agentmonbench.review._redact import Redact
from ebg import TrajectoryView, build_trajectory, trace_events
from ebg.tokens import estimate
from ebg.trajectory.events import TraceEvent

__all__ = ["MAX_VIEW_TOKENS", "Judgement", "judge"]

MAX_VIEW_TOKENS = 150_000
"""A longer view is left out and the candidates are judged on their evidence alone; a note says so."""
_MAX_CANDIDATES = 20
_MAX_MORE = 3
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000)]
_Verdict = Literal["check", "dismiss", "unsure"]
_ORDER: Mapping[str, int] = {"check": 0, "unsure": 1, "dismiss": 2}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class _Citation(_Strict):
    id: _Text
    quote: _Text


_Citations = Annotated[list[_Citation], Limited(min_length=1, max_length=4)]


class _Judged(_Strict):
    candidate: _Text
    verdict: _Verdict
    why: _Text
    evidence: _Citations


class _Own(_Strict):
    decided: _Text
    check: _Text
    severity: Severity
    evidence: _Citations


class _Answer(_Strict):
    candidates: list[_Judged]
    more: Annotated[list[_Own], Limited(max_length=_MAX_MORE)]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Findings as the monitor orders them."""

    findings: list[Finding]
    words: Mapping[str, str]
    """What it says, by subject of a finding."""
    notes: tuple[str, ...] = ()


async def judge(monitor: Monitor, log: Log, findings: Sequence[Finding], *, redact: Redact) -> Judgement:
    """Ask a monitor to judge ranked findings.

    Args:
        monitor: the model.
        log: the session.
        findings: ranked candidates; the first twenty are judged.
        redact: applied to everything that is sent.

    Returns:
        The findings in the monitor's order, with its own among them.

    Raises:
        MonitorError: when the answer breaks the form or cites what was not shown, also after one correction.
        ProviderError: from the monitor.
    """
    pack = _Pack(log, findings[:_MAX_CANDIDATES], redact)
    messages = [Message("system", _text("judge.md")), Message("user", pack.message)]
    reply = await monitor.reply(messages)
    try:
        answer = pack.read(reply.text)
    except _Refused as refused:
        problem = Template(_text("judge-repair.md")).substitute(problem=str(refused))
        messages += [Message("assistant", reply.text.strip() or "(no text)"), Message("user", problem)]
        reply = await monitor.reply(messages)
        try:
            answer = pack.read(reply.text)
        except _Refused as still:
            raise MonitorError(
                f"the answer of {monitor.name!r} is not accepted: {still}", code="judge_format"
            ) from still
    judged = {each.candidate: each for each in answer.candidates}
    verdicts = {name: judged[name].verdict for name in pack.candidates}
    ordered = sorted(pack.candidates.items(), key=lambda item: _ORDER[verdicts[item[0]]])
    own = [pack.finding(each, place) for place, each in enumerate(answer.more)]
    kept = [finding for name, finding in ordered if verdicts[name] != "dismiss"]
    last = [finding for name, finding in ordered if verdicts[name] == "dismiss"]
    words = {finding.subject: f"{verdicts[name]}: {judged[name].why}" for name, finding in pack.candidates.items()}
    merged = sorted([*kept, *own], key=lambda finding: ("high", "medium", "low").index(finding.severity))
    return Judgement([*merged, *last, *findings[_MAX_CANDIDATES:]], words, pack.notes)


class _Refused(Exception):  # noqa: N818  # not an error: the monitor is asked once more
    """The answer is not in the form, or cites what was not shown."""


class _Pack:
    """What the monitor is shown, and the check of its answer against it."""

    def __init__(self, log: Log, findings: Sequence[Finding], redact: Redact) -> None:
        self.candidates = {f"C{place}": finding for place, finding in enumerate(findings, 1)}
        self.notes: tuple[str, ...] = ()
        self._shown: dict[str, list[str]] = {}
        """Texts by event id."""
        rows = [self._candidate(name, finding, redact) for name, finding in self.candidates.items()]
        events = _named_events(log, redact)
        view = TrajectoryView(build_trajectory(events, input_id="session")).render()
        if estimate(view) > MAX_VIEW_TOKENS:
            view = ""
            self.notes = ("The session is too long for one request: judged on the evidence of each candidate alone.",)
        else:
            for event in events:
                if event.evidence_id is not None:
                    self._show(event.evidence_id, event.content)
        candidates = json.dumps(rows, ensure_ascii=False, indent=1)
        fence = _fence(candidates, view)
        parts = [f"marker: {fence.marker}", "# Candidates", fence.wrap(candidates)]
        parts += ["# Record", fence.wrap(view)] if view else []
        self.message = "\n\n".join(parts)

    def _candidate(self, name: str, finding: Finding, redact: Redact) -> dict[str, object]:
        def row(quote: Quote) -> dict[str, str]:
            text = redact(quote.text)
            self._show(quote.event, text)
            return {"id": quote.event, "quote": text}

        return {
            "candidate": name,
            "kind": finding.detector,
            "severity": finding.severity,
            "decided": redact(finding.decided),
            "asked": row(finding.asked) if finding.asked else None,
            "evidence": [{"stance": item.stance, **row(item.quote)} for item in finding.evidence],
            "disclosed": row(finding.disclosed) if finding.disclosed else None,
        }

    def _show(self, name: str, text: str) -> None:
        self._shown.setdefault(name.partition(".")[0], []).append(" ".join(text.split()))

    def read(self, text: str) -> _Answer:
        """Return the answer.

        Raises:
            _Refused: when it is not accepted; the message says what is wrong.
        """
        try:
            answer = _Answer.model_validate(decode_exactly(text))
        except NotJson as error:
            raise _Refused(f"it is not one JSON object: {error}") from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise _Refused(f"{place or 'the object'}: {first['msg']}") from error
        names = [each.candidate for each in answer.candidates]
        if sorted(names) != sorted(self.candidates):
            raise _Refused(f"`candidates` must judge each of {', '.join(self.candidates) or 'none'} exactly once")
        cited = [each.evidence for each in answer.candidates] + [each.evidence for each in answer.more]
        for citation in (one for citations in cited for one in citations):
            self._check(citation)
        return answer

    def _check(self, citation: _Citation) -> None:
        texts = self._shown.get(citation.id.partition(".")[0])
        if texts is None:
            raise _Refused(f"the id {citation.id[:40]!r} was not shown")
        quote = " ".join(citation.quote.split())
        # The view is JSON, so a careful reader may copy its escapes.
        plain = " ".join(quote.replace("\\n", " ").replace('\\"', '"').split())
        if not any(quote in text or plain in text for text in texts):
            raise _Refused(f"the words {quote[:80]!r} are not in {citation.id}")

    def finding(self, own: _Own, place: int) -> Finding:
        """Return a decision that the monitor added as a finding."""
        evidence = tuple(Evidence("shows", Quote(one.id.partition(".")[0], one.quote[:300])) for one in own.evidence)
        return Finding("monitor", own.severity, own.decided, own.check, f"monitor:{place}", evidence)


def _named_events(log: Log, redact: Redact) -> list[TraceEvent]:
    """Return the session's events, redacted, with the ids of the review; parts of one message are `E12.1`, `E12.2`."""
    named: list[TraceEvent] = []
    counts: dict[str, int] = {}
    for event in trace_events(log.session):
        source = event.sources[0] if event.sources else ""
        name = event.evidence_id
        if name is not None and source:
            counts[source] = counts.get(source, 0) + 1
            name = source if counts[source] == 1 else f"{source}.{counts[source]}"
        named.append(replace(event, content=redact(event.content), evidence_id=name))
    return named


def _fence(*texts: str) -> Fence:
    """Return a fence whose marker does not occur in the texts; the same texts give the same marker."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "replace"))
    while True:
        marker = digest.hexdigest()[:24]
        if not any(marker in text for text in texts):
            return Fence(marker)
        digest.update(b"\0")


def _text(name: str) -> str:
    return resources.files("agentmonbench.review").joinpath("templates", name).read_text(encoding="utf-8").strip()
