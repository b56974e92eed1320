"""Where missed items were lost (the paper's Appendix G): file selection, presentation, or the monitor's judgment.

    python -m experiments.failure_stages runs/main
    python -m experiments.failure_stages runs/main --source FOLDER --csv stages.csv --items items.csv --figure stages

Each missed condition, swap or decision is traced through what the run really showed. Stored judges decide what was
missed; without them the rule metrics do, and the output says so. Exit codes: 0 printed, 2 the run or its data cannot
be used.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from agentmonbench._command import run_command, say
from agentmonbench._scoring import INTERVAL_SEED
from agentmonbench.errors import DataError
from agentmonbench.metrics.statistics import mean_interval
from agentmonbench.runs import Key
from experiments._console import print_grid
from experiments._failures import RULES, Item, failed_by_judge, failed_by_rule, items_of
from experiments._output import new_figure, save_figure, write_csv
from experiments._stored import StoredRun, open_run
from judges import JudgementKey, stored_judgements

__all__ = ["STAGES", "ItemRow", "StageRow", "app", "main", "stages_of"]

STAGES = ("model_judgment", "file_selection", "evidence_presentation", "unresolved")
"""Unresolved failures have no share: percentages use resolved failures only."""
ALL = "all"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

EPILOG = """Examples:

  python -m experiments.failure_stages runs/main

  python -m experiments.failure_stages runs/main --csv stages.csv --items items.csv --figure stages"""


class ItemRow(NamedTuple):
    """One condition, swap or decision of one prediction, as one judge or the rule decided about it."""

    subset: str
    example: str
    method: str
    monitor: str
    repeat: int
    decided_by: str
    item: str
    kind: str
    stage: str
    """Where it was lost; empty when it was found."""


class StageRow(NamedTuple):
    """How many failures of one arm and kind were lost at one stage."""

    subset: str
    monitor: str
    method: str
    decided_by: str
    kind: str
    """Type of the condition, mechanism of the swap, category of the feedback; `all` for all together."""
    items: int
    failed: int
    stage: str
    lost: int
    share: float | None
    """Of the resolved failures; None when there is none, and for `unresolved`."""
    low: float | None
    """Ends of the share's 95% interval, clustered by example."""
    high: float | None


@app.command(epilog=EPILOG)
def run(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A scored run folder.")],
    *,
    source: Annotated[
        str | None, typer.Option(help="Where the run's data lies now.", show_default="as the run says")
    ] = None,
    csv_path: Annotated[Path | None, typer.Option("--csv", help="Write counts and shares by kind and stage.")] = None,
    items_path: Annotated[Path | None, typer.Option("--items", help="Write one row an item with its stage.")] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Write a figure: this path with .png and .svg at its end.")
    ] = None,
) -> None:
    """Print at which stage missed items were lost, by monitor, method and kind."""
    stored = open_run(folder, source)
    rows, left_out = _item_rows(stored)
    found = stages_of(rows)
    _print(found)
    ruled = sorted({row.decided_by for row in rows if row.decided_by in RULES.values()})
    if ruled:
        say(f"Without judgements, what was missed is decided by {', '.join(ruled)}; the paper's counts use a judge.")
    if left_out:
        say(f"{left_out} predictions without a score of their own are left out: they failed, or their judge did.")
    if csv_path is not None:
        write_csv(csv_path, StageRow._fields, found)
    if items_path is not None:
        write_csv(items_path, ItemRow._fields, rows)
    if figure is not None:
        _draw([row for row in found if row.kind == ALL], figure)


def _item_rows(stored: StoredRun) -> tuple[list[ItemRow], int]:
    """Return the items of every prediction and decider, and how many of these pairs could not be decided."""
    rows: list[ItemRow] = []
    left_out = 0
    for key, decided_by, items in _decided(stored):
        if items is None:
            left_out += 1
        else:
            rows += [ItemRow(*key, decided_by, *item) for item in items]
    return rows, left_out


