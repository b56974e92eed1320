"""An OpenAI-compatible service on loopback. It never leaves the machine, and it counts what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any

from agentmonbench.monitors import Message, Monitor
from ebg.tokens import estimate

if TYPE_CHECKING:
    from aiohttp import web

__all__ = ["Answer", "ScriptedProvider", "answers_of"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service does with one request."""

    text: str | None = ""
    """The message; None leaves the content null, as services do that refuse."""
    status: int = 200
    delay_s: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    model: str | None = None
    """Name of the model that claims to have answered; None repeats the one that was asked for."""
    finish_reason: str = "stop"
    cut: bool = False
    """Whether the connection is dropped in the middle of the answer."""
    raw: str | None = None
    """A body instead of a chat completion."""
    usage: bool = True
    """Whether token counts are given."""


Script = Sequence[Answer] | Callable[[dict[str, Any]], Awaitable[Answer]]


class ScriptedProvider:
    """The service; an asynchronous context manager.

        async with ScriptedProvider([Answer('{"action":"finish","prediction":{"findings":[]}}')]) as provider:
            connections = Connections(api_base=provider.api_base)

    Args:
        script: answers in order, the last one repeated; or a coroutine function that makes an answer of a request.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._runner: web.AppRunner | None = None
        self.requests: list[dict[str, Any]] = []
        """Bodies of the requests, in the order of their arrival."""
        self.headers: list[dict[str, str]] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._port = 0

    @property
    def api_base(self) -> str:
        """Address for `--api-base`."""
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> ScriptedProvider:
        from aiohttp import web

        application = web.Application(client_max_size=64_000_000)
        application.router.add_post("/v1/chat/completions", self._serve)
        # Clients pool connections; a short keep-alive would cut idle ones at random.
        self._runner = web.AppRunner(application, keepalive_timeout=120.0, shutdown_timeout=0.05)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        number = len(self.requests)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            if isinstance(self._script, Sequence):
                answer = self._script[min(number, len(self._script)) - 1]
            else:
                answer = await self._script(body)
            await asyncio.sleep(answer.delay_s)
        finally:
            self._in_flight -= 1
        return await _respond(request, body, answer, number)


async def _respond(request: web.Request, body: dict[str, Any], answer: Answer, number: int) -> web.StreamResponse:
    from aiohttp import web

    text = answer.raw if answer.raw is not None else json.dumps(_completion(body, answer, number))
    if answer.cut:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(text))})
        await response.prepare(request)
        await response.write(text[: len(text) // 2].encode())
        assert request.transport is not None
        request.transport.abort()
        return response
    return web.Response(text=text, status=answer.status, headers=dict(answer.headers), content_type="application/json")


def _completion(body: dict[str, Any], answer: Answer, number: int) -> dict[str, Any]:
    if answer.status != 200:
        return {"error": {"message": answer.text, "type": "scripted", "code": answer.status}}
    completion: dict[str, Any] = {
        "id": f"scripted-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": answer.model or body.get("model"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": answer.text},
                "finish_reason": answer.finish_reason,
            }
        ],
    }
    if answer.usage:
        paid = sum(estimate(str(message.get("content"))) for message in body.get("messages", ()))
        made = estimate(answer.text or "")
        completion["usage"] = {"prompt_tokens": paid, "completion_tokens": made, "total_tokens": paid + made}
    return completion


def answers_of(monitor: Monitor, *, delay_s: float = 0.0) -> Callable[[dict[str, Any]], Awaitable[Answer]]:
    """Return a script that lets a monitor answer, so that it is reached like a model of a service."""

    async def script(body: dict[str, Any]) -> Answer:
        messages = [Message(message["role"], message["content"]) for message in body["messages"]]
        reply = await monitor.reply(messages)
        return Answer(reply.text, delay_s=delay_s)

    return script
