"""Evidence-grounded behavior graphs of Python repositories and of agents' sessions, built without any model."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ebg.repository import build
    from ebg.trajectory import (
        TrajectoryView,
        build_trajectory,
        convert,
        read_transcript,
        read_transcripts,
        trace_events,
    )

__all__ = [
    "TrajectoryView",
    "build",
    "build_trajectory",
    "convert",
    "read_transcript",
    "read_transcripts",
    "trace_events",
]

# Name -> module. Loaded on first use: the parser and the graph library take longer to import than `ebg` does.
_LAZY = {
    "build": "ebg.repository",
    **dict.fromkeys(
        ("TrajectoryView", "build_trajectory", "convert", "read_transcript", "read_transcripts", "trace_events"),
        "ebg.trajectory",
    ),
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
