"""AgentMonBench: the benchmark of monitors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmonbench._lazy import lazy

if TYPE_CHECKING:
    from agentmonbench._api import run, run_async
    from agentmonbench._predict import Options
    from agentmonbench._run import Results
    from agentmonbench.examples import Example

__all__ = ["Example", "Options", "Results", "run", "run_async"]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Example": "agentmonbench.examples",
        "Options": "agentmonbench._predict",
        "Results": "agentmonbench._run",
        "run": "agentmonbench._api",
        "run_async": "agentmonbench._api",
    },
)
