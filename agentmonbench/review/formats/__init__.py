"""A report as text, Markdown, JSON, SARIF or HTML."""

from __future__ import annotations

import json
from typing import Literal

from agentmonbench.review._report import Report
from agentmonbench.review.formats._html import to_html
from agentmonbench.review.formats._markdown import to_markdown
from agentmonbench.review.formats._sarif import to_sarif
from agentmonbench.review.formats._text import to_text
from ebg.text import visible

__all__ = ["Format", "render"]

Format = Literal["text", "markdown", "json", "sarif", "html"]


def render(report: Report, form: Format, *, width: int = 100) -> str:
    """Return the report in a form, with a line end at its end and nothing that could steer a terminal.

    Args:
        report: the report.
        form: which form.
        width: columns of the text form.
    """
    if form == "json":
        return json.dumps(report.to_json(), indent=2) + "\n"
    if form == "sarif":
        return json.dumps(to_sarif(report), indent=2) + "\n"
    if form == "html":
        return to_html(report)
    return visible(to_markdown(report) if form == "markdown" else to_text(report, width=width))
