"""Everyday review of a session: what the agent decided for a person, and where each decision can be seen."""

from agentmonbench.review._finding import SEVERITIES, Detector, Evidence, Finding, Quote, Severity
from agentmonbench.review._log import Log
from agentmonbench.review._rank import find_decisions
from agentmonbench.review._redact import Redact, keep, redact_session, redactor
from agentmonbench.review._report import Item, Link, Proof, Report, build_report
from agentmonbench.review.detectors import DETECTORS
from agentmonbench.review.formats import Format, render

__all__ = [
    "DETECTORS",
    "SEVERITIES",
    "Detector",
    "Evidence",
    "Finding",
    "Format",
    "Item",
    "Link",
    "Log",
    "Proof",
    "Quote",
    "Redact",
    "Report",
    "Severity",
    "build_report",
    "find_decisions",
    "keep",
    "redact_session",
    "redactor",
    "render",
]
