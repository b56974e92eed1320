"""The contract between the loop and a monitor: messages in, one reply out.

A monitor sees only the messages. It has no access to the example, the method, the run directory or gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

__all__ = ["FREE", "Message", "Monitor", "Price", "Reply", "Usage"]


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; None where the provider did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A monitor's answer to one request."""

    text: str
    usage: Usage = Usage()
    model: str | None = None
    """The model that the provider says has answered."""
    finish_reason: str | None = None
    cost_usd: float | None = None
    """None when the price is not known; 0.0 when it is free."""
    cached: bool = False
    """True when the answer came from our cache and nothing was sent."""
    retries: int = 0
    latency_s: float = 0.0


class Price(NamedTuple):
    """What a model costs, in US dollars a million tokens."""

    input_usd: float
    output_usd: float
    cached_usd: float | None = None
    """Input tokens that the provider had in its own cache; None when they cost as much as others."""


FREE = Price(0.0, 0.0)


class Monitor(Protocol):
    """Anything that answers messages.

    A monitor may also have `price: Price | None` (None when it is not known) for estimates; `settings`, a mapping of
    JSON values that change its answers, which becomes part of a run's settings; and `context_tokens` and
    `output_tokens`, the sizes of its window and answers, to which the loop lowers its limits; and `aclose()`, a
    coroutine that closes what it holds open, called when a run makes no more predictions.
    """

    name: str

    async def reply(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:
        """Answer the conversation.

        Args:
            messages: system message first, then alternating user and assistant; the last is from the user.
            repeat: index of the repetition (0-based): part of cache keys and seeds, never of the messages.

        Raises:
            ProviderError: when no answer could be had.
        """
        ...
