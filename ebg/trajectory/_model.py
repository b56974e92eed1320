"""The nouns of a session's graph: evidence, behaviors, tasks and the relations between tasks.

The paper's terms, for sessions: *evidence* is one whole event; a *behavior* is Demand-Action-Response; a *task* is the
scope that groups behaviors; a *relation* joins two tasks (`precedes`, `references`) and holds its support
(specification parts 1.2 to 1.6 of ebg-method).

Beyond the published form a task also keeps what no behavior holds: user messages that got no reply (`standing`) and
events such as system text (`context`), so that nothing a person or a monitor may need is lost. Both follow from the
places of the evidence and the behaviors, so a graph that is saved in the published form gets them back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ebg.model import Detail
from ebg.trajectory.events import EventType

if TYPE_CHECKING:
    import networkx

__all__ = [
    "BENCHMARK",
    "PREAMBLE",
    "Compat",
    "Ref",
    "Task",
    "TaskRelation",
    "TaskRelationType",
    "TaskResolution",
    "TraceBehavior",
    "TraceEvidence",
    "TrajectoryGraph",
]

Compat = Literal["reference"]
TaskRelationType = Literal["precedes", "references"]
TaskResolution = Literal["position", "id", "quotation", "label", "file"]

BENCHMARK = "feedbacktrace"
"""Name of the benchmark whose examples are sessions; the published form of a session's graph carries it."""
PREAMBLE = "K0000"
"""Id of the task that holds events before the first user message; it exists only if there are any."""


class Ref(NamedTuple):
    """An evidence, or the half-open character range of its content that is meant."""

    evidence: str
    span: tuple[int, int] | None = None
    """None means the whole content."""


@dataclass(frozen=True, slots=True)
class TraceEvidence:
    """One event of the session, whole and verbatim."""

    id: str
    """`E` and six digits, in input order from 1."""
    turn: int
    event_index: int
    """0-based place in the input."""
    event_type: EventType
    tool_name: str | None
    """Set on, and only on, `tool_exchange`."""
    original_id: str | None
    """The id that a monitor may cite; None for prompts and system text."""
    content: str
    sources: tuple[str, ...] = ()
    """Ids of the session events it was made from; not part of the published form."""
    reply: bool = False
    """A user message that answers the agent, so it belongs to the task at hand; not part of the published form."""

    def text(self, ref: Ref) -> str:
        """Return the part of the content that `ref` means."""
        return self.content if ref.span is None else self.content[ref.span[0] : ref.span[1]]


@dataclass(frozen=True, slots=True)
class TraceBehavior:
    """A demand of the user, what the agent did for it and what it said."""

    id: str
    """`T` and four digits, in original order from 1."""
    task: str
    sequence_index: int
    """1-based place inside the task."""
    turns: tuple[int, int]
    """First and last turn over all evidence."""
    demand: tuple[Ref, ...]
    """Parts of exactly one user message: a shared preamble if there is one, then the demand itself."""
    action: tuple[str, ...]
    """Ids of tool evidence; may be empty if there is a response."""
    response: tuple[Ref, ...]
    """Assistant evidence or sentences of it; may be empty if there is an action."""

    @property
    def evidence(self) -> tuple[str, ...]:
        """All evidence ids, each once: demand, action, response."""
        ids = (*(ref.evidence for ref in self.demand), *self.action, *(ref.evidence for ref in self.response))
        return tuple(dict.fromkeys(ids))


@dataclass(frozen=True, slots=True)
class Task:
    """The scope of a session: behaviors that serve one task of the user."""

    id: str
    """`K` and four digits by first appearance from 1; `PREAMBLE` for events before the first user message."""
    turns: tuple[int, int]
    behaviors: tuple[str, ...]
    standing: tuple[str, ...] = ()
    """Evidence ids of user messages without a reply of their own: they stand beside the demands that follow."""
    context: tuple[str, ...] = ()
    """Evidence ids of other events that no behavior holds: system text, and what came before the first message."""


@dataclass(frozen=True, slots=True)
class TaskRelation:
    """`source` precedes `target`, or refers to it (`references`: from the referring task to the one referred to)."""

    id: str
    source: str
    type: TaskRelationType
    target: str
    support: tuple[Ref, ...]
    """Where it is written, in input order; the ranges are not part of the published form."""
    resolution: TaskResolution
    """How it was found. `position` belongs to `precedes`; `file` is ours, the other three are the reference rules."""

    @property
    def evidence(self) -> tuple[str, ...]:
        """Ids of the supporting evidence, each once."""
        return tuple(dict.fromkeys(ref.evidence for ref in self.support))


class TrajectoryGraph:
    """The evidence-grounded behavior graph of a session: tasks joined by relations, over behaviors and evidence.

    Sequences are in the order of their ids, tasks in the order of their first event. Build one with
    `build_trajectory`.
    """

    def __init__(
        self,
        *,
        input_id: str,
        evidence: Sequence[TraceEvidence],
        behaviors: Sequence[TraceBehavior],
        tasks: Sequence[Task],
        relations: Sequence[TaskRelation],
        benchmark: str | None = BENCHMARK,
        compat: Compat | None = None,
    ) -> None:
        self.input_id = input_id
        self.benchmark = benchmark
        """The benchmark that the input is an example of; None for a session of one's own."""
        self.evidence = tuple(evidence)
        self.behaviors = tuple(behaviors)
        self.tasks: Mapping[str, Task] = {task.id: task for task in tasks}
        self.relations = tuple(relations)
        self.compat: Compat | None = compat
        """`reference` when built by the reference rules; it also decides the form of the view."""

    @cached_property
    def evidence_by_id(self) -> Mapping[str, TraceEvidence]:
        """Evidence by id."""
        return {item.id: item for item in self.evidence}

    @cached_property
    def behaviors_by_id(self) -> Mapping[str, TraceBehavior]:
        """Behaviors by id."""
        return {item.id: item for item in self.behaviors}

    @cached_property
    def selectable(self) -> Mapping[str, TraceEvidence]:
        """Evidence by the original id that a monitor may cite, in input order."""
        return {item.original_id: item for item in self.evidence if item.original_id is not None}

    @cached_property
    def current_task(self) -> str | None:
        """Task of the last behavior; without behaviors the last task; None for an empty session."""
        if self.behaviors:
            return self.behaviors[-1].task
        return next(reversed(tuple(self.tasks)), None)

    def to_networkx(self, detail: Detail = "scopes") -> networkx.MultiDiGraph[str]:
        """Return the graph as a networkx MultiDiGraph with tasks as nodes and relations as edges keyed by type.

        Args:
            detail: `scopes` has behaviors as an attribute of tasks; `behaviors` adds a node for each; `evidence` adds a
                node for each evidence.
        """
        from ebg.trajectory._networkx import trajectory_to_networkx

        return trajectory_to_networkx(self, detail)
