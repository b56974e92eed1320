"""Models over a scripted service on loopback: retries, limits, cache, keys, and the whole loop, with both clients."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agentmonbench import methods, monitors
from agentmonbench.errors import ProviderError, UsageError
from agentmonbench.examples import Example
from agentmonbench.loop import run_example
from agentmonbench.monitors import Connections, Message, ModelMonitor, Reply
from agentmonbench.monitors._catalog import load_catalog
from agentmonbench.testing import Answer, ScriptedProvider, answers_of

Result = TypeVar("Result")
MESSAGES = (Message("system", "Answer in JSON."), Message("user", "Hello"))
CLIENTS = ["direct", pytest.param("litellm", marks=pytest.mark.slow)]  # litellm takes seconds to import


class Pauses:
    """A clock that does not wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("AGENTMONBENCH_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


def model(
    connections: Connections, name: str = "openai/scripted", sleep: Callable[[float], Any] | None = None
) -> ModelMonitor:
    spec = load_catalog().spec(name, api_base=connections.api_base)
    assert spec is not None
    return ModelMonitor(spec, connections, sleep=sleep or Pauses())


def with_service(
    script: Sequence[Answer] | Callable[[dict[str, Any]], Coroutine[Any, Any, Answer]],
    use: Callable[[ScriptedProvider, Connections], Coroutine[Any, Any, Result]],
    **options: Any,
) -> Result:
    async def run() -> Result:
        async with ScriptedProvider(script) as provider:
            connections = Connections(**{"client": "direct", "api_base": provider.api_base, **options})
            try:
                return await use(provider, connections)
            finally:
                await connections.aclose()

    return asyncio.run(run())


def ask(script: Sequence[Answer], **options: Any) -> tuple[Reply, list[dict[str, Any]], list[float]]:
    pauses = Pauses()

    async def use(
        provider: ScriptedProvider, connections: Connections
    ) -> tuple[Reply, list[dict[str, Any]], list[float]]:
        reply = await model(connections, sleep=pauses).reply(MESSAGES)
        return reply, provider.requests, pauses.seconds

    return with_service(script, use, **options)


@pytest.mark.parametrize("client", CLIENTS)
def test_an_answer_comes_with_its_tokens_and_model(client: str) -> None:
    reply, requests, pauses = ask([Answer("fine", model="scripted-2026-01-01")], client=client)
    assert (reply.text, reply.model, reply.finish_reason) == ("fine", "scripted-2026-01-01", "stop")
    # 15 and 5 bytes are 5 and 2 tokens by the service's count; "fine" is 2.
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 2)
    assert (reply.retries, pauses, len(requests)) == (0, [], 1)
    assert requests[0]["messages"] == [
        {"role": "system", "content": "Answer in JSON."},
        {"role": "user", "content": "Hello"},
    ]
    assert requests[0]["max_tokens"] == 32_768


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    "bad",
    [
        Answer("slow down", status=429),
        Answer("broken", status=500),
        Answer("busy", status=503),
        Answer("cut off", cut=True),
        Answer(raw="<html>gateway</html>"),
        Answer(raw='{"choices": []}'),
        Answer(None),
    ],
)
def test_what_may_pass_is_tried_again_and_sent_once_a_try(client: str, bad: Answer) -> None:
    reply, requests, pauses = ask([bad, bad, Answer("fine")], client=client)
    assert (reply.text, reply.retries) == ("fine", 2)
    assert (len(requests), len(pauses)) == (3, 2)


