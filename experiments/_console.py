"""What an experiment shows on a terminal: progress and words on stderr, results on stdout."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentmonbench._command import say
from agentmonbench._tables import Table
from agentmonbench.loop import Record
from agentmonbench.monitors import Connections
from agentmonbench.runs import Key
from ebg.text import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from judges import Judgement, JudgementKey

__all__ = ["Lines", "Work", "print_grid", "print_table", "progress"]

QUIET_S = 2.0
"""Without a terminal, at most one line of progress in this many seconds, the last one excepted."""
BEAT_S = 15.0
"""Without a terminal, at least one line of progress in this many seconds."""


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


@dataclass(slots=True)
class Work:
    """How far a run is, in words."""

    total: int
    done: int
    connections: Connections
    failed: int = 0
    judged: int = 0
    made: int = 0
    """Predictions of this process; the time left follows from them."""
    began: float = field(default_factory=time.monotonic)

    def finished(self, record: Record) -> None:
        """Count a prediction."""
        self.done += 1
        self.made += 1
        self.failed += record.failure is not None

    def text(self) -> str:
        """Return everything in one line."""
        return "; ".join(part for part in (f"{self.done}/{self.total} predictions", self.state()) if part)

    def state(self) -> str:
        """Return failures, judgements, calls, tokens, money and the time left, as far as there is any."""
        parts = [f"{self.failed} failed" if self.failed else "", f"{self.judged} judged" if self.judged else ""]
        return "; ".join(part for part in (*parts, *self._calls(), self._left()) if part)

    def _calls(self) -> list[str]:
        tally = self.connections.tally
        if not (tally.sent or tally.cached or self.connections.waiting):
            return []
        states = {
            "waiting": self.connections.waiting,
            "pausing": tally.pausing,
            "retried": tally.retried,
            "from cache": tally.cached,
        }
        detail = ", ".join(f"{count} {name}" for name, count in states.items() if count)
        money = f"${tally.cost_usd:.4f}" if not tally.unpriced else f"${tally.cost_usd:.4f} + {tally.unpriced} unpriced"
        return [
            f"{tally.sent} calls" + (f" ({detail})" if detail else ""),
            f"{tally.input_tokens:,} tokens in, {tally.output_tokens:,} out",
            money,
        ]

    def _left(self) -> str:
        if not self.made or self.done >= self.total:
            return ""
        seconds = (time.monotonic() - self.began) / self.made * (self.total - self.done)
        return f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {seconds:.0f} s left"


class Lines:
    """Progress in plain lines, for logs and pipes: one now and then, also while nothing is finished."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._last = time.monotonic()
        self._ended = threading.Event()
        self._beat = threading.Thread(target=self._keep_saying, daemon=True)
        self._beat.start()

    def started(self, key: Key) -> None:
        """Say nothing: a line is written when there is a result."""

    def finished(self, key: Key, record: Record) -> None:
        """Count, and now and then say how far the work is."""
        self._work.finished(record)
        if self._work.done == self._work.total or time.monotonic() - self._last >= QUIET_S:
            self._say(f"(last: {key.example} {key.method} {key.monitor})")

    def judged(self, key: JudgementKey, judgement: Judgement) -> None:
        """Count a judgement."""
        self._work.judged += 1
        if time.monotonic() - self._last >= QUIET_S:
            self._say(f"(last: {key.key.example} {key.judge})")

    def close(self) -> None:
        """End the lines."""
        self._ended.set()
        self._beat.join()

    def _say(self, more: str = "") -> None:
        self._last = time.monotonic()
        say(f"{self._work.text()} {more}".rstrip())

    def _keep_saying(self) -> None:
        while not self._ended.wait(1.0):
            if time.monotonic() - self._last >= BEAT_S:
                self._say()


class Bar:
    """Progress as a bar on a terminal."""

    def __init__(self, work: Work, bar: Progress, task: TaskID) -> None:
        self._work, self._bar, self._task = work, bar, task

    def started(self, key: Key) -> None:
        """Show what is being worked on."""
        self._bar.update(self._task, description=f"{key.example} {key.method}")

    def finished(self, key: Key, record: Record) -> None:
        """Move the bar."""
        self._work.finished(record)
        self._bar.update(self._task, advance=1)

    def judged(self, key: JudgementKey, judgement: Judgement) -> None:
        """Show who is judging."""
        self._work.judged += 1
        self._bar.update(self._task, description=f"{key.key.example} {key.judge}")


@contextmanager
def progress(total: int, done: int, connections: Connections) -> Iterator[Lines | Bar]:
    """Show how the work goes: a bar on a terminal, lines elsewhere."""
    work = Work(total, done, connections)
    if not sys.stderr.isatty():
        lines = Lines(work)
        try:
            yield lines
        finally:
            lines.close()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class State(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(work.state(), overflow="ellipsis", no_wrap=True)

    columns = (TextColumn("{task.description:<24.24}"), BarColumn(16), MofNCompleteColumn(), State())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Bar(work, bar, bar.add_task("starting", total=total, completed=done))
