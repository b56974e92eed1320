"""Tokens and money per example, by subset, monitor and method (the paper's token table).

    python -m experiments.cost runs/main
    python -m experiments.cost runs/main --reference base --csv cost.csv --figure cost
    python -m experiments.cost --published

Every request counts: repairs, both stages of SilentSwap and failed predictions included. Tokens are those that the
provider reported; where it reported none, only our estimate of the prompts is known. Judges are shown apart. Exit
codes: 0 printed, 2 a run cannot be used.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import typer

from agentmonbench._command import run_command, say
from agentmonbench._scoring import INTERVAL_SEED
from agentmonbench.errors import UsageError
from agentmonbench.metrics.statistics import epoch_means, mean_interval
from agentmonbench.runs import Key, RunDirectory
from experiments._console import print_grid
from experiments._output import new_figure, save_figure, write_csv
from experiments._stored import records_of
from judges import stored_judgements

__all__ = ["MONITOR", "CostRow", "PublishedTokens", "Spent", "app", "costs_of", "main", "published_tokens"]

MONITOR = "monitor"
"""Who spent it, where it was not a judge."""

_Number = TypeVar("_Number", int, float)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.cost runs/main

  python -m experiments.cost runs/main --reference base --csv cost.csv --figure cost"""


class Spent(NamedTuple):
    """What one prediction took, or one judge of it."""

    key: Key
    by: str
    """`monitor`, or the judge's name."""
    requests: int
    repairs: int
    input_tokens: int | None
    """None where any request came back without a count."""
    output_tokens: int | None
    prompt_estimate: int | None
    """Our estimate of all prompts; None for judges."""
    cost_usd: float | None


class CostRow(NamedTuple):
    """Means over the examples of one arm; repeats of an example are averaged first."""

    subset: str
    monitor: str
    method: str
    spent_by: str
    examples: int
    reported: int
    """Examples whose tokens the provider reported; the means of tokens are over these."""
    requests: float
    repairs: float
    input_tokens: float | None
    output_tokens: float | None
    tokens: float | None
    """Input and output together, with the 95% interval."""
    low: float | None
    high: float | None
    relative: float | None
    """Tokens against the reference method, on the examples that both report: 0.1 is a tenth more."""
    prompt_estimate: float | None
    cost_usd: float | None
    """None when the price of any example is not known."""
    total_usd: float | None
    """Of all examples and repeats."""


@app.command(epilog=EPILOG)
def run(
    runs: Annotated[list[Path] | None, typer.Argument(metavar="[RUN]...", help="Run folders, scored or not.")] = None,
    *,
    published: Annotated[bool, typer.Option("--published", help="Print the paper's token table instead.")] = False,
    reference: Annotated[str, typer.Option(help="The method that the others are compared with.")] = "base",
    csv_path: Annotated[Path | None, typer.Option("--csv", help="Write every number as a tidy CSV file.")] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Write a figure: this path with .png and .svg at its end.")
    ] = None,
) -> None:
    """Print what predictions and judgements took, per example."""
    if published == bool(runs):
        raise UsageError("give run folders, or --published")
    if published:
        _print_published()
        return
    spent: dict[tuple[Key, str], Spent] = {}
    for folder in runs or ():
        for each in _spent(RunDirectory(folder)):
            if (each.key, each.by) in spent:
                raise UsageError(f"{folder} holds {each.key.example} with {each.key.method} a second time")
            spent[each.key, each.by] = each
    if not spent:
        raise UsageError("there are no predictions in these folders")
    rows = costs_of(list(spent.values()), reference=reference)
    _print(rows, reference)
    if csv_path is not None:
        write_csv(csv_path, CostRow._fields, rows)
    if figure is not None:
        _draw([row for row in rows if row.spent_by == MONITOR], figure)


def _spent(folder: RunDirectory) -> Iterator[Spent]:
    folder.manifest()  # says what is wrong with a folder that is no run
    records = records_of(folder)
    for key, record in records.items():
        sums = record.totals
        yield Spent(
            key,
            MONITOR,
            sums.requests,
            sums.repairs,
            sums.input_tokens,
            sums.output_tokens,
            sums.prompt_tokens_estimate,
            sums.cost_usd,
        )
    judged: dict[tuple[Key, str], Spent] = {}
    for name, judgement in sorted(stored_judgements(folder).items()):
        if name.key not in records:
            continue
        before = judged.get((name.key, name.judge), Spent(name.key, name.judge, 0, 0, 0, 0, None, 0.0))
        replies = [attempt.reply for attempt in judgement.attempts if attempt.reply is not None]
        judged[name.key, name.judge] = before._replace(
            requests=before.requests + len(judgement.attempts),
            repairs=before.repairs + sum(attempt.stage != "initial" for attempt in judgement.attempts),
            input_tokens=_sum([before.input_tokens, *(reply.usage.input_tokens for reply in replies)]),
            output_tokens=_sum([before.output_tokens, *(reply.usage.output_tokens for reply in replies)]),
            cost_usd=_sum([before.cost_usd, *(reply.cost_usd for reply in replies)]),
        )
    yield from judged.values()


def _sum(values: Sequence[_Number | None]) -> _Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if len(known) == len(values) else None


