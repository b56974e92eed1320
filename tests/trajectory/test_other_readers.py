"""The quirks of the other formats, one small transcript each."""

from __future__ import annotations

import json

import pytest

from ebg.errors import TranscriptError
from ebg.trajectory import read_transcript, read_transcripts

from .conftest import only, told
from .test_claude_code import answers, says

GEMINI = {"sessionId": "g", "projectHash": "0", "startTime": "2026-08-01T09:00:00Z"}


def gemini(message_id: str, kind: str, content: object, **rest: object) -> dict:
    return {"id": message_id, "timestamp": "2026-08-01T09:00:01Z", "type": kind, "content": content, **rest}


def gemini_call(name: str, status: str, output: dict, **args: str) -> dict:
    response = [{"functionResponse": {"id": "c", "name": name, "response": output}}]
    return {"id": f"{name}-{status}", "name": name, "args": args, "status": status, "result": response}


def test_gemini_calls_carry_their_results(document):
    calls = [
        gemini_call("run_shell_command", "success", {"output": "Command: x\nError: (none)\nExit Code: 3"}, command="x"),
        gemini_call("write_file", "cancelled", {"error": "User denied execution"}, file_path="a.md"),
    ]
    path = document({**GEMINI, "messages": [gemini("1", "user", "Go."), gemini("2", "gemini", "", toolCalls=calls)]})
    session = read_transcript(path)
    assert [(e.call.name, e.call.command, e.call.paths) for e in only(session, "tool_call")] == [
        ("run_shell_command", "x", ()),
        ("write_file", None, ("a.md",)),
    ]
    assert [(e.result.status, e.result.exit_code) for e in only(session, "tool_result")] == [
        ("error", 3),
        ("rejected", None),
    ]
    assert told(session)[-1] == ("human", "rejection", "")


def test_gemini_messages_are_replaced_rewound_and_set(jsonl):
    session = read_transcript(
        jsonl(
            GEMINI,
            gemini("1", "user", "One."),
            gemini("2", "gemini", "draft"),
            gemini("2", "gemini", "final"),
            gemini("3", "user", [{"text": "Two, @a.md with its text"}], displayContent=[{"text": "Two, @a.md"}]),
            {"$rewindTo": "3"},
            gemini("4", "user", "Three."),
            {"$set": {"messages": [gemini("1", "user", "One."), gemini("5", "info", "Request cancelled.")]}},
        )
    )
    assert [(e.actor, e.text, e.branch_id) for e in session.events] == [
        ("human", "One.", None),
        ("model", "final", "rewind-2"),
        ("human", "Two, @a.md", "rewind-1"),
        ("injected", "Two, @a.md with its text", "rewind-1"),
        ("human", "", None),
        ("human", "Three.", "rewind-2"),
        ("human", "Request cancelled.", None),
    ]
    assert session.counted_records == {
        "bookkeeping: $set": 1,
        "bookkeeping: metadata": 1,
        "earlier version of a message": 1,
        "repeat of a message": 1,
    }


def test_swe_agent_steps_are_told_once_and_demonstrations_did_not_happen(document):
    history = [
        {"role": "system", "content": "S", "agent": "main"},
        {"role": "user", "content": "Demo", "agent": "main", "is_demo": True},
        {"role": "user", "content": "Fix it.", "agent": "main"},
        {"role": "assistant", "content": "Look.", "action": "ls", "thought": "Look.", "agent": "main"},
        {"role": "user", "content": "a.py", "agent": "main"},
        {"role": "assistant", "content": "Never run.", "action": "rm -rf /", "thought": "Never run.", "agent": "main"},
    ]
    steps = [{"action": "ls\n", "observation": "a.py", "thought": "Look.", "response": "Look.", "state": "{}"}]
    info = {"exit_status": "submitted", "submission": "diff"}
    session = read_transcript(document({"history": history, "trajectory": steps, "info": info}))
    assert told(session) == [
        ("injected", "message", "S"),
        ("injected", "message", "Demo"),
        ("human", "prompt", "Fix it."),
        ("model", "message", "Never run."),
        ("model", "message", "Look."),
        ("model", "tool_call", "ls"),
        ("tool", "tool_result", "a.py"),
        ("harness", "message", "submitted"),
        ("harness", "checkpoint", "diff"),
    ]
    assert only(session, "tool_result")[0].result.status == "unknown"


