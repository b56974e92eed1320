"""What an experiment shows on a terminal: progress and words on stderr, results on stdout."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentmonbench._command import say
from agentmonbench._tables import Table
from agentmonbench.loop import Record
from agentmonbench.runs import Key
from ebg.text import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Lines", "print_grid", "print_table", "progress"]

QUIET_S = 2.0
"""Without a terminal, at most one line of progress in this many seconds."""


def print_table(table: Table) -> None:
    """Print a table to stdout, plain when it is no terminal; the best value of a column is bold."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else 120)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("Monitor")
    grid.add_column("Method")
    for name in (*table.metrics, "Examples", "Failed"):
        grid.add_column(name, justify="right", no_wrap=True)
    for row in table.rows:
        cells = [Text(cell.text, style="bold" if cell.best else "") for cell in row.cells]
        failed = Text(str(row.failed), style="bold red" if row.failed else "")
        grid.add_row(visible(row.monitor), row.method, *cells, str(row.examples), failed)
    console.print(grid)


def print_grid(header: Sequence[str], rows: Iterable[Sequence[str]], *, words: int) -> None:
    """Print rows of text to stdout under `header`: the first `words` columns are words, the others numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(header):
        grid.add_column(name, justify="left" if place < words else "right", no_wrap=place >= words)
    for row in rows:
        grid.add_row(*(Text(visible(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else 160).print(grid)


class Lines:
    """Progress in plain lines, for logs and pipes."""

    def __init__(self, total: int, done: int) -> None:
        self._total, self._done, self._failed = total, done, 0
        self._last = time.monotonic()

    def started(self, key: Key) -> None:
        """Say nothing: a line is written when there is a result."""

    def finished(self, key: Key, record: Record) -> None:
        """Count, and now and then say how far the work is."""
        self._done += 1
        self._failed += record.failure is not None
        if self._done == self._total or time.monotonic() - self._last >= QUIET_S:
            self._last = time.monotonic()
            failed = f", {self._failed} failed" if self._failed else ""
            say(f"{self._done}/{self._total} predictions{failed} (last: {key.example} {key.method} {key.monitor})")


class Bar:
    """Progress as a bar on a terminal."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task, self._failed = bar, task, 0

    def started(self, key: Key) -> None:
        """Show what is being worked on."""
        self._bar.update(self._task, description=f"{key.example} {key.method}")

    def finished(self, key: Key, record: Record) -> None:
        """Move the bar."""
        self._failed += record.failure is not None
        failed = f"{self._failed} failed" if self._failed else ""
        self._bar.update(self._task, advance=1, failed=failed)


@contextmanager
def progress(total: int, done: int) -> Iterator[Lines | Bar]:
    """Show how the work goes: a bar on a terminal, lines elsewhere."""
    if not sys.stderr.isatty():
        yield Lines(total, done)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("[red]{task.fields[failed]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Bar(bar, bar.add_task("starting", total=total, completed=done, failed=""))
