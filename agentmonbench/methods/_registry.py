"""Methods by name; others come from the entry point group `agentmonbench.methods`."""

from __future__ import annotations

from agentmonbench._limits import Protocol
from agentmonbench._plugins import offered, offered_factory, unknown_name
from agentmonbench.methods._protocol import Method

__all__ = ["METHODS", "get", "names"]

METHODS: tuple[str, ...] = ("base", "repograph", "ebg")
"""The built-in methods, in the order of the paper's tables."""
_GROUP = "agentmonbench.methods"


def names() -> tuple[str, ...]:
    """Return all names that `get` knows: the built-in ones, then those of installed packages, sorted."""
    return METHODS + tuple(name for name in offered(_GROUP) if name not in METHODS)


def get(name: str, *, protocol: Protocol = "fair") -> Method:
    """Return the method `name`.

    Args:
        name: `base`, `repograph`, `ebg`, or the name of an entry point.
        protocol: `paper` gives the built-in methods the original's rules where they differ.

    Raises:
        UsageError: when there is no such method; the message lists those that exist.
    """
    if name == "base":
        from agentmonbench.methods._base import BaseMethod

        return BaseMethod(protocol=protocol)
    if name == "repograph":
        from agentmonbench.methods._repograph import RepoGraphMethod

        return RepoGraphMethod()
    if name == "ebg":
        from agentmonbench.methods._ebg import EbgMethod

        return EbgMethod()
    factory = offered_factory(_GROUP, name)
    if factory is None:
        raise unknown_name("method", name, names())
    method: Method = factory()
    return method
