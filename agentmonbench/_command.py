"""How every command of the project ends: what it prints for an error, and its exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmonbench.errors import AgentMonBenchError
from ebg.errors import EbgError

if TYPE_CHECKING:
    import typer

__all__ = ["EXIT_INCOMPLETE", "EXIT_INTERRUPTED", "EXIT_USAGE", "run_command", "say"]

EXIT_USAGE = 2
EXIT_INCOMPLETE = 3
"""A limit on money ended the work early; what was finished is kept and valid."""
EXIT_INTERRUPTED = 130


def say(text: str) -> None:
    """Write a line for people to stderr, with nothing in it that could steer a terminal."""
    from ebg.text import visible

    print(visible(text), file=sys.stderr, flush=True)  # noqa: T201


def run_command(app: typer.Typer, arguments: Sequence[str] | None, *, name: str) -> int:
    """Run a command line and return its exit code; every expected error is one message on stderr, no traceback.

    Args:
        app: the command.
        arguments: its arguments, by default those of the process.
        name: how the command is called, for its usage line.
    """
    code: int | str | None = 0
    try:
        app(args=list(sys.argv[1:] if arguments is None else arguments), prog_name=name)
    except SystemExit as end:  # the framework's way to end, also for a wrong option
        code = end.code
    except (AgentMonBenchError, EbgError) as error:
        say(f"Error: {error}")
        return EXIT_USAGE
    except OSError as error:
        say(f"Error: {error.strerror or error}: {error.filename}" if error.filename else f"Error: {error}")
        return EXIT_USAGE
    if code == EXIT_INTERRUPTED:
        say("Interrupted. What was finished is kept; the same command goes on.")
    return code if isinstance(code, int) else 0
