"""What every experiment writes: a tidy CSV and, if asked, one figure as PNG and SVG with equal bytes for equal data."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agentmonbench.errors import UsageError
from ebg._files import write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["new_figure", "save_figure", "write_csv"]


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write `rows` under `header`; floats keep every digit, None is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([repr(cell) if isinstance(cell, float) else cell for cell in row] for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text.getvalue())


def new_figure(*, width: float, height: float) -> Figure:
    """Return an empty figure, in inches.

    Raises:
        UsageError: when matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("--figure needs matplotlib: pip install 'agentmonbench[plots]'") from error
    # SVG ids are random unless they are salted.
    mpl.rcParams["svg.hashsalt"] = "agentmonbench"
    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: Path) -> tuple[Path, Path]:
    """Write `path` with .png and with .svg at its end, and return both paths."""
    path.parent.mkdir(parents=True, exist_ok=True)
    png, svg = path.with_name(path.name + ".png"), path.with_name(path.name + ".svg")
    figure.savefig(png, dpi=160)
    figure.savefig(svg, metadata={"Date": None})
    return png, svg
