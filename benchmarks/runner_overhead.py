"""What a run costs beside the model: time an example, memory, and throughput against what bare clients reach.

    python benchmarks/runner_overhead.py [--examples 1000] [--litellm]

A session of seven events is judged again and again: one request an example, everything else as in a real run (open,
prompt, request, checks, record on disk with fsync). Own time is processor time an example; for HTTP the bare client's
time for the same requests is taken off. The service is a process of its own on loopback. Throughput is given beside
what bare clients reach with as many requests in flight; the bar is a share of bare httpx, or of bare litellm where
litellm is the limit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agentmonbench import methods, monitors
from agentmonbench._predict import Options, predict
from agentmonbench._run import Silent
from agentmonbench.examples import Example, Gold, SubsetName
from agentmonbench.monitors import Connections, Monitor, ScriptedMonitor
from agentmonbench.runs import Key, RunDirectory
from agentmonbench.testing import Answer, ScriptedProvider
from ebg.trajectory.events import TraceEvent

ANSWER = json.dumps(
    {"verification_point": "A point.", "supporting_evidence_ids": ["e_1_0"], "criticality": "must_disclose"}
)
EVENTS = tuple(
    TraceEvent("user_prompt", 1, "Add a retry option to the client and run its tests. " * 8)
    if number < 0
    else TraceEvent(
        "assistant_response", 1, "I looked at the client and changed it. " * 25, evidence_id=f"e_1_{number}"
    )
    for number in range(-1, 6)
)
EXAMPLE = Example("ft", "feedbacktrace", events=EVENTS, cutoff_turn=2)
CONCURRENCY = (1, 16, 64, 256)
OWN_BAR_MS, SHARE_BAR = 5.0, 0.9


@dataclass(frozen=True, slots=True)
class Repeated:
    """A subset that has the one example under many ids."""

    ids: Sequence[str]
    name: SubsetName = "feedbacktrace"
    source: str = "benchmark"
    fingerprint: str = ""

    def example(self, example_id: str) -> Example:
        """Return the example under one of its ids."""
        return Example(example_id, "feedbacktrace", events=EVENTS, cutoff_turn=2)

    def gold(self, example_id: str) -> Gold:
        """Refuse: nothing is scored here."""
        raise KeyError(example_id)


@dataclass(frozen=True, slots=True)
class Measure:
    """Time of some requests."""

    wall_s: float
    cpu_s: float
    count: int

    @property
    def per_second(self) -> float:
        """Requests a second."""
        return self.count / self.wall_s

    @property
    def cpu_ms(self) -> float:
        """Processor time a request in milliseconds."""
        return 1_000 * self.cpu_s / self.count


def main() -> int:
    """Run the measurements and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=1_000)
    parser.add_argument("--litellm", action="store_true", help="measure litellm beside the direct client")
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve is not None:
        asyncio.run(serve(arguments.serve))
        return 0
    clients = ("direct", "litellm") if arguments.litellm else ("direct",)
    good = in_process(arguments.examples)
    with service(0.0) as base:
        for client in clients:
            good &= own_time(client, base, arguments.examples)
    with service(0.2) as base:
        for client in clients:
            good &= throughput(client, base, arguments.examples)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    print(f"peak memory of this process: {peak:.0f} MB")
    return 0 if good else 1


def in_process(count: int) -> bool:
    """Measure runs without HTTP."""
    good = True
    for jobs in CONCURRENCY:
        measure = run(ScriptedMonitor([ANSWER]), count, jobs)
        good &= measure.cpu_ms <= OWN_BAR_MS
        print(f"no HTTP, {jobs} in flight: {measure.cpu_ms:.2f} ms an example (bar {OWN_BAR_MS})")
    return good


def own_time(client: str, base: str, count: int) -> bool:
    """Measure runs over a service that answers at once, less the bare client's time."""
    good = True
    for jobs in CONCURRENCY:
        bare = of_bare(client, base, count, jobs)
        measure = run(model(client, base, jobs), count, jobs)
        own = measure.cpu_ms - bare.cpu_ms
        good &= own <= OWN_BAR_MS
        print(
            f"{client}, 0 ms, {jobs} in flight: {own:.2f} ms an example of our own"
            f" ({measure.cpu_ms:.2f} in all, bare {bare.cpu_ms:.2f}; bar {OWN_BAR_MS})"
        )
    return good


