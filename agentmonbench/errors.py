"""Errors of the benchmark.

    AgentMonBenchError
    |-- UsageError        a wrong option or name; the message lists the valid ones        (exit code 2)
    |-- DataError         a bundle, gold file, archive or run directory breaks a rule
    |-- ProviderError     a model's service failed: network, key, limits, refusals
    |-- MonitorError      a monitor's answer breaks the protocol after its repairs
    |-- JudgeError        a judge's verdict breaks the contract after its repairs
    |-- SandboxError      code could not be run in isolation
    `-- BudgetExceeded    a limit on money or time ended the work; what is finished is kept

A failed example is data: it is recorded with the `code` of its error, scored by rule, and never stops its neighbours.
"""

__all__ = [
    "AgentMonBenchError",
    "BudgetExceeded",
    "DataError",
    "JudgeError",
    "MonitorError",
    "ProviderError",
    "SandboxError",
    "UsageError",
]


class AgentMonBenchError(Exception):
    """Base of every error that the benchmark raises on purpose."""

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code or type(self).__name__
        """Short stable name for records and tables, for example `round_limit_exhausted`."""


class UsageError(AgentMonBenchError):
    """A wrong option or name."""


class DataError(AgentMonBenchError):
    """A bundle, gold file, archive or run directory breaks a rule."""


class ProviderError(AgentMonBenchError):
    """A model's service failed."""


class MonitorError(AgentMonBenchError):
    """A monitor's answer breaks the protocol."""


class JudgeError(AgentMonBenchError):
    """A judge's verdict breaks the contract."""


class SandboxError(AgentMonBenchError):
    """Code could not be run in isolation."""


class BudgetExceeded(AgentMonBenchError):  # noqa: N818  # the architecture names it so
    """A limit on money or time ended the work."""
