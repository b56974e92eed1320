"""The SentinelBench environments that are built so far, loaded by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from agentmonbench.errors import UsageError
from worlds.envs.base import Env, Item, Kind, detail, view

__all__ = ["ENVIRONMENTS", "Env", "Item", "Kind", "detail", "environment_class", "view"]

ENVIRONMENTS: Mapping[str, str] = {
    "microhood": "Microhood",
    "microlendar": "Microlendar",
    "micromail": "Micromail",
}
"""From key to the class in the module of that name."""


def environment_class(key: str) -> type[Env]:
    """Return the class of an environment.

    Raises:
        UsageError: no such environment.
    """
    if key not in ENVIRONMENTS:
        raise UsageError(f"unknown environment {key!r}; there are: {', '.join(ENVIRONMENTS)}")
    found: type[Env] = getattr(importlib.import_module(f"worlds.envs.{key}"), ENVIRONMENTS[key])
    return found
