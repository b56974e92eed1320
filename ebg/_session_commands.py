"""The commands on agents' sessions: session, convert. Each takes parsed arguments and returns the exit code."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ebg._terminal import print_json, print_text

if TYPE_CHECKING:
    from ebg.trajectory import TrajectoryGraph
    from ebg.trajectory.events import Session

__all__ = ["run_convert", "run_session"]

_DEMAND_LENGTH = 100


def run_session(arguments: argparse.Namespace) -> int:
    """Sum up a session, or print its view; write its graph when asked."""
    from ebg import _files
    from ebg.trajectory import TrajectoryView, build_trajectory, to_published, trace_events

    session = _read(arguments)
    graph = build_trajectory(trace_events(session), input_id=session.id)
    if arguments.output is not None:
        _files.write_text(arguments.output, _files.json_text(to_published(graph)))
    if arguments.view:
        print_text(TrajectoryView(graph).render().removesuffix("\n"))
    elif arguments.json:
        print_json(_sum_up(session, graph))
    else:
        print_text("\n".join(_lines(session, graph)))
    return 0


def run_convert(arguments: argparse.Namespace) -> int:
    """Write a session in another form."""
    from ebg import _files
    from ebg.trajectory import convert

    session = _read(arguments)
    _files.write_text(arguments.output, _files.json_text(convert(session, arguments.to)))
    said = {"output": str(arguments.output), "session": session.id, "from": session.format, "to": arguments.to}
    if arguments.json:
        print_json(said)
    else:
        print_text(f"{arguments.output}: {session.id}, read as {session.format}, written as {arguments.to}")
    return 0


def _read(arguments: argparse.Namespace) -> Session:
    from ebg.trajectory import read_transcript

    return read_transcript(Path(arguments.path), arguments.reader, session=arguments.session)


def _sum_up(session: Session, graph: TrajectoryGraph) -> dict[str, object]:
    return {
        "id": session.id,
        "agent": session.agent,
        "agent_version": session.agent_version,
        "format": session.format,
        "models": list(session.models),
        "events": dict(sorted(Counter(event.kind for event in session.events).items())),
        "turns": max((event.turn for event in session.events), default=0),
        "gaps": dict(sorted(Counter(gap.kind for gap in session.gaps).items())),
        "unknown_records": dict(session.unknown_records),
        "tasks": [
            {
                "task_id": task.id,
                "turns": list(task.turns),
                "behaviors": [_behavior(graph, name) for name in task.behaviors],
            }
            for task in graph.tasks.values()
        ],
        "current_task_id": graph.current_task,
    }


def _behavior(graph: TrajectoryGraph, name: str) -> dict[str, object]:
    behavior = graph.behaviors_by_id[name]
    return {
        "behavior_id": name,
        "turns": list(behavior.turns),
        "demand": " ".join(graph.evidence_by_id[ref.evidence].text(ref) for ref in behavior.demand),
        "actions": len(behavior.action),
        "responses": len(behavior.response),
    }


def _lines(session: Session, graph: TrajectoryGraph) -> list[str]:
    agent = " ".join(part for part in (session.agent, session.agent_version, *session.models) if part)
    lines = [f"{session.id}: {agent}; {len(session.events)} events, read as {session.format}"]
    gaps = Counter(gap.kind for gap in session.gaps)
    if gaps:
        lines.append("missing from the record: " + ", ".join(f"{kind} {gaps[kind]}" for kind in sorted(gaps)))
    for task in graph.tasks.values():
        current = ", current" if task.id == graph.current_task else ""
        lines.append(f"{task.id} turns {task.turns[0]}-{task.turns[1]}{current}")
        for name in task.behaviors:
            row = _behavior(graph, name)
            demand = " ".join(str(row["demand"]).split())
            short = demand if len(demand) <= _DEMAND_LENGTH else demand[: _DEMAND_LENGTH - 3] + "..."
            done = ", ".join(_amount(len(part), noun) for part, noun in _parts(graph, name))
            lines.append(f"  {name} {short!r}: {done}")
    return lines


def _parts(graph: TrajectoryGraph, name: str) -> list[tuple[Sequence[object], str]]:
    behavior = graph.behaviors_by_id[name]
    return [(behavior.action, "action"), (behavior.response, "response")]


def _amount(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
