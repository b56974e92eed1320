"""Monitors: models through litellm, and monitors without a model."""

from agentmonbench.monitors._protocol import Message, Monitor, Reply, Usage
from agentmonbench.monitors._scripted import EmptyMonitor, ScriptedMonitor

__all__ = ["EmptyMonitor", "Message", "Monitor", "Reply", "ScriptedMonitor", "Usage"]
