"""The Current/History view of a session's graph: the whole session as one line of JSON (part 6 of ebg-method).

Nothing is shortened or summarised; internal evidence ids are never shown. The reference form has scopes, behaviors and
bare `references`. The default form also shows the user messages that stand without a reply, the events that no behavior
holds, and where each reference is written (part 10.6, items 41, 42 and 46).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ebg.errors import GraphError
from ebg.trajectory._model import Ref, Task, TaskRelation, TraceBehavior, TraceEvidence, TrajectoryGraph
from ebg.trajectory.events import TraceEvent

__all__ = ["TrajectoryView", "base_view"]

_SLICE = 160
"""Characters shown of a reference's support: enough to recognise it, the whole text stands in its behavior."""
_LEAD = 40

Json = dict[str, object]


def base_view(events: Iterable[TraceEvent], *, input_id: str) -> str:
    """Return the raw events as one line of JSON with sorted keys, as a monitor without a graph sees them."""
    shown: list[Json] = []
    for event in events:
        row: Json = {"event_type": event.event_type, "turn_number": event.turn_number, "content": event.content}
        if event.evidence_id is not None:
            row["evidence_id"] = event.evidence_id
        if event.tool_name is not None:
            row["tool_name"] = event.tool_name
        shown.append(row)
    payload = {
        "input_id": input_id,
        "track": "long",
        "selectable_evidence_ids": sorted(str(row["evidence_id"]) for row in shown if "evidence_id" in row),
        "events": shown,
    }
    return json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


class TrajectoryView:
    """A view of a session's graph for a monitor.

    Args:
        graph: the graph; one built with `compat="reference"` gives the reference form.
        behaviors: False shows the events of each task merged in order (the ablation without behaviors).
        relations: False shows one flat list, without tasks and relations (the ablation without the graph).
    """

    def __init__(self, graph: TrajectoryGraph, *, behaviors: bool = True, relations: bool = True) -> None:
        self.graph = graph
        self.behaviors = behaviors
        self.relations = relations

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        """Original ids that a monitor may cite, in input order; the view shows every one."""
        return tuple(self.graph.selectable)

    def render(self) -> str:
        """Return the view as compact JSON on one line with a trailing newline.

        Raises:
            GraphError: in the reference form, when an event with an original id is in no behavior.
        """
        return json.dumps(self.payload(), ensure_ascii=False, separators=(",", ":")) + "\n"

    def payload(self) -> Json:
        """Return the view as JSON values; errors as for `render`."""
        graph = self.graph
        if graph.compat == "reference":
            self._check_nothing_is_lost()
        head: Json = {"input_id": graph.input_id}
        if graph.benchmark is not None:
            head["benchmark"] = graph.benchmark
        if self.relations:
            head["current_task_id"] = graph.current_task
            head["task_scopes"] = [self._scope(task) for task in graph.tasks.values()]
        elif self.behaviors:
            loose = [self._loose(task) for task in graph.tasks.values()]
            head |= {
                key: value for key in ("standing", "context") if (value := [x for part in loose for x in part[key]])
            }
            head["behaviors"] = [self._behavior(behavior, in_scope=False) for behavior in graph.behaviors]
        else:
            head["events"] = self._events(graph.tasks.values())
        return head

    def _check_nothing_is_lost(self) -> None:
        held = {evidence_id for behavior in self.graph.behaviors for evidence_id in behavior.evidence}
        lost = [name for name, item in self.graph.selectable.items() if item.id not in held]
        if lost:
            raise GraphError(
                f"{len(lost)} events with an id are in no behavior (first: {lost[0]!r}); the reference view cannot show"
                " them, build the graph without compat"
            )

    def _scope(self, task: Task) -> Json:
        graph = self.graph
        scope: Json = {
            "task_id": task.id,
            "status": "current" if task.id == graph.current_task else "history",
            "turn_range": list(task.turns),
        }
        if self.behaviors:
            scope |= {key: value for key, value in self._loose(task).items() if value}
            scope["behaviors"] = [self._behavior(graph.behaviors_by_id[name]) for name in task.behaviors]
        else:
            scope["events"] = self._events([task])
        scope["relations"] = [
            self._relation(relation)
            for relation in graph.relations
            if relation.source == task.id and relation.type == "references"
        ]
        return scope

    def _loose(self, task: Task) -> dict[str, list[Json]]:
        return {
            "standing": [self._item(Ref(evidence_id)) for evidence_id in task.standing],
            "context": [self._item(Ref(evidence_id)) for evidence_id in task.context],
        }

    def _behavior(self, behavior: TraceBehavior, *, in_scope: bool = True) -> Json:
        row: Json = {"behavior_id": behavior.id}
        if in_scope:
            row["sequence_index"] = behavior.sequence_index
        row["turn_range"] = list(behavior.turns)
        row["demand"] = [self._item(ref) for ref in behavior.demand]
        row["action"] = [self._item(Ref(evidence_id)) for evidence_id in behavior.action]
        row["response"] = [self._item(ref) for ref in behavior.response]
        return row

    def _events(self, tasks: Iterable[Task]) -> list[Json]:
        """Return the pieces of tasks in input order, each once; pieces that touch or overlap become one."""
        graph = self.graph
        spans: dict[str, list[tuple[int, int] | None]] = {}
        for task in tasks:
            for evidence_id in (*task.standing, *task.context):
                spans.setdefault(evidence_id, []).append(None)
            for name in task.behaviors:
                behavior = graph.behaviors_by_id[name]
                for ref in (*behavior.demand, *map(Ref, behavior.action), *behavior.response):
                    spans.setdefault(ref.evidence, []).append(ref.span)
        order = sorted(spans, key=lambda name: graph.evidence_by_id[name].event_index)
        return [self._item(ref) for name in order for ref in _merged(graph.evidence_by_id[name], spans[name])]

    def _item(self, ref: Ref) -> Json:
        item = self.graph.evidence_by_id[ref.evidence]
        row: Json = {"evidence_id": item.original_id, "content": item.text(ref)}
        if item.tool_name is not None:
            row["tool_name"] = item.tool_name
        return row

    def _relation(self, relation: TaskRelation) -> Json:
        row: Json = {"type": relation.type, "target_task_id": relation.target}
        if self.graph.compat is None:
            row["resolution"] = relation.resolution
            row["support"] = [self._support(ref) for ref in relation.support]
        return row

    def _support(self, ref: Ref) -> Json:
        item = self.graph.evidence_by_id[ref.evidence]
        start = max(0, ref.span[0] - _LEAD) if ref.span else 0
        return {"evidence_id": item.original_id, "turn": item.turn, "slice": item.content[start : start + _SLICE]}


def _merged(item: TraceEvidence, spans: Sequence[tuple[int, int] | None]) -> list[Ref]:
    whole = [span for span in spans if span is not None]
    if len(whole) < len(spans):
        return [Ref(item.id)]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(whole):
        if merged and not item.content[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return [Ref(item.id, span) for span in merged]
