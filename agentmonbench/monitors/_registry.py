"""Monitors by name; others come from the entry point group `agentmonbench.monitors`."""

from __future__ import annotations

from agentmonbench._plugins import offered, offered_factory, unknown_name
from agentmonbench.monitors._protocol import Monitor

__all__ = ["MONITORS", "get", "names"]

MONITORS: tuple[str, ...] = ("lexical", "random", "empty")
"""The built-in monitors that need no model. A monitor that knows gold is not among them on purpose."""
_GROUP = "agentmonbench.monitors"


def names() -> tuple[str, ...]:
    """Return all names that `get` knows: the built-in ones, then those of installed packages, sorted."""
    return MONITORS + tuple(name for name in offered(_GROUP) if name not in MONITORS)


def get(name: str, *, seed: int = 0) -> Monitor:
    """Return the monitor `name`.

    Args:
        name: `lexical`, `random`, `empty`, or the name of an entry point.
        seed: seed of `random`; the others have no chance in them.

    Raises:
        UsageError: when there is no such monitor; the message lists those that exist.
    """
    from agentmonbench.monitors._lexical import LexicalMonitor, RandomMonitor
    from agentmonbench.monitors._scripted import EmptyMonitor

    if name == "lexical":
        return LexicalMonitor()
    if name == "random":
        return RandomMonitor(seed=seed)
    if name == "empty":
        return EmptyMonitor()
    factory = offered_factory(_GROUP, name)
    if factory is None:
        raise unknown_name("monitor", name, names())
    monitor: Monitor = factory()
    return monitor
