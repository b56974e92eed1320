"""Monitors: models through litellm, and monitors without a model."""

from agentmonbench.monitors._cache import asked_again
from agentmonbench.monitors._gold import GoldMonitor
from agentmonbench.monitors._model import Connections, ModelMonitor, Tally
from agentmonbench.monitors._protocol import FREE, Message, Monitor, Price, Reply, Usage
from agentmonbench.monitors._registry import MONITORS, get, names
from agentmonbench.monitors._scripted import EmptyMonitor, ScriptedMonitor

__all__ = [
    "FREE",
    "MONITORS",
    "Connections",
    "EmptyMonitor",
    "GoldMonitor",
    "Message",
    "ModelMonitor",
    "Monitor",
    "Price",
    "Reply",
    "ScriptedMonitor",
    "Tally",
    "Usage",
    "asked_again",
    "get",
    "names",
]