@pytest.mark.parametrize("client", CLIENTS)
def test_retry_after_is_obeyed(client: str) -> None:
    limited = Answer("slow down", status=429, headers={"Retry-After": "0.2"})
    _, _, pauses = ask([limited, Answer("fine")], client=client)
    assert pauses == [0.2]
    in_ms = Answer("slow down", status=429, headers={"Retry-After-Ms": "30"})
    _, _, pauses = ask([in_ms, Answer("fine")], client=client)
    assert pauses == [0.03]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("answer", "error", "code"),
    [
        (Answer("broken", status=500), ProviderError, "network_retries_exhausted"),
        (Answer("no", status=400), ProviderError, "refused_by_provider"),
        (Answer("no", status=403), ProviderError, "refused_by_provider"),
        (Answer("maximum context length is 10 tokens", status=400), ProviderError, "context_exceeded"),
        (Answer("who are you", status=401), UsageError, "key_refused"),
        (Answer("no such model", status=404), UsageError, "unknown_model"),
    ],
)
def test_failures_have_codes(client: str, answer: Answer, error: type[ProviderError], code: str) -> None:
    with pytest.raises(error) as caught:
        ask([answer], client=client, attempts=2)
    assert caught.value.code == code


def test_an_answer_that_takes_too_long_is_a_timeout() -> None:
    with pytest.raises(ProviderError, match=r"no answer in 1 tries, the last one: no answer in 0.05 s"):
        ask([Answer("late", delay_s=5.0)], attempts=1, timeout_s=0.05)


def test_nobody_listening_is_a_connection_error() -> None:
    async def run() -> None:
        connections = Connections(client="direct", api_base="http://127.0.0.1:1/v1", attempts=2)
        try:
            await model(connections).reply(MESSAGES)
        finally:
            await connections.aclose()

    with pytest.raises(ProviderError, match="no answer in 2 tries"):
        asyncio.run(run())


# --- cache ---------------------------------------------------------------------------------------------------------


def test_nothing_is_paid_twice(tmp_path: Path) -> None:
    async def use(provider: ScriptedProvider, connections: Connections) -> list[Any]:
        monitor = model(connections)
        first = await monitor.reply(MESSAGES)
        second = await monitor.reply(MESSAGES)
        other_repeat = await monitor.reply(MESSAGES, repeat=1)
        other_text = await monitor.reply([*MESSAGES[:1], Message("user", "Bye")])
        other_model = await model(connections, "openai/another").reply(MESSAGES)
        tally = connections.tally
        assert (tally.sent, tally.retried, tally.cached, tally.unpriced) == (4, 0, 1, 4)
        assert tally.input_tokens == sum(
            reply.usage.input_tokens or 0 for reply in (first, other_repeat, other_text, other_model)
        )
        return [first, second, other_repeat, other_text, other_model, len(provider.requests)]

    script = [Answer(f"answer {number}") for number in range(1, 9)]
    first, second, *others, sent = with_service(script, use, cache=tmp_path / "answers.sqlite")
    assert (first.text, first.cached) == ("answer 1", False)
    assert (second.text, second.cached, second.latency_s) == ("answer 1", True, 0.0)
    assert second.usage == first.usage
    assert [reply.text for reply in others] == ["answer 2", "answer 3", "answer 4"]
    assert sent == 4


def test_money_is_counted_for_what_was_sent_and_not_for_what_was_kept(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[monitors.ours]\nmodel = "openai/ours"\nprice = { input = 2, output = 10, cached = 1 }\n', encoding="utf-8"
    )

    async def use(provider: ScriptedProvider, connections: Connections) -> list[float | None]:
        spec = connections.catalog().spec("ours", api_base=provider.api_base)
        assert spec is not None
        monitor = ModelMonitor(spec, connections, sleep=Pauses())
        costs = [(await monitor.reply(MESSAGES)).cost_usd for _ in range(2)]
        return [*costs, connections.tally.cost_usd]

    script = [Answer("busy", status=503), Answer("fine")]
    # 7 tokens in and 2 out: 7 * 2 + 2 * 10 = 34 millionths of a dollar. The kept answer still tells what it cost.
    found = with_service(script, use, aliases=tmp_path / "mine.toml", cache=tmp_path / "answers.sqlite")
    assert found == pytest.approx([34e-6, 34e-6, 34e-6])


