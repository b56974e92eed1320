"""Reports of a run."""

from agentmonbench.report._build import build_items, title_of
from agentmonbench.report._details import Citation, Detail, Field, Item, SourceLine, Target
from agentmonbench.report._render import render_report

__all__ = [
    "Citation",
    "Detail",
    "Field",
    "Item",
    "SourceLine",
    "Target",
    "build_items",
    "render_report",
    "title_of",
]