def test_mini_swe_agent_user_messages_are_the_environment(document):
    messages = [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "Look.\n\n```mswea_bash_command\nls\n```"},
        {"role": "user", "content": "<returncode>2</returncode>\n<output>no</output>"},
        {"role": "assistant", "content": "Two blocks?"},
        {"role": "user", "content": "Please give exactly one action."},
    ]
    session = read_transcript(document(messages))
    assert session.format == "mini-swe-agent"
    assert [(e.actor, e.kind) for e in session.events] == [
        ("injected", "message"),
        ("human", "prompt"),
        ("model", "message"),
        ("model", "tool_call"),
        ("tool", "tool_result"),
        ("model", "message"),
        ("harness", "message"),
    ]
    assert session.events[3].call.command == "ls"
    assert session.events[4].result.exit_code == 2


def openhands(number: int, **rest: object) -> dict:
    return {"id": number, "timestamp": "2025-01-01T00:00:00", "source": "agent", **rest}


def test_openhands_words_stand_in_the_model_response(document):
    response = {"id": "r", "model": "m", "choices": [{"message": {"content": "I run it.", "tool_calls": []}}]}
    meta = {"function_name": "execute_bash", "tool_call_id": "c1", "model_response": response}
    session = read_transcript(
        document(
            [
                openhands(0, source="user", action="message", args={"content": "Go."}),
                openhands(1, action="run", args={"command": "ls", "thought": ""}, tool_call_metadata=meta),
                openhands(
                    2,
                    observation="run",
                    cause=1,
                    content="a.py",
                    extras={"metadata": {"exit_code": 1}},
                    tool_call_metadata=meta,
                ),
                openhands(3, action="read", args={"path": "a.py", "thought": "Now read."}),
                openhands(4, observation="user_rejected", cause=3, content="no"),
                openhands(5, observation="agent_state_changed", content=""),
            ]
        )
    )
    assert told(session) == [
        ("human", "prompt", "Go."),
        ("model", "message", "I run it."),
        ("model", "tool_call", "ls"),
        ("tool", "tool_result", "a.py"),
        ("model", "message", "Now read."),
        ("model", "tool_call", "a.py"),
        ("tool", "tool_result", "no"),
        ("human", "rejection", "no"),
    ]
    assert [(e.result.status, e.result.exit_code) for e in only(session, "tool_result")] == [
        ("error", 1),
        ("rejected", None),
    ]


def test_openhands_outputs_hold_one_session_a_line_and_old_histories_pairs(jsonl):
    pair = [{"action": "run", "args": {"command": "ls"}, "source": "agent"}, {"observation": "run", "content": "a.py"}]
    path = jsonl(
        {
            "instance_id": "x-1",
            "instruction": "Go.",
            "metrics": {},
            "history": [pair],
            "test_result": {"git_patch": "diff"},
        },
        {"instance_id": "x-2", "instruction": "Go.", "metrics": {}, "history": [], "error": "it died"},
    )
    first, second = read_transcripts(path)
    assert [(e.kind, e.text) for e in first.events] == [
        ("tool_call", "ls"),
        ("tool_result", "a.py"),
        ("checkpoint", "diff"),
    ]
    assert first.events[1].ref.pointer == "/history/0/1"
    assert [(second.id, e.kind, e.text) for e in second.events] == [("x-2", "error", "it died")]


def test_openhands_folders_of_events_are_read_in_order(tmp_path):
    for number, text in ((2, "Two."), (10, "Ten.")):
        path = tmp_path / "sessions" / "s" / "events" / f"{number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(openhands(number, source="user", action="message", args={"content": text})))
    session = read_transcript(tmp_path)
    assert [e.text for e in session.events] == ["Two.", "Ten."]


