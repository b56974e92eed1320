"""A model as a monitor: cache, limiter, retries, one request (specification ebg-method.md, part 7.5).

There is one owner of retries: this module. Clients send once; the limiter slot is held only while a request is in
flight, never while waiting to try again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agentmonbench.errors import ProviderError, UsageError
from agentmonbench.monitors._cache import ASKED_AGAIN, AnswerCache, request_key
from agentmonbench.monitors._catalog import CUSTOM_KEY, Catalog, JsonMode, ModelSpec, load_catalog
from agentmonbench.monitors._client import CallFailed, ChatRequest, Client
from agentmonbench.monitors._limiter import AdaptiveLimiter
from agentmonbench.monitors._protocol import Message, Price, Reply, Usage
from agentmonbench.monitors._secrets import Secret, environment, scrub
from ebg.tokens import estimate

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["ClientName", "Connections", "ModelMonitor", "Tally"]

ClientName = Literal["litellm", "direct"]
_TOO_MUCH = {"rate_limited", "overloaded"}
_WHOLE_RUN = {"key_refused", "unknown_model"}


@dataclass(slots=True)
class Tally:
    """What the models of a run have done so far."""

    sent: int = 0
    """Requests, the tries again included."""
    retried: int = 0
    pausing: int = 0
    """Requests that wait to be tried again."""
    cached: int = 0
    """Answers from the cache: nothing was sent and nothing paid."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    """Money for answers that were sent for; estimated where the service gave no token counts."""
    unpriced: int = 0
    """Answers whose price is not known; they are not in `cost_usd`."""

    def add(self, reply: Reply, *, estimated_usd: float | None = None) -> None:
        """Count an answer.

        Args:
            reply: the answer.
            estimated_usd: what it may have cost, for an answer without token counts.
        """
        if reply.cached:
            self.cached += 1
            return
        self.input_tokens += reply.usage.input_tokens or 0
        self.output_tokens += reply.usage.output_tokens or 0
        cost_usd = estimated_usd if reply.cost_usd is None else reply.cost_usd
        self.cost_usd += cost_usd or 0.0
        self.unpriced += cost_usd is None


@dataclass(slots=True)
class Connections:
    """How the models of one run are reached; shared by all of them.

    Make one a run: it holds the cache and a limiter for each provider, and it is closed at the end.
    """

    client: ClientName = "litellm"
    api_base: str | None = None
    """OpenAI-compatible endpoint for all models of the run, instead of their providers'."""
    max_connections: int = 32
    """Requests in flight to one provider; the limit in force adapts below it."""
    attempts: int = 6
    """Times that a request is sent before its example fails."""
    timeout_s: float = 600.0
    """Time for one answer."""
    cache: Path | None = None
    """SQLite file of answers; None keeps none."""
    aliases: Path | None = None
    """File with more names, in the form of the bundled `monitors.toml`."""
    env_file: Path | None = None
    """File with keys; by default `.env` in the working folder, if there is one."""
    check_keys: bool = True
    """Whether a missing key is an error at once; a dry run goes without."""
    tally: Tally = field(default_factory=Tally)
    """Counted over all models of the run, for progress and for a limit on money."""
    _limiters: dict[tuple[str, str | None], AdaptiveLimiter] = field(default_factory=dict, repr=False)
    _answers: AnswerCache | None = field(default=None, repr=False)
    _client: Client | None = field(default=None, repr=False)
    _closers: list[Callable[[], Awaitable[None]]] = field(default_factory=list, repr=False)

    def catalog(self) -> Catalog:
        """Return the names that are known."""
        return load_catalog(self.aliases)

    def limiter(self, spec: ModelSpec) -> AdaptiveLimiter:
        """Return the limiter of the provider of a model."""
        return self._limiters.setdefault((spec.provider, spec.api_base), AdaptiveLimiter(self.max_connections))

    @property
    def waiting(self) -> int:
        """Requests that wait for their provider to have room."""
        return sum(limiter.waiting for limiter in self._limiters.values())

    def answers(self) -> AnswerCache | None:
        """Return the cache, opened at first use."""
        if self._answers is None and self.cache is not None:
            self._answers = AnswerCache(self.cache)
        return self._answers

    def sender(self) -> Client:
        """Return the client, made at first use."""
        if self._client is None:
            if self.client == "litellm":
                from agentmonbench.monitors._litellm import LitellmClient

                self._client = LitellmClient()
            else:
                from agentmonbench.monitors._direct import DirectClient

                self._client = DirectClient()
        return self._client

    def at_close(self, close: Callable[[], Awaitable[None]]) -> None:
        """Have something closed together with the connections, for example a server of one's own."""
        self._closers.append(close)

    async def aclose(self) -> None:
        """Close connections and cache."""
        for close in self._closers:
            await close()
        if self._client is not None:
            await self._client.aclose()
            self._client = None
        if self._answers is not None:
            self._answers.close()
            self._answers = None
        self._limiters.clear()


