"""The worked examples Ex7 to Ex10 of the specification (part 11 of ebg-method), by the reference rules and by ours."""

from __future__ import annotations

import json

import pytest

from ebg.errors import GraphError
from ebg.trajectory import TrajectoryGraph, TrajectoryView, build_trajectory
from ebg.trajectory.events import TraceEvent


def user(turn: int, text: str) -> TraceEvent:
    return TraceEvent("user_prompt", turn, text)


def agent(turn: int, text: str, evidence_id: str) -> TraceEvent:
    return TraceEvent("assistant_response", turn, text, evidence_id)


def tool(turn: int, name: str, arguments: dict[str, str], evidence_id: str, output: str = "ok") -> TraceEvent:
    text = f"Tool invocation:\n{json.dumps(arguments)}\n\nTool result: {name}\n{output}"
    return TraceEvent("tool_exchange", turn, text, evidence_id, name)


def edges(graph: TrajectoryGraph) -> list[tuple[str, str, str, str, tuple[str, ...]]]:
    return [(item.id, item.source, item.type, item.target, item.evidence) for item in graph.relations]


def view(graph: TrajectoryGraph) -> dict:
    text = TrajectoryView(graph).render()
    assert text.endswith("\n")
    assert text.count("\n") == 1
    return json.loads(text)


EX7 = [
    user(1, "Add a retry option to src/client.py"),
    tool(2, "Edit", {"file_path": "src/client.py"}, "a"),
    agent(3, "Added retry=3. Should I also update the docs?", "b"),
    user(4, "Yes, please."),
    agent(5, "Docs updated.", "c"),
    user(6, "Start a new task: publish release notes."),
    agent(7, "Release notes written.", "d"),
]


@pytest.mark.parametrize("compat", [None, "reference"])
def test_ex7_task_scopes(compat):
    graph = build_trajectory(EX7, input_id="ft_1_long", compat=compat)
    assert [
        (
            item.id,
            item.task,
            item.sequence_index,
            item.turns,
            tuple(ref.evidence for ref in item.demand),
            item.action,
            tuple(ref.evidence for ref in item.response),
        )
        for item in graph.behaviors
    ] == [
        ("T0001", "K0001", 1, (1, 3), ("E000001",), ("E000002",), ("E000003",)),
        ("T0002", "K0001", 2, (4, 5), ("E000004",), (), ("E000005",)),
        ("T0003", "K0002", 1, (6, 7), ("E000006",), (), ("E000007",)),
    ]
    assert edges(graph) == [("R0001", "K0001", "precedes", "K0002", ("E000001", "E000006"))]
    shown = view(graph)
    assert list(shown) == ["input_id", "benchmark", "current_task_id", "task_scopes"]
    assert shown["current_task_id"] == "K0002"
    assert [(scope["task_id"], scope["status"], scope["turn_range"]) for scope in shown["task_scopes"]] == [
        ("K0001", "history", [1, 5]),
        ("K0002", "current", [6, 7]),
    ]
    assert shown["task_scopes"][0]["behaviors"][0] == {
        "behavior_id": "T0001",
        "sequence_index": 1,
        "turn_range": [1, 3],
        "demand": [{"evidence_id": None, "content": "Add a retry option to src/client.py"}],
        "action": [{"evidence_id": "a", "content": EX7[1].content, "tool_name": "Edit"}],
        "response": [{"evidence_id": "b", "content": "Added retry=3. Should I also update the docs?"}],
    }
    assert shown["task_scopes"][0]["relations"] == []


def ex8(cancel: str = "Move on to cleanup and cancel run id bench-7.", chart: str = "Chart added."):
    return [
        user(1, "Launch the benchmark."),
        agent(2, "Launched run id bench-7.", "a"),
        user(3, "Switch to the dashboard work: add a chart."),
        agent(4, chart, "b"),
        user(5, cancel),
        agent(6, "Cancelled.", "c"),
    ]


PRECEDES = [
    ("R0001", "K0001", "precedes", "K0002", ("E000001", "E000003")),
    ("R0002", "K0002", "precedes", "K0003", ("E000003", "E000005")),
]


@pytest.mark.parametrize("compat", [None, "reference"])
def test_ex8_references_by_id(compat):
    graph = build_trajectory(ex8(), compat=compat)
    assert edges(graph) == [*PRECEDES, ("R0003", "K0003", "references", "K0001", ("E000002", "E000005"))]
    assert graph.relations[2].resolution == "id"
    relations = view(graph)["task_scopes"][2]["relations"]
    if compat == "reference":
        assert relations == [{"type": "references", "target_task_id": "K0001"}]
    else:
        # The id stands at character 16 of turn 2 and 38 of turn 5: 40 characters of lead reach back to the start.
        assert relations == [
            {
                "type": "references",
                "target_task_id": "K0001",
                "resolution": "id",
                "support": [
                    {"evidence_id": "a", "turn": 2, "slice": "Launched run id bench-7."},
                    {"evidence_id": None, "turn": 5, "slice": "Move on to cleanup and cancel run id bench-7."},
                ],
            }
        ]


