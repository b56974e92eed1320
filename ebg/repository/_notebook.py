"""Jupyter notebooks, read as one Python text.

A notebook is JSON, and its code stands in strings, so evidence cannot quote lines of the file itself. The text that is
quoted instead (and that `SourceFile.lines` holds) is made of the code cells in order:

    # %% cell 3
    <source of the cell>

`cell 3` counts all cells from 1. A cell whose source does not end with a line end gets one. Lines of IPython
(`%magic`, `!command`, `?help`) and whole cells of `%%magic` become comments by a `# ` in front, so that the rest
parses. Markdown and output are left out.
"""

from __future__ import annotations

import json
import re

from ebg.repository._decode import UndecodableError
from ebg.repository._lines import split_lines

__all__ = ["notebook_text"]

_MAGIC = re.compile(r"\s*(?:[%!]|\?|[\w.]+\?{1,2}\s*$)")
_OTHER_LANGUAGE = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b)")


def notebook_text(data: bytes) -> str:
    """Return the Python text of a notebook.

    Raises:
        UndecodableError: the bytes are no notebook.
    """
    try:
        notebook = json.loads(data)
        cells = (
            notebook["cells"]
            if "cells" in notebook
            else [c for sheet in notebook["worksheets"] for c in sheet["cells"]]
        )
        parts = [_cell(number, cell) for number, cell in enumerate(cells, 1) if cell["cell_type"] == "code"]
    except (ValueError, LookupError, TypeError, RecursionError) as exc:
        raise UndecodableError(f"not a notebook: {type(exc).__name__}") from exc
    text = "".join(parts)
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        raise UndecodableError("not a notebook: unpaired surrogates") from exc
    return text


def _cell(number: int, cell: dict[str, object]) -> str:
    source = cell["source"] if "source" in cell else cell["input"]
    if isinstance(source, list):
        source = "".join(source)
    if not isinstance(source, str):
        raise TypeError("source is no text")
    lines = split_lines(source)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines = (*lines[:-1], lines[-1] + "\n")
    is_foreign = bool(lines) and _OTHER_LANGUAGE.match(lines[0]) is not None
    kept = [f"# {line}" if is_foreign or _MAGIC.match(line) else line for line in lines]
    return f"# %% cell {number}\n" + "".join(kept)
