"""Reliability figure 7: nothing reaches for the network, and commands start at once.

    python benchmarks/network_silence.py

Each command runs in an interpreter of its own whose sockets note and refuse every address outside loopback: the help of
every command, the main job over the bundled samples with every method and a dry run, and a model on loopback through
litellm and through the direct client, with no variable of litellm's set. Printed are the attempts and, as the best of
three, the time of `--help` and of the import of each package. The exit code is 0 only if there was no attempt.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
GUARD = """
import atexit, json, os, socket
seen = []
LOOPBACK = ("127.0.0.1", "::1", "localhost", "", None, b"127.0.0.1")
connect, connect_ex, lookup, sendto = (
    socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo, socket.socket.sendto)
def check(address):
    host = address[0] if isinstance(address, tuple) else address
    if isinstance(address, tuple) and host not in LOOPBACK:
        seen.append(str(address))
        raise OSError(f"{address}: the network is off")
def guarded_connect(self, address):
    check(address)
    return connect(self, address)
def guarded_connect_ex(self, address):
    check(address)
    return connect_ex(self, address)
def guarded_sendto(self, data, *rest):
    check(rest[-1])
    return sendto(self, data, *rest)
def guarded_lookup(host, *rest, **more):
    check((host,))
    return lookup(host, *rest, **more)
socket.socket.connect, socket.socket.connect_ex = guarded_connect, guarded_connect_ex
socket.socket.sendto, socket.getaddrinfo = guarded_sendto, guarded_lookup
atexit.register(lambda: open(os.environ["SEEN"], "a").write("".join(json.dumps(each) + "\\n" for each in seen)))
"""
MODEL = """
import asyncio
from agentmonbench import monitors
from agentmonbench.testing import Answer, ScriptedProvider
async def main():
    async with ScriptedProvider([Answer("fine")]) as provider:
        connections = monitors.Connections(client="{client}", api_base=provider.api_base)
        monitor = monitors.get("openai/scripted", connections=connections)
        await monitor.reply([monitors.Message("system", "s"), monitors.Message("user", "u")])
        await connections.aclose()
asyncio.run(main())
"""
PACKAGES = ("ebg", "agentmonbench", "subsets", "judges")
COMMANDS = ("ebg", "agentmonbench", "experiments.main")
HELP_BAR_S, IMPORT_BAR_S = 0.6, 0.4


def main() -> int:
    """Run the figure and print its counts."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "sitecustomize.py").write_text(GUARD, encoding="utf-8")
        jobs = [["-m", name, "--help"] for name in COMMANDS]
        samples = ["-m", "experiments.main", "--runs-dir", str(place / "runs")]
        every_method = ["--method", "base", "--method", "repograph", "--method", "ebg"]
        jobs.append([*samples, *every_method, "--monitor", "lexical", "--limit", "1"])
        jobs.append([*samples, *every_method, "--monitor", "lexical", "--dry-run"])
        jobs += [["-c", MODEL.format(client=client)] for client in ("direct", "litellm")]
        attempts = sum(run(job, place) for job in jobs)
    print(f"{len(jobs)} commands, {attempts} network attempts")
    for name in COMMANDS:
        print(f"{name} --help: {best_time(['-m', name, '--help']):.2f} s (bar {HELP_BAR_S})")
    start = best_time(["-c", "pass"])
    for name in PACKAGES:
        print(f"import {name}: {best_time(['-c', f'import {name}']) - start:.2f} s (bar {IMPORT_BAR_S})")
    return 0 if attempts == 0 else 1


def run(job: Sequence[str], place: Path) -> int:
    """Run one command under guard and return its attempts."""
    seen = place / "seen.jsonl"
    seen.write_text("", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LITELLM", "HF_"))}
    environment |= {"PYTHONPATH": f"{place}{os.pathsep}{ROOT}", "SEEN": str(seen)}
    done = subprocess.run(
        [sys.executable, *job], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        print(f"exit code {done.returncode}: {' '.join(job)[:100]}\n{done.stderr[-2_000:]}")
        return 1
    attempts = [json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines()]
    for address in attempts:
        print(f"attempt: {address} by {' '.join(job)[:80]}")
    return len(attempts)


def best_time(job: Sequence[str]) -> float:
    """Return the shortest of three runs in seconds."""
    times = []
    for _ in range(3):
        started = perf_counter()
        subprocess.run([sys.executable, *job], cwd=ROOT, capture_output=True, check=True)
        times.append(perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    raise SystemExit(main())
