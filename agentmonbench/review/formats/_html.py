"""The report as one self-contained page without scripts; the template engine escapes every word of the session."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from agentmonbench.review._report import Report
from agentmonbench.review.formats._words import STANCES, heading, nothing_found, summary
from ebg.text import visible

if TYPE_CHECKING:
    import jinja2

__all__ = ["to_html"]


def to_html(report: Report) -> str:
    """Return the page."""
    return (
        _environment()
        .get_template("review.html.j2")
        .render(
            report=report,
            heading=heading(report),
            summary=summary(report),
            stances=STANCES,
            nothing=nothing_found(),
            css=_resource("agentmonbench.report", "report.css") + _resource("agentmonbench.review", "review.css"),
        )
    )


def _resource(package: str, name: str) -> str:
    return resources.files(package).joinpath("templates", name).read_text(encoding="utf-8")


def _mixed(text: str) -> list[tuple[bool, str]]:
    """Return the parts of our sentence, each with whether it stands in backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return [(False, text)]
    return [(place % 2 == 1, part) for place, part in enumerate(parts) if part]


@cache
def _environment() -> jinja2.Environment:
    import jinja2
    from markupsafe import Markup

    def finalize(value: object) -> object:
        # Markup is our own: macros and the style sheets. Everything else is shown character by character.
        return value if isinstance(value, Markup) else visible(str(value))

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: _resource("agentmonbench.review", name)),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["mixed"] = _mixed
    return environment
