"""Claude Code: who speaks, where the person's words hide, branches, subagents, outcomes."""

from __future__ import annotations

from itertools import count

import pytest

from ebg.trajectory import read_transcript

from .conftest import only, told

SESSION = "33333333-0000-4000-8000-000000000000"
_numbers = count()


def record(kind: str, uuid: str | None = None, parent: str | None = None, **rest: object) -> dict:
    uuid = uuid or f"auto-{next(_numbers)}"
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "timestamp": "2026-09-01T10:00:00.000Z",
        **rest,
    }


def says(text: object, uuid: str | None = None, parent: str | None = None, **rest: object) -> dict:
    return record("user", uuid, parent, message={"role": "user", "content": text}, **rest)


def answers(*blocks: dict, uuid: str | None = None, parent: str | None = None, **rest: object) -> dict:
    message = {"id": "m1", "role": "assistant", "model": "claude-demo", "content": list(blocks)}
    return record("assistant", uuid, parent, message=message, **rest)


def calls(name: str, call_id: str = "t1", **arguments: object) -> dict:
    return answers({"type": "tool_use", "id": call_id, "name": name, "input": arguments})


def returns(text: str, call_id: str = "t1", extra: object = None, **block: object) -> dict:
    content = [{"type": "tool_result", "tool_use_id": call_id, "content": text, **block}]
    return says(content, toolUseResult=extra)


@pytest.mark.parametrize(
    ("content", "marks", "actor", "kind"),
    [
        ("Fix the parser.", {}, "human", "prompt"),
        ("Fix the parser.", {"isMeta": True}, "injected", "message"),
        ("Stop hook feedback:\n- run tests", {"isMeta": True}, "injected", "hook"),
        ("This session is being continued from ...", {"isCompactSummary": True}, "model", "summary"),
        ("<command-name>/review</command-name>\n<command-args>x</command-args>", {}, "human", "prompt"),
        ("<bash-input>ls</bash-input>", {}, "human", "prompt"),
        ("<bash-stdout>a.py</bash-stdout>", {}, "harness", "message"),
        ("<local-command-stdout>ok</local-command-stdout>", {}, "harness", "message"),
        ("<local-command-caveat>x</local-command-caveat>", {}, "injected", "message"),
        ("<task-notification>yes, go ahead</task-notification>", {}, "harness", "message"),
        ("[Request interrupted by user for tool use]", {}, "human", "interrupt"),
        ("Operation stopped by hook: no", {}, "harness", "hook"),
        ("<system-reminder>go ahead</system-reminder>", {}, "injected", "message"),
        ([{"type": "text", "text": "<ide_selection>x</ide_selection>"}], {}, "injected", "message"),
    ],
)
def test_who_speaks_in_a_record_of_role_user(jsonl, content, marks, actor, kind):
    session = read_transcript(jsonl(says("Hello."), says(content, **marks)))
    assert [(event.actor, event.kind) for event in session.events[1:]] == [(actor, kind)]


def test_commands_and_plans_tell_what_they_are(jsonl):
    session = read_transcript(
        jsonl(
            says("<command-message>review</command-message>\n<command-name>/review</command-name>"),
            says("<bash-input> ls -l </bash-input>"),
            says("Implement the following plan:\n\n1. x", planContent="1. x"),
        )
    )
    assert [dict(event.meta) for event in session.events] == [
        {"command": "/review"},
        {"shell": "ls -l"},
        {"approves_plan": True, "written_by": "agent"},
    ]


@pytest.mark.parametrize(
    ("text", "block", "extra", "status", "code"),
    [
        ("fine", {}, None, "ok", None),
        ("Exit code 2\nboom", {"is_error": True}, "Error: Exit code 2", "error", 2),
        ("Exit code 2 is what the file says", {}, None, "ok", None),
        ("<tool_use_error>no such tool</tool_use_error>", {}, None, "error", None),
        ("Command timed out after 2m", {"is_error": True}, None, "timeout", None),
        ("partial", {}, {"interrupted": True, "stdout": "partial"}, "cancelled", None),
        ("The user doesn't want to proceed.", {"is_error": True}, "User rejected tool use", "rejected", None),
    ],
)
def test_outcomes_of_results(jsonl, text, block, extra, status, code):
    session = read_transcript(jsonl(says("Go."), calls("Bash", command="x"), returns(text, extra=extra, **block)))
    result = only(session, "tool_result")[0].result
    assert (result.status, result.exit_code) == (status, code)


