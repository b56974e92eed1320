"""`report.html`: one self-contained page made from a run directory's tables and details.

Every text from a model, a repository or a session is escaped by the template engine; control and direction-changing
characters are shown as marks, so that nothing can hide. The page carries no script and a policy that forbids any.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from agentmonbench.metrics import metrics_of
from agentmonbench.report._details import Detail
from ebg.text import visible

if TYPE_CHECKING:
    import jinja2

    from agentmonbench._tables import Table

__all__ = ["render_report"]


def render_report(
    *, title: str, lead: str, notes: Sequence[str], tables: Sequence[Table], details: Sequence[Detail], footer: str
) -> str:
    """Return the page.

    Args:
        title: heading of the page.
        lead: one sentence under it: what was run.
        notes: warnings that every reader must see.
        tables: one a subset.
        details: one an example, method and monitor, in the order to show.
        footer: versions and fingerprints.
    """
    template = _environment().get_template("report.html.j2")
    css = _resource("report.css")
    return template.render(
        title=title,
        lead=lead,
        notes=notes,
        tables=tables,
        details=[_shown(detail) for detail in details],
        footer=footer,
        css=css,
    )


def _shown(detail: Detail) -> dict[str, object]:
    official = [metric.name for metric in metrics_of(detail.subset, official=True)]
    kind = "tokens" if detail.tokens_reported else "tokens (estimated)"
    cost = "" if not detail.cost_usd else f", ${detail.cost_usd:.4f}"
    work = f"{detail.requests} request{'s' if detail.requests != 1 else ''}, {detail.tokens:,} {kind}{cost}"
    return {
        **{name: getattr(detail, name) for name in ("example_id", "title", "monitor", "method", "repeat", "failure")},
        "anchor": f"{detail.example_id}-{detail.method}-{detail.monitor}-{detail.repeat}",
        "metrics": [(name, value) for name, value in detail.metrics.items() if name.partition(" ")[0] in official],
        "findings": detail.items,
        "targets": detail.targets,
        "work": work,
    }


def _resource(name: str) -> str:
    return resources.files("agentmonbench.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    import jinja2
    from markupsafe import Markup

    def finalize(value: object) -> object:
        # Markup is our own: macros and the style sheet. Everything else is shown character by character.
        return value if isinstance(value, Markup) else visible(str(value))

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_resource),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
