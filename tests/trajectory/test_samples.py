"""Every real and synthetic sample is read without loss: nothing is dropped, and the people's words are all there.

The last two columns were counted by hand in the files (and stand in part in their SOURCES.md: "two turns", "three
turns", "five rejections", "four AskUserQuestion" of which one was refused, "two short corrections").
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.transcripts import dropped_records
from ebg.trajectory import TrajectoryView, build_trajectory, read_transcript, trace_events

# file, format, records, unknown records, prompts (queued ones too), other acts of people
SAMPLES = [
    ("aider/chat-transcript-css.md", "aider", 46, 0, 11, {"interrupt": 2}),
    ("atif/nat-exmp02-atif.json", "atif", 3, 0, 1, {}),
    ("atif/nat-exmp06-atif.json", "atif", 7, 0, 3, {}),
    ("claude-code/entire-2.0.76-six-subagents.jsonl", "claude-code", 79, 0, 3, {}),
    (
        "claude-code/entire-2.1.12-plan-questions-rejections.jsonl",
        "claude-code",
        145,
        0,
        3,
        {"rejection": 5, "answer": 3, "interrupt": 1},
    ),
    ("claude-code/entire-2.1.12-short-pushback.jsonl", "claude-code", 65, 0, 2, {}),
    ("claude-code/entire-2.1.5-compaction.jsonl", "claude-code", 85, 0, 1, {}),
    # 35 lines, one of them broken, and 4 of the subagent's file.
    ("claude-code/synthetic-edge-cases.jsonl", "claude-code", 39, 1, 4, {"rejection": 1, "answer": 1, "interrupt": 1}),
    ("claude-code/tracelab-2.1.157-two-turns.jsonl", "claude-code", 64, 0, 2, {}),
    ("codex/synthetic-0.15x-all-kinds.jsonl", "codex", 45, 0, 2, {"interrupt": 2}),
    ("codex/synthetic-exec-json-stream.jsonl", "codex-exec", 10, 0, 0, {}),
    ("codex/synthetic-oldest-bare-items.jsonl", "codex", 8, 0, 1, {}),
    ("codex/tracelab-0.114.0-three-turns.jsonl", "codex", 72, 0, 3, {}),
    ("entire/00c9e2351016-root-metadata.json", "entire", 1, 0, 0, {}),
    ("entire/00c9e2351016-session3-metadata.json", "entire", 1, 0, 0, {}),
    ("entire/37995ebed6e4-root-metadata.json", "entire", 1, 0, 0, {}),
    ("entire/37995ebed6e4-session3-metadata.json", "entire", 1, 0, 0, {}),
    ("gemini-cli/entire-gemini-2026-01-legacy.json", "gemini-cli", 13, 0, 1, {}),
    ("gemini-cli/entire-gemini-2026-01-short.json", "gemini-cli", 6, 0, 2, {}),
    ("gemini-cli/synthetic-jsonl-rewind.jsonl", "gemini-cli", 10, 0, 3, {"rejection": 1, "interrupt": 2}),
    ("inspect/v2-browser-agent-trimmed.json", "inspect", 53, 0, 1, {}),  # 43 events and 10 messages
    ("inspect/v2-read-sample.eval", "inspect", 20, 0, 1, {}),  # 17 events and 3 messages
    ("inspect/v2-tool-call-errors.json", "inspect", 11, 0, 0, {}),
    ("inspect/v3-message-dedup-agent.eval", "inspect", 54, 0, 1, {}),  # 42 events and 12 messages
    ("mini-swe-agent/synthetic-1.1.traj.json", "mini-swe-agent", 8, 0, 1, {}),  # 7 messages and info
    ("mini-swe-agent/v1-list-github-issue.traj.json", "mini-swe-agent", 22, 0, 1, {}),
    ("mini-swe-agent/v1-list-local.traj.json", "mini-swe-agent", 6, 0, 1, {}),
    ("openai-chat/synthetic-messages.json", "chat", 6, 0, 1, {}),
    ("openhands/v0-eval-output-first-record.jsonl", "openhands", 49, 0, 1, {}),
    ("openhands/v0-events-basic.json", "openhands", 4, 0, 1, {}),
    ("openhands/v0-resolver-output-first-record.jsonl", "openhands", 8, 0, 1, {}),
    ("openhands/v1-base_state.json", "openhands-v1", 1, 0, 0, {}),
    ("openhands/v1-events.jsonl", "openhands-v1", 10, 0, 0, {}),
    ("otel/synthetic-genai-otlp.json", "otel", 4, 0, 1, {}),
    ("swe-agent/demo-history-only.traj", "swe-agent", 12, 0, 1, {}),
    ("swe-agent/v0-ctf-eps.traj", "swe-agent", 44, 0, 1, {}),  # 29 of history, 14 steps, info
    ("swe-agent/v1-marshmallow-1867-function-calling.traj", "swe-agent", 36, 0, 1, {}),
    ("swe-agent/v1-test-repo.traj", "swe-agent", 16, 0, 1, {}),  # 10 of history, 5 steps, info
]


@pytest.fixture(scope="session")
def transcripts(shared_data: Path) -> Path:
    return shared_data / "transcripts"


def test_the_table_names_every_sample(transcripts):
    files = {
        path.relative_to(transcripts).as_posix()
        for path in transcripts.rglob("*")
        if path.is_file() and path.parent.name != "subagents" and path.name != "SOURCES.md"
    }
    assert files == {row[0] for row in SAMPLES}


@pytest.mark.parametrize(
    ("name", "form", "records", "unknown", "prompts", "acts"), SAMPLES, ids=[row[0] for row in SAMPLES]
)
def test_a_sample_is_read_without_loss(transcripts, name, form, records, unknown, prompts, acts):
    session = read_transcript(transcripts / name)
    assert session.format == form
    assert session.records == records
    assert sum(session.unknown_records.values()) == unknown
    assert dropped_records(session) == 0
    people = Counter(event.kind for event in session.events if event.actor == "human")
    asked = people.pop("prompt", 0) + people.pop("queued_prompt", 0)
    assert (asked, dict(people)) == (prompts, acts)
    assert [event.id for event in session.events] == [f"E{seq}" for seq in range(1, len(session.events) + 1)]


@pytest.mark.parametrize("name", [row[0] for row in SAMPLES])
def test_everything_a_person_said_and_every_citable_event_is_in_the_view(transcripts, name):
    session = read_transcript(transcripts / name)
    graph = build_trajectory(session)
    payload = TrajectoryView(graph).payload()
    shown, ids = set(), set()
    stack: list[object] = [payload]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if "content" in item:
                shown.add(item["content"])
                ids.add(item["evidence_id"])
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    for event in session.events:
        if event.actor == "human" and event.kind != "interrupt" and event.text.strip():
            assert event.text in shown
    assert {event.evidence_id for event in trace_events(session)} - {None} == ids - {None}


def test_subagent_transcripts_that_are_not_there_are_gaps(transcripts):
    session = read_transcript(transcripts / "claude-code/entire-2.0.76-six-subagents.jsonl")
    assert Counter(gap.kind for gap in session.gaps)["missing_subagent"] == 6


def test_references_lead_back_to_the_bytes_of_the_record(transcripts):
    path = transcripts / "codex/tracelab-0.114.0-three-turns.jsonl"
    data, lines = path.read_bytes(), path.read_bytes().splitlines()
    for event in read_transcript(path).events:
        assert data[event.ref.byte_start : event.ref.byte_end].rstrip(b"\r\n") == lines[event.ref.line - 1]