@pytest.mark.parametrize("compat", [None, "reference"])
@pytest.mark.parametrize(
    "events",
    [
        pytest.param(ex8(cancel="Move on to cleanup and cancel job id bench-7."), id="another type"),
        pytest.param(ex8(chart="Chart added for run id bench-7."), id="two producers"),
        pytest.param(
            [
                *ex8(cancel="Move on to cleanup and cancel it all.")[:5],
                tool(5, "Bash", {"command": "kill all"}, "t", "cancelled run id bench-7"),
                agent(6, "Cancelled.", "c"),
            ],
            id="only in a result of the referring task",
        ),
    ],
)
def test_ex8_variants_make_no_reference(compat, events):
    assert edges(build_trajectory(events, compat=compat)) == PRECEDES


PROMPT9 = "1. Rename parse() in core/parse.py.\n2. Add tests in tests/test_parse.py."
EX9 = [
    user(1, PROMPT9),
    tool(2, "Edit", {"file_path": "core/parse.py"}, "a"),
    tool(2, "Write", {"file_path": "tests/test_parse.py"}, "b"),
    agent(3, "Both done.", "c"),
]


@pytest.mark.parametrize("compat", [None, "reference"])
def test_ex9_list_demands(compat):
    graph = build_trajectory(EX9, compat=compat)
    assert [(item.task, item.demand, item.action, item.response) for item in graph.behaviors] == [
        ("K0001", (("E000001", (3, 35)),), ("E000002",), ()),
        ("K0001", (("E000001", (39, 72)),), ("E000003",), (("E000004", None),)),
    ]
    assert graph.relations == ()


@pytest.mark.parametrize("compat", [None, "reference"])
def test_ex9_a_demand_without_events_gives_one_composite(compat):
    graph = build_trajectory([EX9[0], EX9[1], EX9[3]], compat=compat)
    assert [(item.demand, item.action, item.response) for item in graph.behaviors] == [
        ((("E000001", None),), ("E000002",), (("E000003", None),))
    ]


def test_ex9_the_preamble_of_a_list_belongs_to_every_part():
    preamble = "Keep the public API unchanged:\n"  # 31 characters, 30 without the line end
    events = [user(1, preamble + PROMPT9), *EX9[1:]]
    assert [item.demand for item in build_trajectory(events).behaviors] == [
        (("E000001", (0, 30)), ("E000001", (34, 66))),
        (("E000001", (0, 30)), ("E000001", (70, 103))),
    ]
    assert [item.demand for item in build_trajectory(events, compat="reference").behaviors] == [
        (("E000001", (34, 66)),),
        (("E000001", (70, 103)),),
    ]


EX10 = [
    user(1, "Do not touch config.yaml."),
    user(2, "Now speed up the loader."),
    agent(3, "Loader is 2x faster.", "a"),
]


def test_ex10_a_message_without_reply_is_a_standing_demand():
    reference = view(build_trajectory(EX10, compat="reference"))
    assert "config.yaml" not in json.dumps(reference)
    scopes = view(build_trajectory(EX10))["task_scopes"]
    assert [list(scope) for scope in scopes] == [
        ["task_id", "status", "turn_range", "standing", "behaviors", "relations"]
    ]
    assert scopes[0]["turn_range"] == [1, 3]
    assert scopes[0]["standing"] == [{"evidence_id": None, "content": "Do not touch config.yaml."}]
    assert scopes[0]["behaviors"][0]["demand"] == [{"evidence_id": None, "content": "Now speed up the loader."}]


def test_ex10_events_before_the_first_prompt_form_a_preamble():
    events = [agent(0, "Hello, I am ready.", "z"), *EX10]
    with pytest.raises(GraphError, match="'z'"):
        TrajectoryView(build_trajectory(events, compat="reference")).render()
    shown = view(build_trajectory(events))
    assert shown["current_task_id"] == "K0001"
    assert shown["task_scopes"][0] == {
        "task_id": "K0000",
        "status": "history",
        "turn_range": [0, 0],
        "context": [{"evidence_id": "z", "content": "Hello, I am ready."}],
        "behaviors": [],
        "relations": [],
    }
