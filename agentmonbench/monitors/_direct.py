"""A lean client for OpenAI-compatible endpoints: well under a millisecond a call where litellm takes eight."""

from __future__ import annotations

import asyncio
import json
from time import monotonic
from typing import TYPE_CHECKING, Any

from agentmonbench.errors import UsageError
from agentmonbench.monitors._client import CallFailed, ChatRequest, failure_of_status, retry_after
from agentmonbench.monitors._protocol import Reply, Usage

if TYPE_CHECKING:
    import aiohttp

__all__ = ["DirectClient"]

_MAX_BYTES = 16_000_000
"""No answer is read beyond this size."""
_MAX_MESSAGE = 2_000


class DirectClient:
    """Sends requests to `{api_base}/chat/completions`. One event loop at a time."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def complete(self, request: ChatRequest) -> Reply:
        """Send one request."""
        if request.api_base is None:
            raise UsageError(f"no OpenAI-compatible endpoint is known for {request.model!r}; give --api-base")
        import aiohttp

        headers = {"Authorization": f"Bearer {request.key.reveal()}"} if request.key is not None else {}
        started = monotonic()
        try:
            async with self._open().post(
                f"{request.api_base}/chat/completions",
                json=_body(request),
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=request.timeout_s),
                allow_redirects=False,
            ) as response:
                data = await _read(response)
                status, answer_headers = response.status, dict(response.headers)
        except TimeoutError:
            raise CallFailed(f"no answer in {request.timeout_s:g} s", code="timeout", transient=True) from None
        except aiohttp.ClientError as error:
            raise CallFailed(f"{type(error).__name__}: {error}", code="connection", transient=True) from None
        if status != 200:
            raise failure_of_status(status, _message(data), retry_after_s=retry_after(answer_headers))
        return _reply(data, monotonic() - started)

    async def aclose(self) -> None:
        """Close the session."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            import aiohttp

            # The limiter counts connections; the pool does not count them again.
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        return self._session


def _body(request: ChatRequest) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model.partition("/")[2] or request.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        **request.options,
    }
    # OpenAI itself has renamed the limit and refuses the old name; most others know only the old one.
    renamed = str(request.api_base).startswith("https://api.openai.com/")
    body["max_completion_tokens" if renamed else "max_tokens"] = request.output_tokens
    if request.response_format is not None:
        body["response_format"] = dict(request.response_format)
    return body


async def _read(response: aiohttp.ClientResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_chunked(65_536):
        size += len(part)
        if size > _MAX_BYTES:
            raise CallFailed(
                f"the answer is larger than {_MAX_BYTES:,} bytes", code="provider_response_invalid", transient=False
            )
        parts.append(part)
        await asyncio.sleep(0)
    return b"".join(parts)


def _message(data: bytes) -> str:
    """Return what an error body says: its message, or the start of its text."""
    text = data[: 8 * _MAX_MESSAGE].decode("utf-8", "replace")
    try:
        error = json.loads(text)["error"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return " ".join(text.split())[:_MAX_MESSAGE]
    message = error.get("message") if isinstance(error, dict) else error
    return str(message)[:_MAX_MESSAGE]


def _reply(data: bytes, latency_s: float) -> Reply:
    try:
        answer = json.loads(data)
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        raise CallFailed(
            "the answer is not a chat completion", code="provider_response_invalid", transient=True
        ) from None
    if not isinstance(text, str):
        reason = choice.get("finish_reason")
        raise CallFailed(f"the answer has no text ({reason})", code="provider_response_invalid", transient=True)
    usage = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
    details = usage.get("prompt_tokens_details")
    return Reply(
        text,
        usage=Usage(
            _whole(usage.get("prompt_tokens")),
            _whole(usage.get("completion_tokens")),
            _whole(details.get("cached_tokens")) if isinstance(details, dict) else None,
        ),
        model=answer.get("model") if isinstance(answer.get("model"), str) else None,
        finish_reason=choice.get("finish_reason") if isinstance(choice.get("finish_reason"), str) else None,
        latency_s=latency_s,
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