def test_openhands_v1_events(tmp_path):
    rows = [
        {
            "kind": "MessageEvent",
            "source": "user",
            "llm_message": {"role": "user", "content": [{"type": "text", "text": "Go."}]},
        },
        {
            "kind": "ActionEvent",
            "source": "agent",
            "thought": [{"type": "text", "text": "I try."}],
            "reasoning_content": "hm",
            "action": None,
            "tool_name": "terminal",
            "tool_call_id": "c1",
            "tool_call": {"name": "terminal", "arguments": "{bad"},
        },
        {"kind": "AgentErrorEvent", "source": "agent", "error": "bad JSON", "tool_call_id": "c1"},
        {"kind": "UserRejectObservation", "source": "environment", "rejection_reason": "not now", "tool_call_id": "c2"},
        {"kind": "SomeNewEvent", "source": "environment"},
    ]
    for number, row in enumerate(rows):
        path = tmp_path / "events" / f"event-{number:05}-u{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"id": f"u{number}", "timestamp": "2026-01-01T00:00:00", **row}))
    session = read_transcript(tmp_path)
    assert session.format == "openhands-v1"
    assert told(session)[:7] == [
        ("human", "prompt", "Go."),
        ("model", "reasoning", "hm"),
        ("model", "message", "I try."),
        ("model", "tool_call", "{bad"),
        ("tool", "tool_result", "bad JSON"),
        ("tool", "tool_result", "not now"),
        ("human", "rejection", "not now"),
    ]
    assert session.unknown_records == {"SomeNewEvent": 1}
    assert "broken_arguments" in {gap.kind for gap in session.gaps}


def test_inspect_tells_events_and_resolves_what_saves_space(document):
    user = {"id": "m1", "role": "user", "content": "attachment://aa", "source": "input"}
    call = {
        "id": "m2",
        "role": "assistant",
        "content": "Look.",
        "tool_calls": [{"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}}],
    }
    tool = {"id": "m3", "role": "tool", "content": "a.py", "tool_call_id": "c1"}
    done = {
        "id": "m4",
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "", "redacted": True}, {"type": "text", "text": "Done."}],
    }
    events = [
        {
            "event": "model",
            "model": "demo",
            "input": [],
            "input_refs": [[0, 1]],
            "output": {"choices": [{"message": call}]},
        },
        {"event": "approval", "approver": "human", "decision": "reject", "explanation": "no", "call": {"id": "c1"}},
        {
            "event": "tool",
            "id": "c1",
            "function": "bash",
            "result": "a.py",
            "error": {"type": "timeout", "message": "late"},
        },
        {
            "event": "model",
            "model": "demo",
            "input": [],
            "input_refs": [[0, 3]],
            "output": {"choices": [{"message": done}]},
        },
        {"event": "brand_new"},
    ]
    sample = {
        "id": "s",
        "epoch": 2,
        "messages": [user, call, tool, done],
        "events": events,
        "message_pool": [user, call, tool],
        "attachments": {"aa": "Go."},
    }
    session = read_transcript(document({"version": 2, "eval": {"model": "demo"}, "plan": {}, "samples": [sample]}))
    assert session.id == "s_epoch_2"
    assert told(session) == [
        ("human", "prompt", "Go."),
        ("model", "message", "Look."),
        ("model", "tool_call", "ls"),
        ("human", "rejection", "no"),
        ("tool", "tool_result", "a.py\ntimeout: late"),
        ("model", "reasoning", ""),
        ("model", "message", "Done."),
        ("harness", "unknown", '{"event": "brand_new"}'),
    ]
    assert only(session, "tool_result")[0].result.status == "timeout"
    assert session.counted_records == {"repeat of an event": 4}