def test_a_large_output_is_cut_and_says_where_the_rest_is(jsonl):
    text = "<persisted-output>\nOutput too large. Full output saved to: /tmp/out/abc.txt\n\nPreview"
    session = read_transcript(jsonl(says("Go."), calls("Bash", command="x"), returns(text)))
    result = only(session, "tool_result")[0].result
    assert (result.truncated, result.pointer) == (True, "/tmp/out/abc.txt")
    assert [gap.kind for gap in session.gaps] == ["truncated_output"]


def test_the_reason_of_a_rejection_is_the_persons_word(jsonl):
    said = "The user doesn't want to proceed with this tool use. To tell you how, the user said:\nnot the timeout!"
    canned = said.replace("not the timeout!", "The user wants to clarify these questions.")
    session = read_transcript(
        jsonl(
            says("Go."),
            calls("Edit", "t1", file_path="a.py"),
            returns(said, "t1", is_error=True),
            calls("AskUserQuestion", "t2", questions=[]),
            returns(canned, "t2", is_error=True),
        )
    )
    assert [(event.actor, event.text) for event in only(session, "rejection")] == [
        ("human", "not the timeout!"),
        ("human", ""),
    ]


def test_answers_to_questions_are_the_persons_word(jsonl):
    session = read_transcript(
        jsonl(
            says("Go."),
            calls("AskUserQuestion", "t1", questions=[{"question": "How many?"}]),
            returns('User has answered your questions: "How many?"="5".', "t1", {"answers": {"How many?": "5"}}),
            calls("AskUserQuestion", "t2", questions=[{"question": "Which?"}]),
            returns('User has answered your questions: "Which?"="a, b".', "t2"),
        )
    )
    found = [(event.actor, event.text, event.meta["question"]) for event in only(session, "answer")]
    assert found == [("human", "5", "How many?"), ("human", "a, b", "Which?")]


def test_an_approved_plan_and_its_edit(jsonl):
    session = read_transcript(
        jsonl(
            says("Go."),
            calls("ExitPlanMode", "t1", plan="1. a"),
            returns("User has approved your plan.", "t1", {"plan": "1. a\n2. b"}),
        )
    )
    assert told(session)[3:] == [("human", "approval", ""), ("human", "plan", "1. a\n2. b")]


def queue(operation: str, content: str | None = None) -> dict:
    extra = {} if content is None else {"content": content}
    return {"type": "queue-operation", "operation": operation, "sessionId": SESSION, **extra}


def test_queued_messages_are_told_once(jsonl):
    session = read_transcript(
        jsonl(
            says("Go."),
            queue("enqueue", "and log it"),
            queue("dequeue"),
            says("and log it"),
            queue("enqueue", "only here"),
            queue("remove"),
            queue("enqueue", "taken back"),
            queue("popAll", "taken back"),
            queue("enqueue", "<task-notification>done</task-notification>"),
        )
    )
    assert told(session) == [
        ("human", "prompt", "Go."),
        ("human", "prompt", "and log it"),
        ("human", "queued_prompt", "only here"),
        ("human", "queued_prompt", "taken back"),
        ("harness", "message", "<task-notification>done</task-notification>"),
    ]
    assert [event.meta.get("taken_back") for event in session.events] == [None, None, None, True, None]
    assert [event.turn for event in session.events] == [1, 2, 3, 4, 4]


