"""How much gold each method shows within a budget of tokens, without any model (not in the paper).

    python -m experiments.coverage
    python -m experiments.coverage --source FOLDER --subset silentswap --csv coverage.csv --figure coverage

A monitor that reads the index from top to bottom, then what the reads name, is followed for each method and budget.
Exit codes: 0 printed, 1 some examples could not be opened, 2 the command line or its data cannot be used.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

import subsets
from agentmonbench import methods
from agentmonbench._command import run_command, say
from agentmonbench._coverage import Covered, coverage
from agentmonbench.errors import DataError, UsageError
from agentmonbench.examples import SubsetName
from agentmonbench.methods import Method
from experiments._output import new_figure, save_figure, write_csv

__all__ = ["BUDGETS", "app", "main"]

BUDGETS = (4_096, 8_192, 16_384, 32_768, 65_536)
"""Tokens for index and reads together; 16,384 is the aim."""
SUBSETS: tuple[SubsetName, ...] = ("specgap", "silentswap")
"""Sessions are shown whole by every method."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.coverage

  python -m experiments.coverage --source FOLDER --subset silentswap --csv coverage.csv --figure coverage"""


class Row(NamedTuple):
    """One example under one method and budget."""

    subset: str
    example: str
    method: str
    budget: int
    gold_lines: int
    shown_lines: int
    items: int
    complete_items: int
    tokens: int


class Curve(NamedTuple):
    """One method and budget over all examples of a subset."""

    subset: str
    method: str
    budget: int
    examples: int
    lines: float
    """Share of all gold lines that was shown."""
    items: float
    """Share of all conditions or swaps that was shown in full."""
    tokens: float
    """Mean tokens spent."""


@app.command(epilog=EPILOG)
def run(
    *,
    source: Annotated[str, typer.Option(help="'sample', or a folder or archive of the release.")] = "sample",
    subset: Annotated[
        list[str] | None, typer.Option(help="specgap, silentswap; repeatable.", show_default="both")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Methods to compare; repeatable.", show_default="base, repograph, ebg")
    ] = None,
    budget: Annotated[
        list[int] | None, typer.Option(min=1, help="Tokens; repeatable.", show_default="4096 to 65536")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many examples of each subset.")] = None,
    csv_path: Annotated[Path | None, typer.Option("--csv", help="Write one row an example, method and budget.")] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Write a figure: this path with .png and .svg at its end.")
    ] = None,
) -> None:
    """Print the share of gold that each method shows within a budget of tokens."""
    arms = [methods.get(each) for each in method or methods.METHODS]
    rows: list[Row] = []
    broken = 0
    for loaded in _load(subset, source, limit):
        for example_id in loaded.ids:
            try:
                rows += _rows(loaded, example_id, arms, tuple(budget or BUDGETS))
            except DataError as error:
                broken += 1
                say(f"{example_id} is left out: {error}")
    curves = curves_of(rows)
    _print(curves)
    if csv_path is not None:
        write_csv(csv_path, Row._fields, rows)
    if figure is not None:
        _draw(curves, figure)
    if broken:
        raise typer.Exit(1)


def _load(names: Sequence[str] | None, source: str, limit: int | None) -> list[subsets.Subset]:
    unknown = [name for name in names or () if name not in SUBSETS]
    if unknown:
        raise UsageError(f"coverage is not defined for {unknown[0]!r} (valid: {', '.join(SUBSETS)})")
    loaded: list[subsets.Subset] = []
    for name in names or SUBSETS:
        try:
            loaded.append(subsets.load(name, source, limit=limit))
        except UsageError:
            if names:
                raise
    if not loaded:
        raise UsageError(f"the source {source!r} holds none of {', '.join(SUBSETS)}")
    return loaded


def _rows(subset: subsets.Subset, example_id: str, arms: Sequence[Method], budgets: Sequence[int]) -> list[Row]:
    example, gold = subset.example(example_id), subset.gold(example_id)

    def row(method: Method, budget: int, found: Covered) -> Row:
        key = (subset.name, example_id, method.name, budget)
        return Row(*key, found.gold, found.shown, found.items, found.complete, found.tokens)

    return [row(method, budget, coverage(example, gold, method, budget)) for method in arms for budget in budgets]


def curves_of(rows: Sequence[Row]) -> tuple[Curve, ...]:
    """Return the shares over all examples, by first appearance of subset, method and budget."""
    groups: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.subset, row.method, row.budget), []).append(row)
    return tuple(
        Curve(
            *key,
            len(group),
            sum(row.shown_lines for row in group) / max(1, sum(row.gold_lines for row in group)),
            sum(row.complete_items for row in group) / max(1, sum(row.items for row in group)),
            sum(row.tokens for row in group) / len(group),
        )
        for key, group in groups.items()
    )


def _print(curves: Sequence[Curve]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("Subset", "Method"):
        grid.add_column(name)
    for name in ("Budget", "Examples", "Gold lines", "Whole items", "Tokens"):
        grid.add_column(name, justify="right")
    for curve in curves:
        cells = (f"{curve.budget:,}", str(curve.examples), f"{curve.lines:.3f}", f"{curve.items:.3f}")
        grid.add_row(curve.subset, curve.method, *cells, f"{curve.tokens:,.0f}")
    Console(width=None if sys.stdout.isatty() else 100).print(grid)


def _draw(curves: Sequence[Curve], path: Path) -> None:
    names = list(dict.fromkeys(curve.subset for curve in curves))
    figure = new_figure(width=4.6 * len(names), height=3.6)
    for place, name in enumerate(names, start=1):
        panel = figure.add_subplot(1, len(names), place)
        for method, marker in zip(dict.fromkeys(curve.method for curve in curves), "osD^v", strict=False):
            points = [(curve.budget, curve.lines) for curve in curves if (curve.subset, curve.method) == (name, method)]
            panel.plot([x for x, _ in points], [y for _, y in points], marker=marker, label=method)
        panel.axhline(0.95, color="0.7", linewidth=1, linestyle=":")
        panel.set_xscale("log", base=2)
        panel.set(title=name, xlabel="tokens", ylabel="share of gold lines shown", ylim=(0, 1.02))
    figure.axes[0].legend(loc="lower right", frameon=False)
    for written in save_figure(figure, path):
        say(f"wrote {written}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.coverage")


if __name__ == "__main__":
    sys.exit(main())
