"""Build the graph of a session: evidence, behaviors, tasks, relations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from ebg.errors import UsageError
from ebg.trajectory._behaviors import Draft, Group, form_behaviors, group_events
from ebg.trajectory._handover import find_handovers
from ebg.trajectory._model import (
    BENCHMARK,
    PREAMBLE,
    Compat,
    Ref,
    Task,
    TraceBehavior,
    TraceEvidence,
    TrajectoryGraph,
)
from ebg.trajectory._references import Home, find_references, link_order, number_relations
from ebg.trajectory._signals import objects_of, stable_keys, terms_of, tool_objects
from ebg.trajectory._tasks import Demand, Placer
from ebg.trajectory._trace import trace_events
from ebg.trajectory.events import Session, TraceEvent

__all__ = ["build_trajectory", "collect_tasks"]


def build_trajectory(
    source: Session | Iterable[TraceEvent], *, input_id: str | None = None, compat: Compat | None = None
) -> TrajectoryGraph:
    """Build the graph of a session, without any model.

    Args:
        source: a session of any agent, or events in the benchmark's form.
        input_id: name of the input; the session's own id by default.
        compat: `reference` for the reference rules of tasks and references, and their view; by default the better ones
            (part 10.6 of ebg-method): nothing is lost, nothing raises, ordinary words do not glue tasks together.

    Returns:
        The graph. Equal input gives an equal graph. The cost is near linear in the size of the texts.
    """
    if compat not in (None, "reference"):
        raise UsageError(f"unknown compat {compat!r}; it is None or 'reference'")
    benchmark: str | None = BENCHMARK
    if isinstance(source, Session):
        benchmark = BENCHMARK if source.format == "model-input" else None
        input_id, events = source.id if input_id is None else input_id, iter(trace_events(source))
    else:
        events = iter(source)
    evidence = [
        TraceEvidence(
            id=f"E{index + 1:06d}",
            turn=event.turn_number,
            event_index=index,
            event_type=event.event_type,
            tool_name=event.tool_name,
            original_id=event.evidence_id,
            content=event.content,
            sources=event.sources,
            reply=event.reply,
        )
        for index, event in enumerate(events)
    ]
    behaviors = _behaviors(evidence, reference=compat == "reference")
    tasks = collect_tasks(evidence, behaviors, reference=compat == "reference")
    homes = _homes(behaviors, tasks)
    by_id = {item.id: item for item in evidence}
    firsts = [(task.id, _first(task, behaviors, by_id)) for task in tasks if task.id != PREAMBLE]
    links = [*link_order(firsts), *find_references(evidence, homes)]
    if compat is None:
        links.extend(find_handovers(evidence, homes))
    return TrajectoryGraph(
        input_id=input_id or "",
        evidence=evidence,
        behaviors=behaviors,
        tasks=tasks,
        relations=number_relations(links),
        benchmark=benchmark,
        compat=compat,
    )


def _behaviors(evidence: Sequence[TraceEvidence], *, reference: bool) -> list[TraceBehavior]:
    by_id = {item.id: item for item in evidence}
    placer = Placer(reference=reference)
    names: dict[int, str] = {}
    counts: dict[str, int] = {}
    behaviors: list[TraceBehavior] = []
    for group in group_events(evidence)[1]:
        drafts = form_behaviors(group, shared=not reference)
        for draft, number in zip(drafts, _place(group, drafts, placer, by_id, reference=reference), strict=True):
            task = names.setdefault(number, f"K{len(names) + 1:04d}")
            counts[task] = counts.get(task, 0) + 1
            turns = [by_id[ref.evidence].turn for ref in chain(draft.demand, draft.response)]
            turns += [by_id[evidence_id].turn for evidence_id in draft.action]
            behaviors.append(
                TraceBehavior(
                    id=f"T{len(behaviors) + 1:04d}",
                    task=task,
                    sequence_index=counts[task],
                    turns=(min(turns), max(turns)),
                    demand=draft.demand,
                    action=draft.action,
                    response=draft.response,
                )
            )
    return behaviors


def _place(
    group: Group, drafts: Sequence[Draft], placer: Placer, by_id: Mapping[str, TraceEvidence], *, reference: bool
) -> list[int]:
    """Return the task of each draft: one for all, unless each part names things of its own for good (part 4.3)."""
    texts = [by_id[draft.demand[-1].evidence].text(draft.demand[-1]) for draft in drafts]
    stable = [stable_keys(text) for text in texts]
    apart = len(drafts) > 1 and all(stable) and len(frozenset().union(*stable)) == sum(map(len, stable))
    if apart:
        return [placer.place(_demand(text, [draft], by_id)) for text, draft in zip(texts, drafts, strict=True)]
    waiting = () if reference else group.standing
    text = "\n".join([*(item.content for item in waiting), group.prompt.content])
    return [placer.place(_demand(text, drafts, by_id))] * len(drafts)


def _demand(text: str, drafts: Sequence[Draft], by_id: Mapping[str, TraceEvidence]) -> Demand:
    acted: set[str] = set()
    acted_stable: frozenset[str] = frozenset()
    for evidence_id in dict.fromkeys(chain.from_iterable(draft.action for draft in drafts)):
        objects, stable = tool_objects(by_id[evidence_id].content)
        acted |= objects
        acted_stable |= stable
    responses = dict.fromkeys(ref.evidence for draft in drafts for ref in draft.response)
    return Demand(
        text=text,
        objects=objects_of(text),
        terms=terms_of(text),
        stable=stable_keys(text),
        acted_objects=acted,
        acted_stable=acted_stable,
        reply=all(by_id[draft.demand[0].evidence].reply for draft in drafts),
        responses=[by_id[evidence_id].content for evidence_id in responses],
    )


def collect_tasks(
    evidence: Sequence[TraceEvidence], behaviors: Sequence[TraceBehavior], *, reference: bool = False
) -> list[Task]:
    """Return the tasks of behaviors, in order of first appearance, with everything that no behavior holds.

    A user message without a reply stands in the task of the next behavior; one at the end in the last task, which is
    made when there is none. System text belongs to the task it occurs in. What came before the first user message is
    the preamble. The reference drops all three.
    """
    groups: dict[str, list[str]] = {}
    task_of: dict[str, str] = {}
    for behavior in behaviors:
        groups.setdefault(behavior.task, []).append(behavior.id)
        for evidence_id in behavior.evidence:
            task_of.setdefault(evidence_id, behavior.task)
    standing: dict[str, list[str]] = {}
    context: dict[str, list[str]] = {}
    if not reference:
        before, answered, trailing = group_events(evidence)
        last = behaviors[-1].task if behaviors else "K0001"
        loose = [(item, PREAMBLE) for item in before] + [(item, last) for item in trailing]
        for group in answered:
            loose += [(item, task_of[group.prompt.id]) for item in [*group.standing, *group.context]]
        for item, task in sorted(loose, key=lambda pair: pair[0].event_index):
            groups.setdefault(task, [])
            kept = standing if item.event_type == "user_prompt" else context
            kept.setdefault(task, []).append(item.id)
    turn = {item.id: item.turn for item in evidence}
    spans = {behavior.id: behavior.turns for behavior in behaviors}
    tasks = []
    for task in sorted(groups, key=lambda name: int(name[1:])):
        held = [*standing.get(task, ()), *context.get(task, ())]
        turns = [*chain.from_iterable(spans[behavior] for behavior in groups[task]), *(turn[item] for item in held)]
        tasks.append(
            Task(
                id=task,
                turns=(min(turns), max(turns)),
                behaviors=tuple(groups[task]),
                standing=tuple(standing.get(task, ())),
                context=tuple(context.get(task, ())),
            )
        )
    return tasks


def _homes(behaviors: Sequence[TraceBehavior], tasks: Sequence[Task]) -> dict[str, list[Home]]:
    homes: dict[str, list[Home]] = {}
    for behavior in behaviors:
        refs = chain(behavior.demand[-1:], map(Ref, behavior.action), behavior.response)
        for ref in refs:
            homes.setdefault(ref.evidence, []).append(Home(behavior.task, ref.span))
    for task in tasks:
        for evidence_id in task.standing:
            homes.setdefault(evidence_id, []).append(Home(task.id, None))
    return homes


def _first(task: Task, behaviors: Sequence[TraceBehavior], by_id: Mapping[str, TraceEvidence]) -> TraceEvidence:
    ids = [*task.standing, *task.context]
    if task.behaviors:
        ids.extend(behaviors[int(task.behaviors[0][1:]) - 1].evidence)
    return min((by_id[evidence_id] for evidence_id in ids), key=lambda item: item.event_index)
