"""What the commands that make runs ask for: the data, and the options that they share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import subsets
from agentmonbench._command import say
from agentmonbench.errors import UsageError
from agentmonbench.examples import SUBSETS, SubsetName

__all__ = [
    "CsvPath",
    "DryRun",
    "FigurePath",
    "Ids",
    "Jobs",
    "Judges",
    "Limit",
    "Monitors",
    "Repeats",
    "RetryErrors",
    "RunName",
    "RunsDir",
    "Seed",
    "SourceName",
    "choose_subsets",
]

Monitors = Annotated[
    list[str] | None, typer.Option("--monitor", help="Who is tested; repeatable.", show_default="lexical")
]
Judges = Annotated[
    list[str] | None,
    typer.Option("--judge", help="Model that judges the predictions; repeatable.", show_default="none"),
]
SourceName = Annotated[
    str, typer.Option("--source", help="'sample', a folder or archive of the release, or hub:OWNER/NAME@REVISION.")
]
Ids = Annotated[
    list[str] | None,
    typer.Option("--ids", help="Only these examples; repeatable or separated by commas.", show_default="all"),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first so many examples of each subset.")]
Repeats = Annotated[int, typer.Option("--repeats", min=1, help="Predictions of each example.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything that is drawn.")]
RunName = Annotated[
    str | None, typer.Option("--name", help="Name of the run folder.", show_default="made from the settings")
]
RunsDir = Annotated[Path, typer.Option("--runs-dir", help="Folder of all runs.")]
Jobs = Annotated[int, typer.Option("--jobs", min=1, help="Predictions in flight.")]
RetryErrors = Annotated[bool, typer.Option("--retry-errors", help="Make failed predictions again.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what it would take, and stop.")]
CsvPath = Annotated[Path | None, typer.Option("--csv", help="Write every number as a tidy CSV file.")]
FigurePath = Annotated[
    Path | None, typer.Option("--figure", help="Write a figure: this path with .png and .svg at its end.")
]


def choose_subsets(
    names: Sequence[str] | None,
    source: str,
    *,
    ids: Sequence[str] = (),
    limit: int | None = None,
    among: Sequence[SubsetName] = SUBSETS,
) -> list[subsets.Subset]:
    """Load the subsets that were asked for, or all that the source holds, and say what is odd about them.

    Args:
        names: the subsets; None for every one of `among` that is there.
        source: where the data lies.
        ids: only these examples, also several with commas between them; they are shared out among the subsets.
        limit: only the first so many examples of each.
        among: the subsets that the caller is about.

    Raises:
        UsageError: when a name, the source or an id is wrong.
    """
    outside = [name for name in names or () if name in SUBSETS and name not in among]
    if outside:
        raise UsageError(f"this is not defined for {outside[0]!r} (valid: {', '.join(among)})")
    wanted = [part.strip() for value in ids for part in value.split(",") if part.strip()]
    loaded: list[subsets.Subset] = []
    missing: list[UsageError] = []
    for name in names or among:
        try:
            loaded.append(subsets.load(name, source))
        except UsageError as error:
            if names:
                raise
            missing.append(error)
    if not loaded:
        raise missing[0]
    known = {example_id for each in loaded for example_id in each.ids}
    unknown = [example_id for example_id in wanted if example_id not in known]
    if unknown:
        valid = "; ".join(f"{each.name}: {', '.join(each.ids)}" for each in loaded)
        raise UsageError(f"unknown id {unknown[0]!r} (valid: {valid})")
    chosen = [
        subsets.load(
            each.name, source, ids=[item for item in each.ids if item in wanted] if wanted else None, limit=limit
        )
        for each in loaded
        if not wanted or any(item in each.ids for item in wanted)
    ]
    for each in chosen:
        for note in each.notes:
            say(str(note))
    return chosen
