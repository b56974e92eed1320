"""Sessions as events in the benchmark's form, and written in other forms."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebg.errors import TranscriptError, UsageError
from ebg.trajectory import (
    build_trajectory,
    convert,
    load_model_input,
    parse_model_input,
    read_transcript,
    trace_events,
)
from ebg.trajectory._trace import paragraphs
from ebg.trajectory.events import TraceEvent

from .test_claude_code import answers, calls, queue, returns, says

REJECTED = "The user doesn't want to proceed. To tell you how, the user said:\nnot that one"


@pytest.fixture
def session(jsonl):
    return read_transcript(
        jsonl(
            says("Go."),
            answers(
                {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "First.\n\n```\na\n\nb\n```\nThen."}
            ),
            calls("Bash", "t1", command="ls"),
            calls("Read", "t2", file_path="a.py"),
            returns("in a.py", "t2"),
            returns("a.py", "t1"),
            queue("enqueue", "and log it"),
            calls("Edit", "t3", file_path="a.py"),
            returns(REJECTED, "t3", is_error=True),
            says("Injected.", isMeta=True),
            calls("Bash", "t4", command="never ends"),
            returns("lost", "t9"),
        )
    )


def test_events_of_a_session(session):
    assert [(e.event_type, e.turn_number, e.evidence_id, e.tool_name, e.content) for e in trace_events(session)] == [
        ("user_prompt", 1, None, None, "Go."),
        ("assistant_response", 1, "e_1_assistant_response_0", None, "First."),
        ("assistant_response", 1, "e_1_assistant_response_1", None, "```\na\n\nb\n```"),
        ("assistant_response", 1, "e_1_assistant_response_2", None, "Then."),
        (
            "tool_exchange",
            1,
            "e_1_tool_exchange_0",
            "Bash",
            'Tool invocation:\n{"command": "ls"}\n\nTool result: Bash\na.py',
        ),
        (
            "tool_exchange",
            1,
            "e_1_tool_exchange_1",
            "Read",
            'Tool invocation:\n{"file_path": "a.py"}\n\nTool result: Read\nin a.py',
        ),
        ("user_prompt", 2, None, None, "and log it"),
        (
            "tool_exchange",
            2,
            "e_2_tool_exchange_0",
            "Edit",
            f'Tool invocation:\n{{"file_path": "a.py"}}\n\nTool result: Edit\n{REJECTED}',
        ),
        ("user_prompt", 2, None, None, "not that one"),
        ("tool_exchange", 2, "e_2_tool_exchange_1", "Bash", 'Tool invocation:\n{"command": "never ends"}\n'),
        (
            "tool_exchange",
            2,
            "e_2_tool_exchange_2",
            "unknown",
            "Tool invocation:\n{}\n\nTool result: unknown\nlost",
        ),
    ]


def test_events_lead_back_to_the_session(session):
    traced = trace_events(session)
    by_id = {event.id: event for event in session.events}
    assert [[by_id[source].kind for source in event.sources] for event in traced[:5]] == [
        ["prompt"],
        ["message"],
        ["message"],
        ["message"],
        ["tool_call", "tool_result"],
    ]
    assert [event.reply for event in traced if event.event_type == "user_prompt"] == [False, False, True]
    assert build_trajectory(session).evidence[4].sources == traced[4].sources


def test_injected_text_is_given_on_request(session):
    assert [e.content for e in trace_events(session, system=True) if e.event_type == "system"] == ["Injected."]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a\nb\n\n\nc", ["a\nb", "c"]),
        ("a\n```py\nx\n\ny\n```\nb", ["a", "```py\nx\n\ny\n```", "b"]),
        ("````\n```\n\n```\n````\nz", ["````\n```\n\n```\n````", "z"]),
        ("```\nnever closed\n\nstill", ["```\nnever closed\n\nstill"]),
        ("- a\n  ```\n  x\n  ```\n- b", ["- a", "  ```\n  x\n  ```", "- b"]),
        ("a\r\n\r\nb\r\n", ["a", "b"]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_paragraphs(text, parts):
    assert [text[start:end] for start, end in paragraphs(text)] == parts


@given(st.text(alphabet="a `~\n\r-", max_size=60))
def test_paragraphs_keep_everything_but_blank_space(text):
    spans = list(paragraphs(text))
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert " ".join(text[start:end] for start, end in spans).split() == text.split()


EVENTS = [
    {"event_type": "user_prompt", "turn_number": 3, "content": "Go.\n\nOn."},
    {"event_type": "assistant_response", "turn_number": 4, "content": "One\n\ntwo", "evidence_id": "x1"},
    {
        "event_type": "tool_exchange",
        "turn_number": 9,
        "content": 'Tool invocation:\n{ "a":1}\n\nTool result: Bash\nok',
        "evidence_id": "x2",
        "tool_name": "Bash",
    },
    {
        "event_type": "tool_exchange",
        "turn_number": 9,
        "content": "no result yet",
        "evidence_id": "x3",
        "tool_name": "B",
    },
    {"event_type": "tool_exchange", "turn_number": 9, "content": "without an id", "tool_name": "B"},
    {"event_type": "assistant_response", "turn_number": 9, "content": "an answer without an id"},
    {"event_type": "system", "turn_number": 9, "content": "s"},
]


def test_the_benchmarks_own_form_gives_back_the_very_same_events(document):
    path = document({"input_id": "ft_1_long", "events": EVENTS})
    name, events = load_model_input(path)
    session = read_transcript(path)
    assert (name, session.id, session.format) == ("ft_1_long", "ft_1_long", "model-input")
    assert [(e.event_type, e.turn_number, e.content, e.evidence_id, e.tool_name) for e in trace_events(session)] == [
        (e.event_type, e.turn_number, e.content, e.evidence_id, e.tool_name) for e in events
    ]
    assert convert(session, "ebg") == {"input_id": "ft_1_long", "events": EVENTS}
    assert session.events[2].call.arguments == {"a": 1}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"event_type": "other"}, "event_type 'other' is none of"),
        ({"turn_number": 2}, r"turn_number 2 must be .* \(was 4\)"),
        ({"turn_number": True}, "turn_number True"),
        ({"content": None}, "content must be text"),
        ({"evidence_id": ""}, "evidence_id must be text that is not empty"),
        ({"evidence_id": "x1"}, "evidence_id 'x1' occurs twice"),
        ({"tool_name": "Bash"}, "tool_name belongs to tool_exchange"),
        ({"new": 1}, r"unknown keys \['new'\]"),
    ],
)
def test_rules_of_the_benchmarks_form(change, problem):
    row = {"event_type": "assistant_response", "turn_number": 4, "content": "x", "evidence_id": "y", **change}
    with pytest.raises(TranscriptError, match=rf"model_input\.json: event 2: {problem}"):
        parse_model_input({"input_id": "a", "events": [*EVENTS[:2], row]})


def test_all_problems_are_listed_at_once():
    with pytest.raises(TranscriptError, match=r"event 0: .*; event 1: is no object"):
        parse_model_input({"input_id": "a", "events": [{"event_type": 1}, 7]})
    with pytest.raises(TranscriptError, match="exactly the keys input_id and events"):
        parse_model_input({"input_id": "a", "events": [], "gold": 1})


def test_atif_and_chat_are_read_back(session, document):
    atif = read_transcript(document(convert(session, "atif"), "a.json"))
    assert (atif.format, atif.id, atif.agent, atif.models) == ("atif", session.id, "claude-code", ("claude-demo",))
    chat = read_transcript(document(convert(session, "chat"), "c.json"))
    for back in (atif, chat):
        assert [e.text for e in back.events if e.actor == "human"] == ["Go.", "and log it", "not that one"]
        assert [(e.call.name, e.call.arguments) for e in back.events if e.kind == "tool_call"] == [
            (e.call.name, e.call.arguments) for e in session.events if e.kind == "tool_call"
        ]
        results = {(e.call_id, e.text) for e in back.events if e.kind == "tool_result"}
        assert results == {(e.call_id, e.text) for e in session.events if e.kind == "tool_result"}
    assert [e.text for e in atif.events if e.kind == "reasoning"] == ["hm"]
    assert [e.result.status for e in atif.events if e.kind == "tool_result"] == ["ok", "ok", "rejected", "ok"]


def test_an_unknown_form_is_refused(session):
    with pytest.raises(UsageError, match="unknown form 'xml'; it is one of atif, chat, ebg"):
        convert(session, "xml")


def test_equal_input_gives_equal_output(session, jsonl):
    first, second = (json.dumps(convert(session, form)) for form in ("ebg", "ebg"))
    assert first == second
    assert trace_events(session)[0] == TraceEvent("user_prompt", 1, "Go.", sources=("E1",))
