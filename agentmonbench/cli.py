"""The `agentmonbench` command: a table of subcommands, each imported only when it is called.

The table holds names of modules, not imports: subcommands live in the rooms that they belong to, some of which are
built on this one. A subcommand's module has `main(arguments) -> int`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import version
from typing import NamedTuple

__all__ = ["COMMANDS", "main"]


class Command(NamedTuple):
    """A subcommand: where it lives and what it does."""

    module: str
    summary: str


COMMANDS = {
    "review": Command("agentmonbench.review.command", "list what an agent decided in a session and you should check"),
    "evidence": Command("agentmonbench.review.evidence_command", "print the exact record behind an id of a review"),
    "build": Command("subsets.build_command", "make new, verified examples from your own repositories and sessions"),
    "check": Command("subsets.check_command", "validate a folder in the release layout; report every problem"),
    "compare": Command("experiments.compare", "paired differences between methods, monitors or runs, with tests"),
    "run": Command(
        "experiments.main", "run monitors and methods over the subsets (same as python -m experiments.main)"
    ),
}

USAGE = """usage: agentmonbench COMMAND [OPTIONS]

Commands:
{commands}

agentmonbench COMMAND --help tells more.

Examples:
  agentmonbench review --latest
  agentmonbench run --monitor lexical --method ebg
  agentmonbench check FOLDER
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code: 2 for a wrong command line, otherwise as the subcommand says."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    name, rest = (words[0], words[1:]) if words else ("", [])
    if name in {"", "-h", "--help"}:
        width = max(map(len, COMMANDS))
        listing = "\n".join(f"  {key:<{width}}  {command.summary}" for key, command in COMMANDS.items())
        print(USAGE.format(commands=listing), end="", file=sys.stdout if name else sys.stderr)
        return 0 if name else 2
    if name == "--version":
        print(f"agentmonbench {version('agentmonbench')}")  # noqa: T201
        return 0
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        valid = ", ".join(COMMANDS)
        print(f"Error: unknown command {name!r}{hint} (valid: {valid})", file=sys.stderr)  # noqa: T201
        return 2
    code: int = import_module(COMMANDS[name].module).main(rest)
    return code


if __name__ == "__main__":
    sys.exit(main())