def test_the_cache_outlives_the_process_and_holds_no_errors(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"

    async def once(provider: ScriptedProvider, connections: Connections) -> tuple[str, bool]:
        reply = await model(connections).reply(MESSAGES)
        return reply.text, reply.cached

    # The address is part of the key, so the same service is asked in both runs.
    async def both() -> list[tuple[str, bool]]:
        async with ScriptedProvider(
            [Answer("", status=500), Answer(""), Answer("no", finish_reason="content_filter"), Answer("kept")]
        ) as provider:
            found = []
            for _ in range(4):
                connections = Connections(client="direct", api_base=provider.api_base, cache=path, attempts=2)
                found.append(await once(provider, connections))
                await connections.aclose()
            return found

    # The error is retried, the empty answer and the refusal are not kept, the fourth answer is.
    assert asyncio.run(both()) == [("", False), ("no", False), ("kept", False), ("kept", True)]


def test_a_broken_row_is_asked_again_and_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"

    async def use(provider: ScriptedProvider, connections: Connections) -> list[bool]:
        monitor = model(connections)
        found = [(await monitor.reply(MESSAGES)).cached]
        with sqlite3.connect(path) as database:
            database.execute("UPDATE answers SET reply = '{}'")
        database.close()
        found += [(await monitor.reply(MESSAGES)).cached for _ in range(2)]
        return found

    assert with_service([Answer("fine")], use, cache=path) == [False, False, True]
    (tmp_path / "text").write_text("no database, but long enough to be looked at as one" * 50, encoding="utf-8")
    with pytest.raises(UsageError, match="not a cache of answers"):
        ask([Answer("fine")], cache=tmp_path / "text")


# --- limiter -------------------------------------------------------------------------------------------------------


def test_no_more_requests_are_in_flight_than_allowed() -> None:
    async def use(provider: ScriptedProvider, connections: Connections) -> int:
        monitor = model(connections)
        await asyncio.gather(*(monitor.reply([Message("system", "s"), Message("user", str(n))]) for n in range(30)))
        return provider.most_in_flight

    assert with_service([Answer("fine", delay_s=0.01)], use, max_connections=3) <= 3


def test_the_limit_falls_by_half_and_rises_by_one() -> None:
    async def use(provider: ScriptedProvider, connections: Connections) -> list[int]:
        monitor = model(connections)
        spec = load_catalog().spec("openai/scripted", api_base=provider.api_base)
        assert spec is not None
        limiter = connections.limiter(spec)
        limits = [limiter.limit]
        await monitor.reply(MESSAGES)  # 429 first, then fine
        limits.append(limiter.limit)
        for _ in range(9):
            await monitor.reply(MESSAGES)
        limits.append(limiter.limit)
        return limits

    # 20 -> 10 at the refusal; ten successes make a full round, so 11.
    assert with_service([Answer("slow", status=429), Answer("fine")], use) == [20, 10, 11]


def test_a_cancelled_request_gives_its_slot_back() -> None:
    async def use(provider: ScriptedProvider, connections: Connections) -> str:
        monitor = model(connections)
        stuck = asyncio.create_task(monitor.reply([Message("system", "s"), Message("user", "stuck")]))
        while not provider.requests:
            await asyncio.sleep(0)
        stuck.cancel()
        await asyncio.gather(stuck, return_exceptions=True)
        return (await monitor.reply(MESSAGES)).text

    async def script(body: dict[str, Any]) -> Answer:
        return Answer("fine", delay_s=30.0 if body["messages"][1]["content"] == "stuck" else 0.0)

    assert with_service(script, use, max_connections=1) == "fine"


# --- keys ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", CLIENTS)
def test_keys_reach_the_service_and_nothing_else(
    client: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture, gap_example: Example
) -> None:
    planted = "planted-key-0123456789"
    monkeypatch.setenv("AGENTMONBENCH_API_KEY", planted)
    monkeypatch.setenv("OTHER_SERVICE_TOKEN", "other-token-0123456789")
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "answers.sqlite"
    # The service repeats the key in an error, as some do, and names another one.
    refusal = Answer(f"bad key {planted} and other-token-0123456789", status=400)

    async def use(provider: ScriptedProvider, connections: Connections) -> list[str]:
        monitor = model(connections)
        seen = [repr(monitor), repr(connections), str(dict(monitor.settings))]
        seen.append(repr(await monitor.reply(MESSAGES)))
        record = await run_example(gap_example, methods.get("base"), monitor)
        assert record.failure is not None
        assert record.failure.code == "refused_by_provider"
        seen.append(record.model_dump_json())
        with pytest.raises(ProviderError) as caught:
            await monitor.reply(MESSAGES, repeat=1)
        seen += [str(caught.value), repr(caught.value), str(caught.value.__cause__)]
        assert all(headers["Authorization"] == f"Bearer {planted}" for headers in provider.headers)
        return seen

    seen = with_service([Answer("fine"), refusal], use, client=client, cache=path)
    seen += [caplog.text, path.read_bytes().decode("latin-1")]
    for text in seen:
        assert planted not in text
        assert "other-token" not in text


# --- network -------------------------------------------------------------------------------------------------------

OFFLINE = """
import asyncio, socket, sys
seen = []
connect, lookup = socket.socket.connect, socket.getaddrinfo
def guarded(self, address):
    if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"):
        seen.append(address)
        raise OSError("blocked")
    return connect(self, address)
def looked_up(host, *rest, **more):
    if host not in ("127.0.0.1", "::1", "localhost", None):
        seen.append(host)
        raise OSError("blocked")
    return lookup(host, *rest, **more)
socket.socket.connect, socket.getaddrinfo = guarded, looked_up
from agentmonbench import monitors
from agentmonbench.testing import Answer, ScriptedProvider
async def main():
    async with ScriptedProvider([Answer("fine")]) as provider:
        connections = monitors.Connections(client="litellm", api_base=provider.api_base)
        monitor = monitors.get("openai/scripted", connections=connections)
        messages = [monitors.Message("system", "s"), monitors.Message("user", "u")]
        print((await monitor.reply(messages)).text)
        await connections.aclose()
asyncio.run(main())
print(seen)
"""


@pytest.mark.slow
def test_litellm_does_not_phone_home_and_prints_nothing(root: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LITELLM")}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "fine\n[]\n"


# --- the whole path ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("subset", "method"),
    [(s, m) for s in ("gap", "swap") for m in ("base", "repograph", "ebg")] + [("session", "base"), ("session", "ebg")],
)
def test_a_model_behind_a_service_goes_through_the_same_loop(
    client: str, subset: str, method: str, gap_example: Example, swap_example: Example, session_example: Example
) -> None:
    example = {"gap": gap_example, "swap": swap_example, "session": session_example}[subset]
    here = asyncio.run(run_example(example, methods.get(method), monitors.get("lexical")))

    async def use(provider: ScriptedProvider, connections: Connections) -> Any:
        return await run_example(example, methods.get(method), model(connections))

    there = with_service(answers_of(monitors.get("lexical")), use, client=client)
    assert there.failure is None
    assert there.prediction == here.prediction
    assert there.second_prediction == here.second_prediction
    assert there.totals.input_tokens is not None
    assert there.totals.input_tokens > 0


def test_a_prompt_that_the_service_finds_too_long_is_data(gap_example: Example) -> None:
    async def use(provider: ScriptedProvider, connections: Connections) -> Any:
        return await run_example(gap_example, methods.get("base"), model(connections))

    record = with_service([Answer("This model's maximum context length is 10", status=400)], use)
    assert record.failure.code == "context_unfit/provider_limit_mismatch"
