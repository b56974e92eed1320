"""Views and the published form: ablations, what is always shown, saving and loading."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebg.errors import GraphError, UsageError
from ebg.trajectory import (
    TrajectoryView,
    base_view,
    build_trajectory,
    from_published,
    read_transcript,
    to_published,
)
from ebg.trajectory.events import TraceEvent

from .test_claude_code import answers, says
from .test_graph_examples import EX9, EX10, agent, ex8, tool, user


def test_the_base_view_is_the_raw_events_with_sorted_keys():
    events = [user(1, "Gö."), tool(2, "Bash", {"command": "ls"}, "b"), agent(3, "Done.", "a")]
    text = base_view(events, input_id="ft_1_long")
    assert text == (
        '{"events":[{"content":"Gö.","event_type":"user_prompt","turn_number":1},'
        '{"content":"Tool invocation:\\n{\\"command\\": \\"ls\\"}\\n\\nTool result: Bash\\nok",'
        '"event_type":"tool_exchange",'
        '"evidence_id":"b","tool_name":"Bash","turn_number":2},'
        '{"content":"Done.","event_type":"assistant_response","evidence_id":"a","turn_number":3}],'
        '"input_id":"ft_1_long","selectable_evidence_ids":["a","b"],"track":"long"}\n'
    )


def test_without_behaviors_scopes_hold_their_events_in_order():
    preamble = "Keep it small.\n"
    events = [user(1, preamble + "1. Edit core/parse.py.\n2. Add tests/test_parse.py."), *EX9[1:], *EX10]
    payload = TrajectoryView(build_trajectory(events), behaviors=False).payload()
    assert list(payload["task_scopes"][0]) == ["task_id", "status", "turn_range", "events", "relations"]
    shown = [row["content"] for scope in payload["task_scopes"] for row in scope["events"]]
    # The preamble belongs to both parts but is shown once; between it and the items only the markers are left out.
    assert shown[:3] == ["Keep it small.", "Edit core/parse.py.", "Add tests/test_parse.py."]
    assert shown[3:] == [event.content for event in events[1:]]


def test_without_relations_behaviors_are_one_flat_list():
    payload = TrajectoryView(build_trajectory([*ex8(), user(7, "Stop.")]), relations=False).payload()
    assert list(payload) == ["input_id", "benchmark", "standing", "behaviors"]
    assert [list(row) for row in payload["behaviors"]] == [
        ["behavior_id", "turn_range", "demand", "action", "response"]
    ] * 3
    assert payload["standing"] == [{"evidence_id": None, "content": "Stop."}]


def test_without_both_it_is_a_list_of_events():
    payload = TrajectoryView(build_trajectory(ex8()), behaviors=False, relations=False).payload()
    assert [row["content"] for row in payload["events"]] == [event.content for event in ex8()]


def test_a_session_of_ones_own_is_no_example_of_the_benchmark(jsonl):
    session = read_transcript(jsonl(says("Go."), answers({"type": "text", "text": "Done."})))
    payload = TrajectoryView(build_trajectory(session)).payload()
    assert list(payload) == ["input_id", "current_task_id", "task_scopes"]
    assert payload["input_id"] == session.id


def test_an_unknown_compat_is_refused():
    with pytest.raises(UsageError, match="unknown compat 'old'"):
        build_trajectory([], compat="old")


def _shape(graph):
    return (
        graph.input_id,
        [
            (item.id, item.turn, item.event_type, item.tool_name, item.original_id, item.content)
            for item in graph.evidence
        ],
        graph.behaviors,
        graph.tasks,
        graph.relations,
    )


PROMPT = st.sampled_from(
    [
        "1. Edit a.py.\n2. Test b.py.",
        "Move on to job id x-1.",
        "yes",
        "Do it.",
        '"a text that is quoted here"',
        "#12 and #34",
    ]
)
EVENT = st.one_of(
    st.builds(lambda text: ("user_prompt", text), PROMPT),
    st.builds(
        lambda text: ("assistant_response", text),
        st.sampled_from(["Job id x-1.", "1. a\n2. b?", "a text that is quoted here"]),
    ),
    st.builds(lambda name: ("tool_exchange", name), st.sampled_from(["Edit", "Bash", "Read"])),
    st.just(("system", "rules")),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(EVENT, max_size=14))
def test_any_session_is_shown_whole_and_comes_back_from_the_published_form(rows):
    events = []
    for number, (kind, text) in enumerate(rows):
        content = text
        if kind == "tool_exchange":
            path = "a.py" if number % 2 else "b.py"
            content = f'Tool invocation:\n{{"file_path": "{path}"}}\n\nTool result: {text}\njob id x-1'
        named = kind in ("assistant_response", "tool_exchange")
        events.append(
            TraceEvent(
                kind, number, content, f"e{number}" if named else None, text if kind == "tool_exchange" else None
            )
        )
    graph = build_trajectory(events, input_id="x")
    for behaviors in (True, False):
        for relations in (True, False):
            text = TrajectoryView(graph, behaviors=behaviors, relations=relations).render()
            cited = set()
            stack = [json.loads(text)]
            while stack:
                item = stack.pop()
                if isinstance(item, dict) and isinstance(item.get("content"), str):
                    cited.add(item["evidence_id"])
                stack.extend(item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())
            assert {event.evidence_id for event in events if event.evidence_id} <= cited
    assert _shape(from_published(json.loads(json.dumps(to_published(graph))))) == _shape(graph)
    assert [item.id for item in graph.behaviors] == [f"T{n:04d}" for n in range(1, len(graph.behaviors) + 1)]
    for behavior in graph.behaviors:
        assert behavior.action or behavior.response
        assert len({ref.evidence for ref in behavior.demand}) == 1


def test_the_strict_published_form_has_exactly_its_keys():
    handed = [
        user(1, "Collect it."),
        tool(2, "Write", {"file_path": "a.csv"}, "a"),
        user(3, "Move on to a.csv and its chart."),
        agent(4, "Done.", "b"),
    ]
    graph = build_trajectory(handed, input_id="ft_1_long")
    assert [edge["type"] for edge in to_published(graph)["edges"]] == ["precedes", "references"]
    assert to_published(graph, strict=True) == {
        "input_id": "ft_1_long",
        "benchmark": "feedbacktrace",
        "evidence": [
            {
                "evidence_id": f"E{number:06d}",
                "source_type": "trace",
                "locator": {
                    "turn": number,
                    "event_index": number - 1,
                    "event_type": event.event_type,
                    "tool_name": event.tool_name,
                    "original_evidence_id": event.evidence_id,
                },
                "content": event.content,
            }
            for number, event in enumerate(handed, start=1)
        ],
        "behaviors": [
            {
                "behavior_id": "T0001",
                "task_id": "K0001",
                "sequence_index": 1,
                "start_turn": 1,
                "end_turn": 2,
                "demand_refs": [{"evidence_id": "E000001"}],
                "action_evidence_ids": ["E000002"],
                "response_refs": [],
            },
            {
                "behavior_id": "T0002",
                "task_id": "K0002",
                "sequence_index": 1,
                "start_turn": 3,
                "end_turn": 4,
                "demand_refs": [{"evidence_id": "E000003"}],
                "action_evidence_ids": [],
                "response_refs": [{"evidence_id": "E000004"}],
            },
        ],
        "edges": [
            {
                "edge_id": "R0001",
                "source_task_id": "K0001",
                "type": "precedes",
                "target_task_id": "K0002",
                "evidence_ids": ["E000001", "E000003"],
            }
        ],
    }


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (("evidence", 0, "evidence_id"), "E000009", "contiguous"),
        (("evidence", 0, "locator", "event_type"), "other", "unknown event_type 'other'"),
        (("behaviors", 0, "behavior_id"), "T0009", "contiguous from T0001"),
        (("behaviors", 0, "action_evidence_ids"), ["E000001"], "E000001 is no tool_exchange"),
        (("behaviors", 0, "action_evidence_ids"), ["E000077"], "no evidence 'E000077'"),
        (("behaviors", 0, "response_refs"), [], "at least one action or response"),
        (("behaviors", 0, "demand_refs"), [{"evidence_id": "E000001", "char_range": [0, 99]}], "char_range"),
        (("edges", 0, "type"), "informs", "unknown type 'informs'"),
        (("edges", 0, "source_task_id"), "K0077", "has no behavior"),
        (("edges", 0, "evidence_ids"), None, "not a trajectory graph"),
        (("behaviors",), None, "not a trajectory graph"),
    ],
)
def test_broken_graphs_are_refused(place, value, problem):
    data = json.loads(json.dumps(to_published(build_trajectory(ex8()))))
    holder = data
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    with pytest.raises(GraphError, match=problem):
        from_published(data)


def test_the_graph_as_networkx():
    graph = build_trajectory(ex8())
    small, large = graph.to_networkx(), graph.to_networkx("evidence")
    assert sorted(small.edges(keys=True)) == [
        ("K0001", "K0002", "precedes"),
        ("K0002", "K0003", "precedes"),
        ("K0003", "K0001", "references"),
    ]
    assert len(large) == 3 + 3 + 6
    assert ("T0001", "E000001", "demand") in large.edges(keys=True)
