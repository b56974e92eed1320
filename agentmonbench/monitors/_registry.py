"""Monitors by name: those without a model, models by short name or litellm id, and those of installed packages."""

from __future__ import annotations

from agentmonbench._plugins import offered, offered_factory, unknown_name
from agentmonbench.monitors._model import Connections, ModelMonitor
from agentmonbench.monitors._protocol import Monitor

__all__ = ["MONITORS", "get", "names"]

MONITORS: tuple[str, ...] = ("lexical", "random", "empty")
"""The built-in monitors that need no model. A monitor that knows gold is not among them on purpose."""
LOCAL = "local"
"""The embedded model; `local:FILE.gguf` is a file of one's own."""
_GROUP = "agentmonbench.monitors"


def names(connections: Connections | None = None) -> tuple[str, ...]:
    """Return all names that `get` knows: built-in monitors, the embedded model, models, those of installed packages.

    Any model can also be had by its litellm id, for example `openrouter/vendor/model`.
    """
    models = (connections or Connections()).catalog().names
    own = (*MONITORS, LOCAL, *models)
    return own + tuple(name for name in offered(_GROUP) if name not in own)


def get(name: str, *, seed: int = 0, connections: Connections | None = None) -> Monitor:
    """Return the monitor `name`.

    Args:
        name: `lexical`, `random`, `empty`; `local` or `local:FILE.gguf`; a short name of `monitors.toml`; a litellm id
            `provider/model`; with an API base in `connections`, any model of that endpoint; or an entry point's name.
        seed: seed of `random`; the others have no chance in them.
        connections: how models are reached; give the same one to all monitors of a run, and close it at the end.

    Raises:
        UsageError: when there is no such monitor (the message lists those that exist), or a key is missing.
    """
    if name in MONITORS:
        return _without_model(name, seed)
    connections = connections or Connections()
    factory = offered_factory(_GROUP, name)
    if factory is not None:
        monitor: Monitor = factory()
        return monitor
    if name == LOCAL or name.startswith(f"{LOCAL}:"):
        from agentmonbench.monitors._local import LocalMonitor

        return LocalMonitor(name, connections)
    spec = connections.catalog().spec(name, api_base=connections.api_base)
    if spec is None:
        raise unknown_name("monitor", name, names(connections))
    return ModelMonitor(spec, connections)


def _without_model(name: str, seed: int) -> Monitor:
    from agentmonbench.monitors._lexical import LexicalMonitor, RandomMonitor
    from agentmonbench.monitors._scripted import EmptyMonitor

    if name == "lexical":
        return LexicalMonitor()
    return RandomMonitor(seed=seed) if name == "random" else EmptyMonitor()
