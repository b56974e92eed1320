"""Three ways to show one example to a monitor: base, repograph, ebg."""

from agentmonbench.methods._protocol import Method, Shown, ToolReply, Workspace
from agentmonbench.methods._registry import METHODS, get, names

__all__ = ["METHODS", "Method", "Shown", "ToolReply", "Workspace", "get", "names"]
