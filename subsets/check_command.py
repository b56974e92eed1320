"""`agentmonbench check`: validate data in the release layout and report every problem.

Exit codes: 0 nothing is wrong, 1 something is, 2 the source cannot be used.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

import subsets
from agentmonbench._command import run_command, say

__all__ = ["app", "main"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  agentmonbench check data/prepared

  agentmonbench check specgap.tar.gz --json"""


@app.command(epilog=EPILOG)
def check(
    source: Annotated[str, typer.Argument(help="A folder or archive of the release, or 'sample'.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the problems as JSON.")] = False,
) -> None:
    """Validate every bundle and gold file of SOURCE, and its hygiene; report all problems at once."""
    problems = subsets.check(source)
    errors = [problem for problem in problems if problem.level == "error"]
    if as_json:
        print(json.dumps([asdict(problem) for problem in problems], indent=2))  # noqa: T201
    else:
        for problem in problems:
            say(str(problem))
        print(f"{len(errors)} problems, {len(problems) - len(errors)} notes")  # noqa: T201
    if errors:
        raise typer.Exit(1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="agentmonbench check")


if __name__ == "__main__":
    sys.exit(main())
