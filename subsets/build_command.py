"""`agentmonbench build`: make new, verified examples from anyone's repositories and sessions, without a model.

Exit codes: 0 at least one example was built (or was there already), 1 none was, 2 the command line cannot be used.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentmonbench._command import run_command, say

if TYPE_CHECKING:
    from subsets.build import Outcome

__all__ = ["app", "main"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, no_args_is_help=True)

EPILOG = """Examples:

  agentmonbench build silentswap pypi:python-slugify==9.2.0 -o sets/swaps

  agentmonbench check sets/swaps"""

Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder that gets the release layout.")]
Seed = Annotated[int, typer.Option(help="Seed of everything that is drawn.")]
Jobs = Annotated[int, typer.Option(min=1, help="Sources that are worked on at one time.")]
Cache = Annotated[
    Path | None, typer.Option(help="Where downloads are kept.", show_default="the folder 'cache' in the output")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print what came of each source as JSON.")]


@app.callback(epilog=EPILOG)
def build() -> None:
    """Build examples from your own code and sessions; only execution and exact checks decide what is kept."""


@app.command(epilog=EPILOG)
def silentswap(
    source: Annotated[list[str], typer.Argument(help="Folders, git checkouts or pypi:NAME==VERSION.")],
    *,
    output: Folder,
    count: Annotated[int, typer.Option(min=1, help="Examples of each source, at most.")] = 5,
    seed: Seed = 0,
    suite_limit: Annotated[
        float, typer.Option(min=1, help="Seconds; a package whose own tests take longer is left alone.")
    ] = 120.0,
    jobs: Jobs = 1,
    cache: Cache = None,
    as_json: AsJson = False,
) -> None:
    """Build SilentSwap examples: five verified changes each, that the package's own tests do not notice."""
    from subsets.build import Sandbox, build_silentswap

    sandbox = Sandbox()
    if sandbox.warning:
        say(f"Warning: {sandbox.warning}")
    outcomes = build_silentswap(
        source,
        output,
        count=count,
        seed=seed,
        suite_limit_s=suite_limit,
        jobs=jobs,
        cache=cache,
        sandbox=sandbox,
        say=say,
    )
    _finish(outcomes, output, as_json=as_json)


@app.command(epilog="Example:\n\n  agentmonbench build specgap pypi:parse==1.22.4 -o sets/gaps")
def specgap(
    source: Annotated[list[str], typer.Argument(help="Folders, git checkouts or pypi:NAME==VERSION.")],
    *,
    output: Folder,
    document: Annotated[
        list[str] | None,
        typer.Option(help="Path of a document in the source; repeatable.", show_default="README and documentation"),
    ] = None,
    minimum: Annotated[int, typer.Option(min=1, help="Conditions without which there is no example.")] = 3,
    jobs: Jobs = 1,
    cache: Cache = None,
    as_json: AsJson = False,
) -> None:
    """Build SpecGAP examples: conditions deleted from a package's document, with the code that implements them."""
    from subsets.build import build_specgap

    outcomes = build_specgap(source, output, pages=document or (), minimum=minimum, jobs=jobs, cache=cache, say=say)
    _finish(outcomes, output, as_json=as_json)


def _finish(outcomes: Sequence[Outcome], output: Path, *, as_json: bool) -> None:
    made = sum(len(outcome.ids) for outcome in outcomes)
    if as_json:
        print(json.dumps([asdict(outcome) for outcome in outcomes], indent=2))  # noqa: T201
    else:
        totals: dict[str, int] = {}
        for outcome in outcomes:
            for name, number in outcome.counts.items():
                totals[name] = totals.get(name, 0) + number
        for name, number in totals.items():
            print(f"{number:8,} {name}")  # noqa: T201
        print(f"{made} examples of {sum(bool(each.ids) for each in outcomes)} sources in {output}")  # noqa: T201
    if not made:
        raise typer.Exit(1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="agentmonbench build")


if __name__ == "__main__":
    sys.exit(main())