def test_an_edited_prompt_withdraws_its_branch(jsonl):
    session = read_transcript(
        jsonl(
            says("Go.", "u1"),
            answers({"type": "text", "text": "Yes."}, uuid="a1", parent="u1"),
            says("Add x.", "u2", "a1"),
            answers({"type": "text", "text": "x added"}, uuid="a2", parent="u2"),
            says("Add y.", "u3", "a1"),
            answers({"type": "text", "text": "y added"}, uuid="a3", parent="u3"),
        )
    )
    assert [(event.text, event.branch_id) for event in session.events] == [
        ("Go.", None),
        ("Yes.", None),
        ("Add x.", "fork-1"),
        ("x added", "fork-1"),
        ("Add y.", None),
        ("y added", None),
    ]


def test_a_resumed_file_repeats_records_that_are_told_once(jsonl):
    first = says("Go.", "u1")
    session = read_transcript(jsonl(first, first, {**says("Again.", "u2"), "sessionId": "other"}))
    assert [event.text for event in session.events] == ["Go.", "Again."]
    assert session.counted_records == {"copy of an earlier record": 1}
    assert (session.id, session.parent_session) == (SESSION, "other")


def test_subagents_stand_before_the_result_of_their_call(jsonl):
    jsonl(
        says("Write it.", "s1", isSidechain=True, agentId="ag7"),
        answers({"type": "tool_use", "id": "x1", "name": "Write", "input": {"file_path": "r.py"}}, isSidechain=True),
        returns("ok", "x1"),
        name="session/subagents/agent-ag7.jsonl",
    )
    path = jsonl(
        says("Go."),
        calls("Agent", "t1", prompt="Write it."),
        returns("Done.", "t1", {"status": "completed", "agentId": "ag7"}),
        calls("Agent", "t2", prompt="Check it."),
        returns("Checked.", "t2", {"status": "completed", "agentId": "ag8"}),
    )
    session = read_transcript(path)
    assert [(event.actor, event.kind, event.agent_id, event.parent_id) for event in session.events[:6]] == [
        ("human", "prompt", None, None),
        ("model", "tool_call", None, None),
        ("model", "prompt", "ag7", "E2"),
        ("subagent", "tool_call", "ag7", "E2"),
        ("tool", "tool_result", "ag7", "E2"),
        ("tool", "tool_result", None, None),
    ]
    assert [(gap.kind, gap.event_id) for gap in session.gaps] == [("missing_subagent", "E8")]
    assert sorted(session.files) == ["session.jsonl", "session/subagents/agent-ag7.jsonl"]


def test_old_subagent_files_beside_the_session_count_only_if_they_belong_to_it(jsonl):
    jsonl(says("Mine.", agentId="a1"), name="agent-a1.jsonl")
    jsonl({**says("Other.", agentId="a2"), "sessionId": "x"}, name="agent-a2.jsonl")
    session = read_transcript(jsonl(says("Go."), calls("Task", "t1", prompt="Mine."), returns("Done.", "t1")))
    assert [event.text for event in session.events if event.agent_id] == ["Mine."]


def test_changes_by_the_person_to_an_edit_are_told(jsonl):
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}]
    extra = {"filePath": "a.py", "structuredPatch": patch, "userModified": True}
    session = read_transcript(jsonl(says("Go."), calls("Edit", file_path="a.py"), returns("ok", extra=extra)))
    change = only(session, "file_change")[0]
    assert change.text == "@@ -1,1 +1,1 @@\n-a\n+b"
    assert dict(change.meta) == {"path": "a.py", "change": "update", "user_modified": True, "of": "t1"}


def test_hidden_thinking_is_a_gap_and_never_text(jsonl):
    blocks = [{"type": "thinking", "thinking": "", "signature": "x"}, {"type": "redacted_thinking", "data": "y"}]
    session = read_transcript(jsonl(says("Go."), answers(*blocks, {"type": "thinking", "thinking": "plain"})))
    assert [event.text for event in only(session, "reasoning")] == ["", "", "plain"]
    assert [gap.detail for gap in session.gaps] == ["2 of 3 reasoning blocks have no readable text"]


def test_the_web_export_holds_the_same_records(document):
    session = read_transcript(document({"loglines": [says("Go."), answers({"type": "text", "text": "Done."})]}))
    assert told(session) == [("human", "prompt", "Go."), ("model", "message", "Done.")]
    assert session.events[1].ref.pointer == "/loglines/1/message/content/0"
