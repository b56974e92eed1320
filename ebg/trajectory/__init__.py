"""From an agent's session to its graph: neutral events, readers, behaviors, tasks, links."""

from ebg.trajectory._build import build_trajectory
from ebg.trajectory._model import Ref, Task, TaskRelation, TraceBehavior, TraceEvidence, TrajectoryGraph
from ebg.trajectory._published import from_published, to_published
from ebg.trajectory._view import TrajectoryView, base_view
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
    "from_published",
    "load_model_input",
    "parse_model_input",
    "to_published",
]
