"""Monitors: models through litellm, and monitors without a model."""

from agentmonbench.monitors._protocol import Message, Monitor, Reply, Usage
from agentmonbench.monitors._registry import MONITORS, get, names
from agentmonbench.monitors._scripted import EmptyMonitor, ScriptedMonitor

__all__ = [
    "MONITORS",
    "EmptyMonitor",
    "Message",
    "Monitor",
    "Reply",
    "ScriptedMonitor",
    "Usage",
    "get",
    "names",
]