def costs_of(spent: Sequence[Spent], *, reference: str) -> tuple[CostRow, ...]:
    """Return the means of every arm, by first appearance of subset, monitor, method and who spent it."""
    arms: dict[tuple[str, str, str, str], list[Spent]] = {}
    for each in spent:
        arms.setdefault((each.key.subset, each.key.monitor, each.key.method, each.by), []).append(each)
    tokens = {arm: _tokens(group) for arm, group in arms.items()}
    return tuple(
        _row(arm, group, tokens[arm], tokens.get((arm[0], arm[1], reference, arm[3]), {}))
        for arm, group in arms.items()
    )


def _tokens(group: Sequence[Spent]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for each in group:
        if each.input_tokens is not None and each.output_tokens is not None:
            found.setdefault(each.key.example, []).append(float(each.input_tokens + each.output_tokens))
    return epoch_means(found)


def _row(
    arm: tuple[str, str, str, str], group: Sequence[Spent], tokens: dict[str, float], base: dict[str, float]
) -> CostRow:
    costs = [each.cost_usd for each in group]
    total = None if None in costs else sum(cost for cost in costs if cost is not None)
    known = [each for each in group if each.key.example in tokens]
    mean = low = high = None
    if tokens:
        interval = mean_interval(tokens, seed=INTERVAL_SEED, bounds=(0.0, max(1.0, *tokens.values())))
        mean, low, high = interval.mean, interval.low, interval.high
    common = tokens.keys() & base.keys()
    below = sum(base[name] for name in common)
    return CostRow(
        *arm,
        examples=len({each.key.example for each in group}),
        reported=len(tokens),
        requests=_mean(group, "requests") or 0.0,
        repairs=_mean(group, "repairs") or 0.0,
        input_tokens=_mean(known, "input_tokens"),
        output_tokens=_mean(known, "output_tokens"),
        tokens=mean,
        low=low,
        high=high,
        relative=sum(tokens[name] for name in common) / below - 1 if below else None,
        prompt_estimate=_mean(group, "prompt_estimate"),
        cost_usd=_mean(group, "cost_usd") if total is not None else None,
        total_usd=total,
    )


def _mean(group: Sequence[Spent], name: str) -> float | None:
    """Return the mean over examples of a field, over those that have it."""
    found: dict[str, list[float]] = {}
    for each in group:
        value = getattr(each, name)
        if value is not None:
            found.setdefault(each.key.example, []).append(float(value))
    means = epoch_means(found)
    return sum(means.values()) / len(means) if means else None


def _print(rows: Sequence[CostRow], reference: str) -> None:
    header = ("Subset", "Monitor", "Method", "Spent by", "Examples", "Requests", "Input", "Output", "Tokens")
    print_grid(
        (*header, f"vs {reference}", "Prompt estimate", "USD each", "USD all"),
        [
            (
                *row[:4],
                str(row.examples) if row.reported == row.examples else f"{row.reported} of {row.examples}",
                f"{row.requests:.1f}",
                *(_whole(value) for value in (row.input_tokens, row.output_tokens, row.tokens)),
                "-" if row.relative is None else f"{100 * row.relative:+.1f}%",
                _whole(row.prompt_estimate),
                "?" if row.cost_usd is None else f"{row.cost_usd:.4f}",
                "?" if row.total_usd is None else f"{row.total_usd:.2f}",
            )
            for row in rows
        ],
        words=4,
    )
    silent = sum(row.examples - row.reported for row in rows)
    if silent:
        say(f"{silent} examples have no reported tokens; the means of tokens are over the others.")


class PublishedTokens(NamedTuple):
    """Input and output tokens an example of the paper's runs, predictions only."""

    monitor: str
    subset: str
    ebg: float
    base: float

    @property
    def relative(self) -> float:
        """EBG against Base: 0.1 is a tenth more."""
        return self.ebg / self.base - 1


def published_tokens() -> tuple[PublishedTokens, ...]:
    """Return the paper's token table; it is older than the scores of two of its monitors (data-metrics, part 8)."""
    text = files("experiments").joinpath("published_tokens.csv").read_text(encoding="utf-8")
    return tuple(
        PublishedTokens(row["monitor"], row["subset"], float(row["EBG"]), float(row["Base"]))
        for row in csv.DictReader(text.splitlines())
    )


def _print_published() -> None:
    print_grid(
        ("Monitor", "Subset", "EBG", "Base", "EBG vs Base"),
        [
            (row.monitor, row.subset, _whole(row.ebg), _whole(row.base), f"{100 * row.relative:+.1f}%")
            for row in published_tokens()
        ],
        words=2,
    )
    say("Not comparable with a run of other data, models or prompts; the rows of DeepSeek are of earlier runs.")


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _draw(rows: Sequence[CostRow], path: Path) -> None:
    names = list(dict.fromkeys(row.subset for row in rows))
    figure = new_figure(width=4.2 * len(names), height=3.8)
    for place, name in enumerate(names, start=1):
        panel = figure.add_subplot(1, len(names), place)
        mine = [row for row in rows if row.subset == name and row.tokens is not None]
        heights = [row.tokens or 0.0 for row in mine]
        errors = [
            [height - (row.low or 0.0) for row, height in zip(mine, heights, strict=True)],
            [(row.high or 0.0) - height for row, height in zip(mine, heights, strict=True)],
        ]
        panel.bar([f"{row.monitor}\n{row.method}" for row in mine], heights, yerr=errors, capsize=3, color="#4477aa")
        panel.set(title=name, ylabel="tokens an example")
        panel.tick_params(axis="x", labelsize=7)
    for written in save_figure(figure, path):
        say(f"wrote {written}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.cost")


if __name__ == "__main__":
    sys.exit(main())
