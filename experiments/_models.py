"""How the models of a command are reached and what they may cost: the options of every command that runs models."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from agentmonbench import monitors
from agentmonbench._spending import Spending
from agentmonbench.monitors import Connections, Monitor

__all__ = ["ANSWERS", "Models", "with_models"]

ANSWERS = "answers.sqlite3"
"""Name of the cache of answers in the folder of all runs."""

_OPTIONS: dict[str, tuple[Any, object]] = {
    "client": (
        Annotated[
            Literal["litellm", "direct"],
            typer.Option(
                "--client", help="'litellm' reaches every provider; 'direct' is quicker for OpenAI-compatible ones."
            ),
        ],
        "litellm",
    ),
    "api_base": (
        Annotated[
            str | None,
            typer.Option(
                "--api-base", help="OpenAI-compatible endpoint for all models.", show_default="their providers'"
            ),
        ],
        None,
    ),
    "monitors_file": (
        Annotated[Path | None, typer.Option("--monitors-file", help="TOML file with more models.", show_default=False)],
        None,
    ),
    "max_connections": (
        Annotated[int, typer.Option("--max-connections", min=1, help="Most requests in flight to one provider.")],
        32,
    ),
    "timeout": (Annotated[float, typer.Option("--timeout", min=1.0, help="Seconds for one answer.")], 600.0),
    "cache": (
        Annotated[
            Path | None,
            typer.Option(
                "--cache", help="File that keeps answers: none is paid twice.", show_default=f"RUNS_DIR/{ANSWERS}"
            ),
        ],
        None,
    ),
    "no_cache": (Annotated[bool, typer.Option("--no-cache", help="Keep no answers and use none.")], False),
    "max_cost": (
        Annotated[
            float | None,
            typer.Option(
                "--max-cost",
                metavar="USD",
                help="Begin nothing new once the run has cost this much; exit code 3.",
                show_default="no limit",
            ),
        ],
        None,
    ),
}
"""Parameter -> type and default, in the order of the help."""


@dataclass(frozen=True, slots=True)
class Models:
    """The models of one command."""

    connections: Connections
    spending: Spending | None = None
    """The limit on money, if there is one."""

    def get(self, names: Iterable[str], *, seed: int) -> list[Monitor]:
        """Return monitors or judges by name.

        Raises:
            UsageError: for an unknown name or a missing key, or when a limit on money meets an unknown price.
        """
        found = [monitors.get(name, seed=seed, connections=self.connections) for name in names]
        if self.spending is not None:
            Spending.check_prices(found)
        return found


def with_models(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options about models; it takes them as one keyword argument `models`.

    The command has parameters `runs_dir` and `dry_run`: the cache lies in the one, and the other needs no keys.
    """

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        chosen = {name: arguments.pop(name) for name in _OPTIONS}
        command(**arguments, models=_models(**chosen, runs_dir=arguments["runs_dir"], dry_run=arguments["dry_run"]))

    given = inspect.signature(command, eval_str=True)
    own = [parameter for name, parameter in given.parameters.items() if name != "models"]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _OPTIONS.items()
    ]
    # The framework reads options from both places.
    run.__signature__ = given.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *more)}
    return run


def _models(
    *,
    client: Literal["litellm", "direct"],
    api_base: str | None,
    monitors_file: Path | None,
    max_connections: int,
    timeout: float,
    cache: Path | None,
    no_cache: bool,
    max_cost: float | None,
    runs_dir: Path,
    dry_run: bool,
) -> Models:
    connections = Connections(
        client=client,
        api_base=api_base,
        aliases=monitors_file,
        max_connections=max_connections,
        timeout_s=timeout,
        cache=None if no_cache else cache or runs_dir / ANSWERS,
        # A missing key is named before any work; a dry run sends nothing and needs none.
        check_keys=not dry_run,
    )
    return Models(connections, None if max_cost is None else Spending(max_cost, connections.tally))
