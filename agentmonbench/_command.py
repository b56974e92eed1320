"""How every command of the project ends: what it prints for an error, and its exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmonbench.errors import AgentMonBenchError
from ebg.errors import EbgError

if TYPE_CHECKING:
    import typer

__all__ = ["EXIT_INTERRUPTED", "EXIT_USAGE", "run_command", "say"]

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def say(text: str) -> None:
    """Write a line for people to stderr, with nothing in it that could steer a terminal."""
    from agentmonbench.report import visible

    print(visible(text), file=sys.stderr, flush=True)  # noqa: T201


def run_command(app: typer.Typer, arguments: Sequence[str] | None, *, name: str) -> int:
    """Run a command line and return its exit code; every expected error is one message on stderr, no traceback.

    Args:
        app: the command.
        arguments: its arguments, by default those of the process.
        name: how the command is called, for its usage line.
    """
    import click
    import typer

    try:
        code = typer.main.get_command(app).main(
            args=list(sys.argv[1:] if arguments is None else arguments), prog_name=name, standalone_mode=False
        )
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted. What was finished is kept; the same command goes on.")
        return EXIT_INTERRUPTED
    except (AgentMonBenchError, EbgError) as error:
        say(f"Error: {error}")
        return EXIT_USAGE
    return code if isinstance(code, int) else 0
