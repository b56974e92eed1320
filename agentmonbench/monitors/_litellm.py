"""The one place that imports litellm, at the first call and with everything of it switched off that is not the call.

litellm fetches prices, prints hints to stdout, retries behind the caller's back and caches on request. Here it only
sends one request and reads one answer; retries, limits, cache and prices are ours.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from functools import cache
from time import monotonic
from typing import Any

from agentmonbench.errors import UsageError
from agentmonbench.monitors._client import CallFailed, ChatRequest, failure_of_status, retry_after
from agentmonbench.monitors._protocol import Reply, Usage

__all__ = ["LitellmClient", "missing_variables"]


@cache
def _litellm() -> Any:
    # Before the first import: no price map, no tokenizers, no news from the network.
    os.environ["LITELLM_OFFLINE_MODE"] = "true"
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    try:
        import litellm
    except ImportError as error:
        raise UsageError("models need the extra: pip install 'agentmonbench[models]'") from error
    litellm.suppress_debug_info = True  # it prints to stdout otherwise
    return litellm


def missing_variables(model: str) -> tuple[str, ...]:
    """Return the environment variables that litellm wants for a provider that we have no table for."""
    found: Mapping[str, Any] = _litellm().validate_environment(model=model)
    return tuple(found.get("missing_keys", ()))


class LitellmClient:
    """Sends requests through litellm."""

    async def complete(self, request: ChatRequest) -> Reply:
        """Send one request."""
        # The import takes seconds; other work of the run goes on meanwhile.
        litellm = await asyncio.to_thread(_litellm)
        arguments: dict[str, Any] = {
            "model": request.model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "max_tokens": request.output_tokens,
            "timeout": request.timeout_s,
            "max_retries": 0,  # the only setting that leaves retries to us
            **request.options,
        }
        if request.options:
            # Its table of who supports what is behind the providers; they say it themselves.
            arguments["allowed_openai_params"] = sorted(request.options)
        if request.api_base is not None:
            arguments["api_base"] = request.api_base
        if request.key is not None:
            arguments["api_key"] = request.key.reveal()
        if request.response_format is not None:
            arguments["response_format"] = dict(request.response_format)
        started = monotonic()
        try:
            response = await litellm.acompletion(**arguments)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  # its errors have no common base
            # No chain: the original holds the request with its headers.
            raise _failure(error) from None
        return _reply(response, monotonic() - started)

    async def aclose(self) -> None:
        """Close the connections that litellm keeps."""
        close = getattr(_litellm(), "close_litellm_async_clients", None)
        if close is not None:
            await close()


def _failure(error: Exception) -> CallFailed:
    name = type(error).__name__
    status = getattr(error, "status_code", None)
    message = f"{name}: {getattr(error, 'message', None) or error}"
    if "ContextWindowExceeded" in name:
        return CallFailed(message, code="context_exceeded", transient=False)
    if "Timeout" in name:
        return CallFailed(message, code="timeout", transient=True)
    if "APIConnection" in name or "Connection error" in message or "Cannot connect" in message:
        return CallFailed(message, code="connection", transient=True)
    if not isinstance(status, int):
        return CallFailed(message, code="provider_response_invalid", transient=False)
    return failure_of_status(status, message, retry_after_s=retry_after(_headers(error)))


def _headers(error: Exception) -> Mapping[str, str]:
    for holder in (getattr(error, "litellm_response_headers", None), getattr(error, "response", None)):
        headers = getattr(holder, "headers", holder)
        if headers is not None and hasattr(headers, "items") and dict(headers):
            return dict(headers)
    return {}


def _reply(response: Any, latency_s: float) -> Reply:
    choices: list[Any] = list(getattr(response, "choices", None) or [])
    if not choices:
        raise CallFailed("the answer has no choices", code="provider_response_invalid", transient=True)
    text, reason = choices[0].message.content, getattr(choices[0], "finish_reason", None)
    if not isinstance(text, str):
        raise CallFailed(f"the answer has no text ({reason})", code="provider_response_invalid", transient=True)
    usage = getattr(response, "usage", None)
    details = getattr(usage, "prompt_tokens_details", None)
    return Reply(
        text,
        usage=Usage(
            _whole(getattr(usage, "prompt_tokens", None)),
            _whole(getattr(usage, "completion_tokens", None)),
            _whole(getattr(details, "cached_tokens", None)),
        ),
        model=getattr(response, "model", None),
        finish_reason=reason,
        latency_s=latency_s,
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
