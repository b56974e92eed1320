"""From an agent's session to its graph: neutral events, readers, behaviors, tasks, links."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ebg.trajectory._build import build_trajectory
    from ebg.trajectory._convert import convert
    from ebg.trajectory._model import Ref, Task, TaskRelation, TraceBehavior, TraceEvidence, TrajectoryGraph
    from ebg.trajectory._published import from_published, to_published
    from ebg.trajectory._trace import trace_events
    from ebg.trajectory._view import TrajectoryView, base_view
    from ebg.trajectory.readers import detect_format, read_transcript, read_transcripts, reader_names
    from ebg.trajectory.readers.model_input import ModelInput, load_model_input, parse_model_input

__all__ = [
    "ModelInput",
    "Ref",
    "Task",
    "TaskRelation",
    "TraceBehavior",
    "TraceEvidence",
    "TrajectoryGraph",
    "TrajectoryView",
    "base_view",
    "build_trajectory",
    "convert",
    "detect_format",
    "from_published",
    "load_model_input",
    "parse_model_input",
    "read_transcript",
    "read_transcripts",
    "reader_names",
    "to_published",
    "trace_events",
]

# Name -> module. Loaded on first use: the benchmark needs the events alone, and they must import quickly.
_LAZY = {
    **dict.fromkeys(("ModelInput", "load_model_input", "parse_model_input"), "readers.model_input"),
    **dict.fromkeys(("detect_format", "read_transcript", "read_transcripts", "reader_names"), "readers"),
    **dict.fromkeys(("Ref", "Task", "TaskRelation", "TraceBehavior", "TraceEvidence", "TrajectoryGraph"), "_model"),
    **dict.fromkeys(("from_published", "to_published"), "_published"),
    **dict.fromkeys(("TrajectoryView", "base_view"), "_view"),
    "build_trajectory": "_build",
    "convert": "_convert",
    "trace_events": "_trace",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
