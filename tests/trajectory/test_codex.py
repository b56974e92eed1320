"""Codex: pairs that are told once, injected text, outputs, rollbacks, rewritten records."""

from __future__ import annotations

import json

import pytest

from ebg.errors import TranscriptError
from ebg.trajectory import read_transcript

from .conftest import only, told

META = {"timestamp": "2026-09-01T10:00:00Z", "type": "session_meta", "payload": {"id": "c-1", "cli_version": "0.153.4"}}


def item(kind: str, **rest: object) -> dict:
    return {"timestamp": "2026-09-01T10:00:01Z", "type": "response_item", "payload": {"type": kind, **rest}}


def event(kind: str, **rest: object) -> dict:
    return {"timestamp": "2026-09-01T10:00:02Z", "type": "event_msg", "payload": {"type": kind, **rest}}


def message(role: str, text: str) -> dict:
    return item("message", role=role, content=[{"type": "input_text", "text": text}])


def test_pairs_in_either_order_are_told_once(jsonl):
    session = read_transcript(
        jsonl(
            META,
            event("user_message", message="Go."),
            message("user", "Go."),
            message("assistant", "Yes."),
            event("agent_message", message="Yes."),
            event("agent_message", message="Done."),
            message("assistant", "Done."),
            message("assistant", "Done."),
        )
    )
    assert told(session) == [
        ("human", "prompt", "Go."),
        ("model", "message", "Yes."),
        ("model", "message", "Done."),
        ("model", "message", "Done."),
    ]
    assert session.records == 8
    assert session.counted_records == {"bookkeeping: session_meta": 1, "twin of a message": 2, "twin of a prompt": 1}


@pytest.mark.parametrize(
    "text",
    ["# AGENTS.md instructions for /x", "<environment_context>", "<turn_aborted>", "<user_instructions>x"],
)
def test_injected_text_is_never_the_person(jsonl, text):
    session = read_transcript(
        jsonl(META, message("user", text), message("developer", "Yes, approved."), message("user", "Go."))
    )
    assert [(e.actor, e.kind) for e in session.events] == [
        ("injected", "message"),
        ("injected", "message"),
        ("human", "prompt"),
    ]


@pytest.mark.parametrize(
    ("output", "status", "code"),
    [
        ("Chunk ID: a\nWall time: 1 s\nProcess exited with code 0\nOutput:\nok", "ok", 0),
        ("Chunk ID: a\nProcess exited with code 1\nOutput:\nProcess exited with code 0", "error", 1),
        ("Chunk ID: a\nProcess running with session ID 7\nOutput:\n", "unknown", None),
        (json.dumps({"output": "x", "metadata": {"exit_code": 3}}), "error", 3),
        (json.dumps({"output": "x", "metadata": {"exit_code": 124}}), "timeout", 124),
        ("apply_patch verification failed: no such line", "error", None),
        ("exec command rejected by user", "rejected", None),
        ("aborted by user after 3.2s", "cancelled", None),
        ("Plan updated", "ok", None),
        ({"content": "no", "success": False}, "error", None),
        ([{"type": "input_text", "text": "seen"}], "ok", None),
    ],
)
def test_outcomes_of_outputs(jsonl, output, status, code):
    call = item("function_call", name="exec_command", arguments='{"cmd": "x"}', call_id="c1")
    session = read_transcript(jsonl(META, call, item("function_call_output", call_id="c1", output=output)))
    result = only(session, "tool_result")[0].result
    assert (result.status, result.exit_code) == (status, code)
    assert len(only(session, "rejection")) == (status == "rejected")


def test_an_end_event_stands_in_for_an_output_that_never_came(jsonl):
    call = item("function_call", name="exec_command", arguments='{"cmd": "x"}', call_id="c1")
    end = event("exec_command_end", call_id="c1", aggregated_output="boom", exit_code=2)
    alone = read_transcript(jsonl(META, call, end))
    assert [(e.text, e.result.exit_code) for e in only(alone, "tool_result")] == [("boom", 2)]
    both = read_transcript(jsonl(META, call, end, item("function_call_output", call_id="c1", output="boo…")))
    assert [(e.text, e.result.exit_code) for e in only(both, "tool_result")] == [("boo…", 2)]


def test_a_rollback_withdraws_turns_and_keeps_them(jsonl):
    session = read_transcript(
        jsonl(
            META,
            message("user", "One."),
            message("user", "Two."),
            message("assistant", "2"),
            message("user", "Three."),
            event("thread_rolled_back", num_turns=2),
            message("user", "Four."),
        )
    )
    assert [(e.text, e.branch_id) for e in session.events] == [
        ("One.", None),
        ("Two.", "rollback-1"),
        ("2", "rollback-1"),
        ("Three.", "rollback-1"),
        ("", None),
        ("Four.", None),
    ]


def test_a_record_that_begins_with_a_compaction_was_rewritten(jsonl):
    compacted = {"type": "compacted", "payload": {"message": "What was: x", "replacement_history": []}}
    session = read_transcript(jsonl(META, compacted, message("user", "Go.")))
    assert [gap.kind for gap in session.gaps] == ["rewritten_history"]
    assert ("model", "summary", "What was: x") in told(session)


def test_approved_commands_of_other_projects_are_only_counted(jsonl):
    state = {"permissions": {"approved_command_prefixes": [["rm", "secret-name"], ["ls"]]}}
    session = read_transcript(jsonl(META, {"type": "world_state", "payload": state}, message("user", "Go.")))
    assert session.events[0].text == "2 approved command prefixes"
    assert not any("secret-name" in e.text for e in session.events)


def test_the_state_of_permissions_is_told_when_it_changes(jsonl):
    def context(policy: str) -> dict:
        sandbox = {"type": "workspace-write", "network_access": True}
        payload = {"approval_policy": policy, "sandbox_policy": sandbox, "model": "gpt-demo"}
        return {"type": "turn_context", "payload": payload}

    session = read_transcript(jsonl(META, context("on-request"), context("on-request"), context("never")))
    assert [e.text for e in only(session, "setting")] == [
        "approval on-request, sandbox workspace-write, network on",
        "approval never, sandbox workspace-write, network on",
    ]
    assert session.models == ("gpt-demo",)


def test_compressed_rollouts_are_read(tmp_path, jsonl):
    zstandard = pytest.importorskip("zstandard")
    plain = jsonl(META, message("user", "Go.")).read_bytes()
    packed = tmp_path / "rollout.jsonl.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(plain))
    assert told(read_transcript(packed)) == [("human", "prompt", "Go.")]
    packed.write_bytes(packed.read_bytes()[:-7] + b"garbage")
    with pytest.raises(TranscriptError, match=r"rollout\.jsonl\.zst"):
        read_transcript(packed)


def test_a_list_of_items_is_read_too(document):
    items = [
        {"type": "message", "role": "user", "content": "Go."},
        {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "a.py"},
    ]
    session = read_transcript(document(items))
    assert session.format == "codex"
    assert [e.kind for e in session.events] == ["prompt", "tool_call", "tool_result"]
