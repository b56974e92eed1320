"""Errors of the worlds, beside those of the benchmark (`agentmonbench.errors`).

    AgentMonBenchError
    |-- ToolError        a call of a tool was refused: unknown item, bad argument, not allowed now
    |-- SessionNotFound  no session of this plane has that token (HTTP doors answer 404 and say no more)
    `-- SqlRefused       a grading query is not one harmless SELECT, or did not end within its limits

A `ToolError` is part of the world: the agent reads its message and may go on. The others belong to whoever runs it.
"""

from agentmonbench.errors import AgentMonBenchError

__all__ = ["SessionNotFound", "SqlRefused", "ToolError"]


class ToolError(AgentMonBenchError):
    """A tool refused a call; `status` is what an HTTP door answers with."""

    def __init__(self, message: str, *, code: str = "refused", status: int = 400) -> None:
        super().__init__(message, code=code)
        self.status = status
        """400 refused by a rule of the world, 404 no such item, 409 not in this state, 422 bad arguments."""


class SessionNotFound(AgentMonBenchError):  # noqa: N818  # reads better where it is caught
    """No session of this plane has that token."""


class SqlRefused(AgentMonBenchError):  # noqa: N818  # reads better where it is caught
    """A grading query is not one harmless SELECT, or did not end within its limits."""
