"""All detectors over a session, and their findings in the order in which a person should read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentmonbench.review._finding import SEVERITIES, Detector, Finding
from agentmonbench.review._log import Log
from agentmonbench.review.detectors import DETECTORS

__all__ = ["find_decisions", "rank"]


def find_decisions(log: Log, detectors: Sequence[Detector] = DETECTORS) -> list[Finding]:
    """Return the decision candidates of a session, most worth checking first."""
    return rank(log, (finding for detector in detectors for finding in detector.find(log)), detectors)


def rank(log: Log, findings: Iterable[Finding], detectors: Sequence[Detector] = DETECTORS) -> list[Finding]:
    """Return findings in order: by severity, then by detector, told nowhere before told, later before earlier.

    Of several with one subject the first stays. One detector gives at most two findings before every other has had
    its turn at the same severity, so that one habit of an agent does not fill the list.
    """
    order = {detector.name: place for place, detector in enumerate(detectors)}

    def key(finding: Finding) -> tuple[int, int, bool, int]:
        last = max(log.by_id[item.quote.event].seq for item in finding.evidence)
        return (
            SEVERITIES.index(finding.severity),
            order.get(finding.detector, len(order)),
            finding.disclosed is not None,
            -last,
        )

    kept: dict[str, Finding] = {}
    for finding in sorted(findings, key=key):
        kept.setdefault(finding.subject, finding)
    counts: dict[tuple[str, str], int] = {}
    places: list[tuple[int, int, int, Finding]] = []
    for place, finding in enumerate(kept.values()):
        seen = counts.get((finding.detector, finding.severity), 0)
        counts[finding.detector, finding.severity] = seen + 1
        places.append((SEVERITIES.index(finding.severity), seen // 2, place, finding))
    return [finding for *_, finding in sorted(places, key=lambda item: item[:3])]