def test_atif_steps_copies_and_subagents(document):
    session = read_transcript(
        document(
            {
                "schema_version": "ATIF-v1.7",
                "session_id": "a",
                "agent": {"name": "demo", "version": "1", "model_name": "m"},
                "steps": [
                    {"step_id": 1, "source": "user", "message": "Go."},
                    {"step_id": 2, "source": "user", "message": "Go.", "is_copied_context": True},
                    {
                        "step_id": 3,
                        "source": "agent",
                        "message": "",
                        "reasoning_content": "hm",
                        "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}],
                        "observation": {"results": [{"content": "a.py", "extra": {"exit_code": 0}}]},
                    },
                ],
                "subagent_trajectories": [
                    {"trajectory_id": "sub", "steps": [{"step_id": 1, "source": "agent", "message": "Inner."}]}
                ],
            }
        )
    )
    assert [(e.actor, e.kind, e.text, e.agent_id) for e in session.events] == [
        ("human", "prompt", "Go.", None),
        ("model", "reasoning", "hm", None),
        ("model", "tool_call", "ls", None),
        ("tool", "tool_result", "a.py", None),
        ("subagent", "message", "Inner.", "sub"),
    ]
    assert session.events[3].result.exit_code == 0
    assert session.counted_records == {"copy of an earlier step": 1}


def span(number: int, operation: str, parent: int = 0, **attributes: object) -> dict:
    rows = {
        "gen_ai.operation.name": operation,
        **{f"gen_ai.{key.replace('__', '.')}": value for key, value in attributes.items()},
    }
    return {
        "traceId": "t",
        "spanId": str(number),
        "parentSpanId": str(parent or ""),
        "name": operation,
        "startTimeUnixNano": str(1788256800000000000 + number),
        "attributes": [
            {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}
            for key, value in rows.items()
        ],
    }


