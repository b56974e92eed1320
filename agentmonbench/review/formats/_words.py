"""The sentences that all forms of a report share."""

from __future__ import annotations

from agentmonbench.review._finding import SEVERITIES, Stance
from agentmonbench.review._report import Report
from agentmonbench.review.detectors import DETECTORS

__all__ = ["STANCES", "gaps", "heading", "nothing_found", "summary"]

STANCES: dict[Stance, str] = {"shows": "shows", "contradicts": "against"}


def heading(report: Report) -> str:
    """Return the line that names the session."""
    when = f" · {report.started[:16].replace('T', ' ')}" if report.started else ""
    return f"Session {report.session} · {report.agent}{when}"


def summary(report: Report) -> str:
    """Return the line with the counts."""
    parts = [f"{report.total[severity]} {severity}" for severity in SEVERITIES if report.total[severity]]
    count = f"{report.found} decision{'' if report.found == 1 else 's'} to check"
    listed = f", the first {len(report.items)} are listed (--top)" if report.found > len(report.items) else ""
    read = (
        f"{report.events} events and {report.statements} message{'' if report.statements == 1 else 's'} of yours read"
    )
    lost = f"; missing from the record: {gaps(report)}" if report.gaps else ""
    judge = f"; judged by {report.monitor}" if report.monitor else ""
    return f"{count}{' (' + ', '.join(parts) + ')' if parts else ''}{listed}. {read}{lost}{judge}."


def gaps(report: Report) -> str:
    """Return what is missing from the record, in words."""
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in report.gaps.items())


def nothing_found() -> str:
    """Return what an empty list means."""
    return (
        f"None of the {len(DETECTORS)} detectors found anything. They see what a record can show without a model;"
        f" that is no"
        " proof that nothing was decided for you."
    )
