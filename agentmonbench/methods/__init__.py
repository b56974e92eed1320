"""Three ways to show one example to a monitor: base, repograph, ebg."""

from agentmonbench.methods._protocol import DEFAULT_BUDGETS, Method, Shown, ToolReply, Workspace
from agentmonbench.methods._registry import METHODS, get, names

__all__ = ["DEFAULT_BUDGETS", "METHODS", "Method", "Shown", "ToolReply", "Workspace", "get", "names"]