class ModelMonitor:
    """A model that answers messages.

    Args:
        spec: which model.
        connections: how it is reached.
        key: the key, where it does not come from the environment.
        identity: what stands for the endpoint in settings and cache, where its address changes from run to run.
        sleep: how to wait between tries; tests pass their own.

    Raises:
        UsageError: when the key is missing and keys are checked, or the client cannot reach the model.
    """

    def __init__(
        self,
        spec: ModelSpec,
        connections: Connections,
        *,
        key: Secret | None = None,
        identity: Mapping[str, Any] | None = None,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self.name = spec.name
        self.price: Price | None = spec.price
        self.context_tokens = spec.context_tokens
        self.output_tokens = spec.output_tokens
        self._spec = spec
        self._connections = connections
        self._sleep = sleep
        self._env = environment(connections.env_file)
        self._base = spec.direct_base if connections.client == "direct" else spec.api_base
        if connections.client == "direct" and self._base is None:
            raise UsageError(
                f"no OpenAI-compatible endpoint is known for {spec.name!r}; use the litellm client or give an API base"
            )
        self._identity = {"api_base": spec.api_base} if identity is None else dict(identity)
        self._key = key
        if key is None and connections.check_keys:
            self._key = self._find_key()

    @property
    def settings(self) -> Mapping[str, Any]:
        """What changes the answers, for the run's manifest."""
        return {
            "model": self._spec.model,
            **self._identity,
            "json": self._spec.json_mode,
            "output_tokens": self._spec.output_tokens,
            "options": dict(self._spec.options),
        }

    def __repr__(self) -> str:
        return f"ModelMonitor({self.name!r})"

    async def reply(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:
        """Answer from the cache, or send the request until it is answered or the tries are used up.

        Raises:
            ProviderError: when no answer could be had.
            UsageError: when no request of the run can succeed: a refused key, a model that does not exist.
        """
        answers = self._connections.answers()
        key = request_key(
            {
                **self.settings,
                "messages": [[message.role, message.content] for message in messages],
                "repeat": repeat,
            }
        )
        kept = answers.get(key) if answers is not None and not ASKED_AGAIN.get() else None
        if kept is not None:
            self._connections.tally.add(kept)
            return kept
        reply = await self._with_retries(messages)
        reply = replace(reply, cost_usd=_cost(reply.usage, self.price))
        guess = _cost(_estimated(messages, reply), self.price) if reply.cost_usd is None else None
        self._connections.tally.add(reply, estimated_usd=guess)
        if answers is not None:
            answers.put(key, reply)
        return reply

    async def aclose(self) -> None:
        """Close the connections, those of the run's other models included; a later request opens them again."""
        await self._connections.aclose()

    async def _with_retries(self, messages: Sequence[Message]) -> Reply:
        from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._connections.attempts),
            wait=_pause,
            retry=retry_if_exception(lambda error: isinstance(error, CallFailed) and error.transient),
            sleep=self._wait,
            reraise=True,
        )
        try:
            async for attempt in retrying:
                with attempt:
                    reply = await self._once(messages)
                    return replace(reply, retries=attempt.retry_state.attempt_number - 1)
        except CallFailed as error:
            raise self._last_word(error) from None
        raise AssertionError("the last attempt either answers or raises")

    async def _wait(self, seconds: float) -> None:
        self._connections.tally.pausing += 1
        try:
            await self._sleep(seconds)
        finally:
            self._connections.tally.pausing -= 1

    async def _once(self, messages: Sequence[Message]) -> Reply:
        limiter = self._connections.limiter(self._spec)
        request = ChatRequest(
            model=self._spec.model,
            messages=messages,
            api_base=self._base,
            key=self._key,
            output_tokens=self._spec.output_tokens,
            timeout_s=self._connections.timeout_s,
            response_format=_response_format(self._spec.json_mode, messages, self._spec.output_tokens),
            options=self._spec.options,
        )
        async with limiter.slot():
            self._connections.tally.sent += 1
            try:
                reply = await self._connections.sender().complete(request)
            except CallFailed as error:
                self._connections.tally.retried += error.transient
                if error.code in _TOO_MUCH:
                    limiter.refused(error.retry_after_s)
                raise
            limiter.succeeded()
            return reply

    def _last_word(self, error: CallFailed) -> ProviderError | UsageError:
        text = scrub(str(error), [self._key] if self._key else [], self._env)[:2_000]
        if error.code in _WHOLE_RUN:
            hint = f"; the key comes from {self._spec.key_name}" if error.code == "key_refused" else ""
            return UsageError(f"{self.name}: {text}{hint}", code=error.code)
        if error.transient:
            tries = self._connections.attempts
            return ProviderError(
                f"{self.name}: no answer in {tries} tries, the last one: {text}", code="network_retries_exhausted"
            )
        return ProviderError(f"{self.name}: {text}", code=error.code)

    def _find_key(self) -> Secret | None:
        name = self._spec.key_name
        value = self._env.get(name, "").strip() if name else ""
        if value:
            return Secret(value)
        if self._spec.api_base is not None and name == CUSTOM_KEY:
            return Secret("none")  # endpoints of one's own mostly ask for no key; clients insist on one
        if name is None and self._connections.client == "litellm":
            from agentmonbench.monitors._litellm import missing_variables

            missing = missing_variables(self._spec.model)
            if not missing:
                return None
            name = " and ".join(missing)
        if name is None:
            return None
        raise UsageError(
            f"{self.name} needs a key: set {name} in the environment or in a .env file", code="missing_key"
        )


