"""The report as SARIF 2.1.0, for code hosts and editors that show findings of tools."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import quote

from agentmonbench.review._finding import Severity
from agentmonbench.review._report import Item, Link, Report
from agentmonbench.review.detectors import DETECTORS
from agentmonbench.review.formats._words import STANCES, summary

__all__ = ["to_sarif"]

_LEVELS: dict[Severity, str] = {"high": "error", "medium": "warning", "low": "note"}
Json = dict[str, Any]


def to_sarif(report: Report) -> Json:
    """Return the report as a SARIF log of one run."""
    used = {item.detector: item.reason for item in report.items}
    rules = {detector.name: detector.reason for detector in DETECTORS} | used
    names = list(rules)
    folder = report.path.rsplit("/", 1)[0] + "/" if "/" in report.path else ""
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "agentmonbench review",
                        **_version(),
                        "rules": [{"id": name, "shortDescription": {"text": reason}} for name, reason in rules.items()],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [
                            {"level": "note", "message": {"text": text}} for text in (summary(report), *report.notes)
                        ],
                    }
                ],
                "results": [_result(item, names.index(item.detector), folder) for item in report.items],
            }
        ],
    }


def _version() -> Json:
    try:
        return {"version": version("agentmonbench")}
    except PackageNotFoundError:  # run from a checkout that is not installed
        return {}


def _result(item: Item, rule: int, folder: str) -> Json:
    asked = f" You said: “{item.asked.text}”" if item.asked else ""
    judged = f" Monitor: {item.judged}" if item.judged else ""
    related = [(STANCES[proof.stance], proof.link) for proof in item.evidence]
    related += [(label, link) for label, link in (("you said", item.asked), ("told", item.disclosed)) if link]
    return {
        "ruleId": item.detector,
        "ruleIndex": rule,
        "level": _LEVELS[item.severity],
        "rank": {"high": 90.0, "medium": 60.0, "low": 30.0}[item.severity],
        "message": {"text": f"{item.decided} Check: {item.check}{asked}{judged}"},
        "locations": [_location(item.evidence[0].link, folder)],
        "relatedLocations": [
            {"id": place, "message": {"text": f"{label} ({link.event}): {link.text}"}, **_location(link, folder)}
            for place, (label, link) in enumerate(related, 1)
        ],
        "partialFingerprints": {"agentmonbenchReview/v1": item.fingerprint},
    }


def _location(link: Link, folder: str) -> Json:
    place: Json = {"artifactLocation": {"uri": quote(folder + link.file, safe="/~!")}}
    if link.line is not None:
        place["region"] = {"startLine": link.line}
    name = link.event if not link.pointer else f"{link.event} {link.pointer}"
    return {"physicalLocation": place, "logicalLocations": [{"name": name, "kind": "event"}]}