def _decided(stored: StoredRun) -> Iterator[tuple[Key, str, tuple[Item, ...] | None]]:
    judgements = stored_judgements(stored.folder)
    judges = {
        name: sorted({each.judge for each in judgements if each.key.subset == name and each.stage == 1})
        for name in stored.subsets
    }
    for key, record in stored.records.items():
        subset = stored.subsets[key.subset]
        try:
            example, gold = subset.example(key.example), subset.gold(key.example)
        except DataError:
            yield key, RULES[key.subset], None
            continue
        for judge in judges[key.subset]:
            judgement = judgements.get(JudgementKey(key, 1, judge))
            failed = failed_by_judge(judgement) if judgement is not None and record.ok else None
            yield key, judge, None if failed is None else items_of(example, gold, record, failed)
        if not judges[key.subset]:
            failed = failed_by_rule(example, gold, record)
            yield key, RULES[key.subset], None if failed is None else items_of(example, gold, record, failed)


def stages_of(rows: Sequence[ItemRow]) -> tuple[StageRow, ...]:
    """Return counts and shares by first appearance of subset, monitor, method and decider; `all` before the kinds."""
    groups: dict[tuple[str, str, str, str], dict[str, list[ItemRow]]] = {}
    for row in rows:
        kinds = groups.setdefault((row.subset, row.monitor, row.method, row.decided_by), {ALL: []})
        kinds[ALL].append(row)
        if row.kind:
            kinds.setdefault(row.kind, []).append(row)
    return tuple(
        found
        for arm, kinds in groups.items()
        for kind in (ALL, *sorted(kinds.keys() - {ALL}))
        for found in _stages(arm, kind, kinds[kind])
    )


def _stages(arm: tuple[str, str, str, str], kind: str, rows: Sequence[ItemRow]) -> Iterator[StageRow]:
    failed = [row for row in rows if row.stage]
    counts = Counter(row.stage for row in failed)
    resolved = {f"{row.example} {row.repeat} {row.item}": row for row in failed if row.stage != "unresolved"}
    clusters = {name: row.example for name, row in resolved.items()}
    for stage in STAGES:
        share = low = high = None
        if resolved and stage != "unresolved":
            values = {name: float(row.stage == stage) for name, row in resolved.items()}
            interval = mean_interval(values, seed=INTERVAL_SEED, clusters=clusters)
            share, low, high = interval.mean, interval.low, interval.high
        yield StageRow(*arm, kind, len(rows), len(failed), stage, counts[stage], share, low, high)


def _print(rows: Sequence[StageRow]) -> None:
    lines: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        line = lines.setdefault((row.subset, row.monitor, row.method, row.decided_by, row.kind), [])
        line += [] if line else [str(row.items), str(row.failed)]
        line.append(str(row.lost) if row.share is None else f"{row.lost} ({100 * row.share:.1f}%)")
    header = ("Subset", "Monitor", "Method", "Decided by", "Kind", "Items", "Missed")
    print_grid(
        (*header, "Judgment", "Selection", "Presentation", "Unresolved"),
        [(*arm, *cells) for arm, cells in lines.items()],
        words=5,
    )


def _draw(rows: Sequence[StageRow], path: Path) -> None:
    panels = list(dict.fromkeys((row.subset, row.decided_by) for row in rows))
    figure = new_figure(width=4.2 * max(1, len(panels)), height=3.8)
    from matplotlib.ticker import MaxNLocator

    for place, panel_key in enumerate(panels, start=1):
        panel = figure.add_subplot(1, len(panels), place)
        mine = [row for row in rows if (row.subset, row.decided_by) == panel_key]
        bars = list(dict.fromkeys(f"{row.monitor}\n{row.method}" for row in mine))
        below = [0] * len(bars)
        for stage, colour in zip(STAGES, ("#4477aa", "#ee6677", "#ccbb44", "#bbbbbb"), strict=True):
            heights = [row.lost for row in mine if row.stage == stage]
            panel.bar(bars, heights, bottom=below, color=colour, label=stage.replace("_", " "))
            below = [low + height for low, height in zip(below, heights, strict=True)]
        panel.set(title=f"{panel_key[0]} ({panel_key[1]})", ylabel="missed items")
        panel.tick_params(axis="x", labelsize=7)
        panel.yaxis.set_major_locator(MaxNLocator(integer=True))
    if panels:
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    for written in save_figure(figure, path):
        say(f"wrote {written}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, arguments, name="python -m experiments.failure_stages")


if __name__ == "__main__":
    sys.exit(main())