def _response_format(mode: JsonMode, messages: Sequence[Message], output_tokens: int) -> Mapping[str, Any] | None:
    if mode == "text":
        return None
    if mode == "object":
        return {"type": "json_object"}
    from agentmonbench.monitors._schemas import answer_schema

    try:
        schema = answer_schema(messages, output_tokens=output_tokens)
    except ValueError:
        return {"type": "json_object"}  # a question of somebody else than the loop, for example of a judge
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _pause(state: RetryCallState) -> float:
    """Return the pause before the next try: what the provider asked for, else growing with a random part."""
    from tenacity import wait_random_exponential

    error = state.outcome.exception() if state.outcome is not None else None
    if isinstance(error, CallFailed) and error.retry_after_s is not None:
        return error.retry_after_s
    return float(wait_random_exponential(multiplier=1.0, max=60.0)(state))


def _estimated(messages: Sequence[Message], reply: Reply) -> Usage:
    return Usage(sum(estimate(message.content) for message in messages), estimate(reply.text))


def _cost(usage: Usage, price: Price | None) -> float | None:
    """Return what an answer cost; None when the price or the tokens are not known."""
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    cached_usd = price.input_usd if price.cached_usd is None else price.cached_usd
    paid = (
        (usage.input_tokens - cached) * price.input_usd + cached * cached_usd + usage.output_tokens * price.output_usd
    )
    return paid / 1_000_000
