"""One request to a model's service, and the ways in which it can fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentmonbench.errors import ProviderError
from agentmonbench.monitors._protocol import Message, Reply
from agentmonbench.monitors._secrets import Secret

__all__ = ["CallFailed", "ChatRequest", "Client", "failure_of_status", "retry_after"]

_CONTEXT_WORDS = (
    "context length",
    "context window",
    "maximum context",
    "context_length",
    "too many tokens",
    "too long",
)
_TRANSIENT = {408, 409, 425, 429}
_MAX_RETRY_AFTER_S = 600.0


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked of a model."""

    model: str
    """litellm id."""
    messages: Sequence[Message]
    api_base: str | None
    key: Secret | None
    output_tokens: int
    timeout_s: float
    response_format: Mapping[str, Any] | None = None
    """Structured output in OpenAI's form; None for text."""
    options: Mapping[str, Any] = field(default_factory=dict)


class CallFailed(ProviderError):  # noqa: N818  # says what happened
    """A request was not answered.

    Codes: `context_exceeded`, `rate_limited`, `overloaded`, `timeout`, `connection`, `key_refused`, `unknown_model`,
    `refused_by_provider`, `provider_response_invalid`.
    """

    def __init__(self, message: str, *, code: str, transient: bool, retry_after_s: float | None = None) -> None:
        super().__init__(message, code=code)
        self.transient = transient
        """Whether the same request may succeed later."""
        self.retry_after_s = retry_after_s
        """How long the provider asked to wait; None when it did not."""


class Client(Protocol):
    """Sends single requests; retries and limits are not its business."""

    async def complete(self, request: ChatRequest) -> Reply:
        """Return the answer, without a price.

        Raises:
            CallFailed: when there is none.
        """
        ...

    async def aclose(self) -> None:
        """Close what is open."""
        ...


def failure_of_status(status: int, message: str, *, retry_after_s: float | None = None) -> CallFailed:
    """Return the failure that an HTTP status and its message mean (specification ebg-method.md, part 7.5)."""
    lowered = message.lower()
    if status == 413 or (status in (400, 422) and any(words in lowered for words in _CONTEXT_WORDS)):
        code = "context_exceeded"
    elif status == 401:
        code = "key_refused"
    elif status == 404:
        code = "unknown_model"
    elif status == 429:
        code = "rate_limited"
    elif status == 408:
        code = "timeout"
    elif status >= 500 or status in _TRANSIENT:
        code = "overloaded"
    else:
        code = "refused_by_provider"
    transient = status in _TRANSIENT or status >= 500
    return CallFailed(f"{status}: {message}", code=code, transient=transient, retry_after_s=retry_after_s)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a `Retry-After` header, or of the millisecond form some providers use; None if absent.

    A date is not read: it would need the clocks of both sides to agree.
    """
    lowered = {str(name).lower(): str(value) for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(lowered.get(name, "")) * unit
        except ValueError:
            continue
        if 0.0 <= seconds < float("inf"):
            return min(seconds, _MAX_RETRY_AFTER_S)
    return None
