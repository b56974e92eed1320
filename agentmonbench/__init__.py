"""AgentMonBench: the benchmark of monitors."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentmonbench._api import run, run_async
    from agentmonbench._predict import Options
    from agentmonbench._run import Results
    from agentmonbench.examples import Example

__all__ = ["Example", "Options", "Results", "run", "run_async"]

# Name -> module. Loaded on first use, so that importing the package costs nothing.
_LAZY = {
    "Example": "agentmonbench.examples",
    "Options": "agentmonbench._predict",
    "Results": "agentmonbench._run",
    "run": "agentmonbench._api",
    "run_async": "agentmonbench._api",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
