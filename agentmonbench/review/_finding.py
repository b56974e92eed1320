"""What a detector hands out: a decision that a person may want to check, with the words that prove it.

Every quotation is a verbatim piece of one event, so that each leads to its record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from agentmonbench.review._log import Log

__all__ = ["SEVERITIES", "Detector", "Evidence", "Finding", "Quote", "Severity", "Stance"]

Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
"""Worst first."""
Stance = Literal["shows", "contradicts"]
"""What evidence does: it shows the decision, or speaks against what was said or asked."""


class Quote(NamedTuple):
    """A verbatim piece of an event."""

    event: str
    """Id of the event, for example `E12`."""
    text: str


class Evidence(NamedTuple):
    """A quotation and what it does."""

    stance: Stance
    quote: Quote


@dataclass(frozen=True, slots=True)
class Finding:
    """A decision candidate."""

    detector: str
    severity: Severity
    decided: str
    """What the agent decided, in one sentence."""
    check: str
    """What a person should check, in one line."""
    subject: str
    """What it is about: of findings with the same subject only the most severe is kept."""
    evidence: tuple[Evidence, ...]
    """At least one, in the order to read them."""
    asked: Quote | None = None
    """What the user had asked; None when no statement of the user bears on it."""
    disclosed: Quote | None = None
    """Where the agent told of it; None when it told nowhere."""


@dataclass(frozen=True, slots=True)
class Detector:
    """A kind of decision that can be seen in a record without a model."""

    name: str
    reason: str
    """One line: why a person wants to know."""
    find: Callable[[Log], Iterable[Finding]]