def throughput(client: str, base: str, count: int) -> bool:
    """Measure runs over a service that takes 200 ms, beside bare clients."""
    good = True
    for jobs in CONCURRENCY:
        some = min(count, max(20, 20 * jobs))  # at one in flight, 1,000 requests would take minutes
        bare = of_bare(client, base, some, jobs)
        httpx = of_bare("httpx", base, some, jobs)
        measure = run(model(client, base, jobs), some, jobs)
        share = measure.per_second / (bare if client == "litellm" else httpx).per_second
        good &= share >= SHARE_BAR
        print(
            f"{client}, 200 ms, {jobs} in flight: {measure.per_second:.1f} examples a second, {share:.0%} of the bar's"
            f" reference (bare {client} {bare.per_second:.1f}, bare httpx {httpx.per_second:.1f}; bar {SHARE_BAR:.0%})"
        )
    return good


def run(monitor: Monitor, count: int, jobs: int) -> Measure:
    """Predict `count` examples as a real run does."""
    subset = Repeated([f"ft_{number:05}" for number in range(count)])
    method = methods.get("base")
    keys = [Key(subset.name, example_id, method.name, monitor.name, 0) for example_id in subset.ids]
    with tempfile.TemporaryDirectory() as folder, RunDirectory(Path(folder) / "run") as directory:
        directory.start({}, {})
        started, used = perf_counter(), process_time()
        asyncio.run(
            predict(
                keys,
                subsets={subset.name: subset},
                methods={method.name: method},
                monitors={monitor.name: monitor},
                run=directory,
                options=Options(),
                jobs=jobs,
                listener=Silent(),
            )
        )
        measure = Measure(perf_counter() - started, process_time() - used, count)
        records = directory.predictions().values()
        assert len(records) == count
        assert all(record["prediction"] for record in records)
    return measure


def model(client: str, base: str, jobs: int) -> Monitor:
    """Return the service as a monitor."""
    connections = Connections(client=client, api_base=base, max_connections=jobs)  # type: ignore[arg-type]
    return monitors.get("openai/scripted", connections=connections)


def of_bare(client: str, base: str, count: int, jobs: int) -> Measure:
    """Send the same requests with a client alone, and read the answers."""
    recorder = ScriptedMonitor([ANSWER])
    run(recorder, 1, 1)
    messages = [{"role": message.role, "content": message.content} for message in recorder.requests[0]]
    body = {"model": "scripted", "messages": messages, "max_tokens": 32_768}

    async def all_of_them() -> Measure:
        open_client = {"direct": bare_aiohttp, "httpx": bare_httpx, "litellm": bare_litellm}[client]
        send, close = await open_client(base, body)
        await send()  # the first request imports and connects
        waiting = iter(range(count))

        async def work() -> None:
            for _ in waiting:
                await send()

        started, used = perf_counter(), process_time()
        await asyncio.gather(*(work() for _ in range(jobs)))
        measure = Measure(perf_counter() - started, process_time() - used, count)
        await close()
        return measure

    return asyncio.run(all_of_them())


Opened = tuple[Callable[[], Awaitable[None]], Callable[[], Awaitable[None]]]


async def bare_aiohttp(base: str, body: dict[str, object]) -> Opened:
    """Open aiohttp."""
    import aiohttp

    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def send() -> None:
        async with session.post(f"{base}/chat/completions", json=body) as response:
            assert (await response.json())["choices"]

    return send, session.close


async def bare_httpx(base: str, body: dict[str, object]) -> Opened:
    """Open httpx."""
    import httpx

    session = httpx.AsyncClient(limits=httpx.Limits(max_connections=None), timeout=60.0)

    async def send() -> None:
        assert (await session.post(f"{base}/chat/completions", json=body)).json()["choices"]

    return send, session.aclose


async def bare_litellm(base: str, body: dict[str, object]) -> Opened:
    """Open litellm with the settings of the adapter."""
    from agentmonbench.monitors._litellm import LitellmClient, _litellm

    litellm = _litellm()
    arguments = {**body, "model": "openai/scripted", "api_base": base, "api_key": "none", "max_retries": 0}

    async def send() -> None:
        assert (await litellm.acompletion(**arguments)).choices

    return send, LitellmClient().aclose


@contextmanager
def service(delay_s: float) -> Iterator[str]:
    """Run the scripted service in a process of its own and give its address."""
    command = [sys.executable, __file__, "--serve", str(delay_s)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


async def serve(delay_s: float) -> None:
    """Answer until stdin is closed."""
    async with ScriptedProvider([Answer(ANSWER, delay_s=delay_s)]) as provider:
        print(provider.api_base, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    raise SystemExit(main())