def test_spans_repeat_the_conversation_and_it_is_told_once(document):
    def part(role: str, text: str) -> dict:
        return {"role": role, "parts": [{"type": "text", "content": text}]}

    call = {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}],
    }
    answer = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "a.py"}]}
    spans = [
        span(1, "invoke_agent", agent__name="outer"),
        span(2, "chat", 1, input__messages=[part("user", "Go.")], output__messages=[{**call, "finish_reason": "tool"}]),
        span(3, "execute_tool", 1, tool__name="bash", tool__call__id="c1", tool__call__result="a.py"),
        span(
            4,
            "chat",
            1,
            input__messages=[part("user", "Go."), call, answer],
            output__messages=[part("assistant", "Done.")],
        ),
        span(5, "invoke_agent", 1, agent__name="inner"),
        span(
            6,
            "chat",
            5,
            input__messages=[part("user", "Inner task.")],
            output__messages=[part("assistant", "Inner done.")],
        ),
        span(7, "chat", 1),
    ]
    session = read_transcript(document({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    assert session.agent == "outer"
    assert [(e.actor, e.kind, e.text, e.agent_id) for e in session.events] == [
        ("human", "prompt", "Go.", None),
        ("model", "tool_call", "ls", None),
        ("tool", "tool_result", "a.py", None),
        ("model", "message", "Done.", None),
        ("model", "prompt", "Inner task.", "5"),
        ("subagent", "message", "Inner done.", "5"),
    ]
    assert [gap.kind for gap in session.gaps] == ["content_not_recorded"]


def test_chat_lists_of_both_kinds(document):
    openai = read_transcript(
        document(
            [
                {"role": "developer", "content": "Be brief."},
                {"role": "user", "content": "Go."},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c1", "function": {"name": "bash", "arguments": "{bad"}}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "no"},
            ]
        )
    )
    anthropic = read_transcript(
        document(
            {
                "system": "Be brief.",
                "messages": [
                    {"role": "user", "content": "Go."},
                    {
                        "role": "assistant",
                        "content": [{"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}}],
                    },
                    {
                        "role": "user",
                        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}],
                    },
                ],
            }
        )
    )
    kinds = [("injected", "message"), ("human", "prompt"), ("model", "tool_call"), ("tool", "tool_result")]
    assert [(e.actor, e.kind) for e in openai.events] == kinds
    assert [(e.actor, e.kind) for e in anthropic.events] == kinds
    assert [gap.kind for gap in openai.gaps] == ["broken_arguments"]
    assert (openai.events[2].call.arguments, openai.events[2].call.raw) == ({}, "{bad")
    assert [s.events[3].result.status for s in (openai, anthropic)] == ["unknown", "error"]


def test_renamed_roles_are_understood(document):
    session = read_transcript(
        document({"conversations": [{"from": "human", "value": "Go."}, {"from": "gpt", "value": "Done."}]})
    )
    assert told(session) == [("human", "prompt", "Go."), ("model", "message", "Done.")]


def test_entire_checkpoints_give_each_session_once_and_the_longest(tmp_path):
    long = [says("Go.", "u1"), answers({"type": "text", "text": "Done."}, uuid="a1", parent="u1")]
    for place, records, name in (
        ("ab/0123456789/0", long[:1], "s-1"),
        ("cd/0123456789/0", long, "s-1"),
        ("cd/0123456789/1", [GEMINI | {"messages": []}], "s-2"),
    ):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        (folder / "metadata.json").write_text(
            json.dumps({"session_id": name, "branch": "dev/x", "agent": "Gemini CLI"})
        )
        (folder / "full.jsonl").write_text("\n".join(map(json.dumps, records)))
    first, second = read_transcripts(tmp_path)
    assert (first.format, len(first.events), first.branch) == ("claude-code", 2, "dev/x")
    assert list(first.files) == ["cd/0123456789/0/full.jsonl"]
    assert (second.format, [gap.kind for gap in second.gaps]) == ("gemini-cli", ["empty_transcript"])


def test_swe_chat_tables(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    rows = [
        ("s1", "user_prompt", "Go.", None, None),
        ("s2", "user_prompt", "Other.", None, None),
        ("s1", "tool_use", "", "Bash", '{"command": "ls"}'),
        ("s1", "tool_result", "a.py", None, None),
        ("s1", "assistant_response", "Done.", None, None),
        ("s2", "strange", "?", None, None),
    ]
    names = ("session_id", "turn_type", "content", "tool_name", "tool_input_json")
    path = tmp_path / "conversations-0.parquet"
    parquet.write_table(pyarrow.table({name: [row[i] for row in rows] for i, name in enumerate(names)}), path)
    for place in (path, tmp_path):
        first, second = read_transcripts(place)
        assert told(first) == [
            ("human", "prompt", "Go."),
            ("model", "tool_call", "ls"),
            ("tool", "tool_result", "a.py"),
            ("model", "message", "Done."),
        ]
        assert (second.id, second.unknown_records) == ("s2", {"strange": 1})
    parquet.write_table(pyarrow.table({"session_id": ["a"]}), path)
    with pytest.raises(TranscriptError, match="no column"):
        read_transcript(path, "swe-chat")


def test_aider_history_is_split_into_sessions(tmp_path):
    path = tmp_path / "history.md"
    path.write_text(
        "# aider chat started at 2026-01-01 10:00:00\n\n> Added a.py to the chat  \n\n#### add x\n#### and y\n\n"
        "Here:\n\n```\n#### not a prompt\n> not output\n```\n\n> Applied edit to a.py  \n> ^C KeyboardInterrupt\n\n"
        "# aider chat started at 2026-01-02 10:00:00\n\n#### again\n"
    )
    first, second = read_transcripts(path)
    assert told(first) == [
        ("harness", "message", "Added a.py to the chat"),
        ("human", "prompt", "add x\nand y"),
        ("model", "message", "Here:\n\n```\n#### not a prompt\n> not output\n```"),
        ("human", "interrupt", "Applied edit to a.py\n^C KeyboardInterrupt"),
        ("tool", "file_change", ""),
    ]
    assert told(second) == [("human", "prompt", "again")]
    assert (first.started, second.started) == ("2026-01-01 10:00:00", "2026-01-02 10:00:00")
