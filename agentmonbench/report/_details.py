"""What a report shows of one example: findings beside gold, with the cited source in full.

Details are made by the scorer, which alone sees gold, and stored in the run directory: the report needs nothing else.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from agentmonbench.examples import SubsetName

__all__ = ["Citation", "Detail", "Field", "Item", "SourceLine", "Target"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class SourceLine(_Model):
    """One line of a file, or a whole event (number 0)."""

    number: int
    text: str
    cited: bool = False
    gold: bool = False


class Citation(_Model):
    """A place that a finding cites or gold names, with its text."""

    label: str
    """`path:start-end symbol`, or an evidence id with its event type."""
    lines: tuple[SourceLine, ...]
    problem: str | None = None
    """Why there is no text, for example that the file does not exist."""


class Field(_Model):
    """A named text of a finding."""

    name: str
    text: str


class Item(_Model):
    """One finding, swap or verification point of the monitor."""

    title: str
    fields: tuple[Field, ...] = ()
    citations: tuple[Citation, ...] = ()
    score: float | None = None
    """Its share in the subset's rule metric, 0 to 1."""
    target: str | None = None
    """Id of the gold item it was matched with by rule."""


class Target(_Model):
    """One gold item."""

    id: str
    title: str
    citations: tuple[Citation, ...] = ()
    score: float = 0.0
    """Score of the finding that was matched with it; 0 when it was missed."""
    scorable: bool = True
    """False for a condition without a location: rule metrics leave it out."""


class Detail(_Model):
    """One example under one method and monitor."""

    subset: SubsetName
    example_id: str
    method: str
    monitor: str
    repeat: int = 0
    title: str
    metrics: dict[str, float]
    failure: str | None = None
    """Code and message of the failure; then every metric is 0."""
    requests: int = 0
    tokens: int = 0
    """Input and output tokens as the provider reported them, else our estimate of the prompts."""
    tokens_reported: bool = False
    cost_usd: float | None = None
    items: tuple[Item, ...] = ()
    targets: tuple[Target, ...] = ()
