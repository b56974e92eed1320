"""The format is found by content; what is unknown or mixed is refused with what was seen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from ebg.errors import TranscriptError
from ebg.trajectory import detect_format, read_transcript, read_transcripts, reader_names
from ebg.trajectory.events import Session
from ebg.trajectory.readers import Reader, SessionBuilder, Shape, Source, json_lines

from .test_claude_code import says
from .test_codex import META, message

CHAT = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}]


def test_the_names_of_all_formats():
    assert reader_names()[:16] == (
        "model-input",
        "claude-code",
        "codex",
        "codex-exec",
        "gemini-cli",
        "swe-agent",
        "mini-swe-agent",
        "openhands",
        "openhands-v1",
        "inspect",
        "atif",
        "otel",
        "entire",
        "swe-chat",
        "chat",
        "aider",
    )


@pytest.mark.parametrize("name", ["gemini.json", "full.jsonl", "x.txt", "noname"])
def test_the_name_of_a_file_tells_nothing(jsonl, document, name):
    assert detect_format(jsonl(says("Go."), says("On."), name=name)) == "claude-code"
    assert detect_format(document({"sessionId": "g", "projectHash": "0", "messages": []}, name)) == "gemini-cli"


def test_helper_records_at_the_start_do_not_hide_a_format(jsonl):
    path = jsonl(
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        {"type": "mode", "mode": "normal", "sessionId": "s"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        says("Go."),
    )
    assert detect_format(path) == "claude-code"


def test_mixed_records_are_refused(jsonl):
    with pytest.raises(TranscriptError, match=r"several formats: 1 of claude-code, 2 of codex \(of 3"):
        read_transcript(jsonl(says("Go."), META, message("user", "Go.")))


def test_unknown_records_are_refused_and_described(jsonl):
    with pytest.raises(TranscriptError, match=r"unknown format.*type='alien'.*Known: model-input, claude-code"):
        read_transcript(jsonl({"type": "alien", "x": 1}, {"type": "alien", "x": 2}))


@pytest.mark.parametrize(
    "data", [b"", b"   \n\n", b"plain words\n", b"\x00\x01\x02", b"PK\x03\x04broken", b"[1, 2", b"{}", b"null"]
)
def test_what_is_no_transcript_is_refused(tmp_path, data):
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(TranscriptError, match="x: "):
        read_transcript(path)


def test_a_missing_file_an_unknown_format_and_an_unknown_session(jsonl, tmp_path):
    with pytest.raises(TranscriptError, match="no such file"):
        read_transcript(tmp_path / "nothing.jsonl")
    path = jsonl(says("Go."))
    with pytest.raises(TranscriptError, match="unknown format 'claude'; known are model-input, claude-code"):
        read_transcript(path, "claude")
    with pytest.raises(TranscriptError, match="no session 'z'"):
        read_transcript(path, session="z")


def test_a_file_of_several_sessions_asks_which(jsonl):
    path = jsonl({"id": "a", "messages": CHAT}, {"id": "b", "messages": CHAT}, {"id": "c", "messages": CHAT})
    assert [session.id for session in read_transcripts(path)] == ["a", "b", "c"]
    with pytest.raises(TranscriptError, match=r"several sessions; name one of \['a', 'b', 'c'\]"):
        read_transcript(path)
    assert read_transcript(path, session="b").id == "b"


def test_a_broken_first_line_does_not_hide_a_format(jsonl):
    session = read_transcript(jsonl('{"type":"user","mess', says("Go."), says("On.")))
    assert [event.text for event in session.events] == ["Go.", "On."]
    assert [(gap.kind, gap.ref.line) for gap in session.gaps] == [("broken_line", 1)]


def test_other_packages_add_formats(jsonl, monkeypatch):
    def knows(shape: Shape, item: object) -> bool:
        return shape == "lines" and isinstance(item, dict) and "alien" in item

    def read(source: Source) -> Iterator[Session]:
        builder = SessionBuilder(format="alien", agent="alien")
        for record in json_lines(source, builder):
            builder.record(record.ref, label="alien", raw=record.raw)
            if record.value["alien"]:
                builder.event("human", "prompt", str(record.value["alien"]))
        yield builder.build()

    class Point:
        name = "alien"

        def load(self) -> Reader:
            return Reader("alien", knows, read)

    points: list[Point | EntryPoint] = [Point()]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == "ebg.readers" else [])
    session = read_transcript(jsonl({"alien": "Go."}, {"alien": ""}))
    # The reader says nothing of the second record, so it is kept as an unknown event.
    assert [(event.kind, event.text) for event in session.events] == [("prompt", "Go."), ("unknown", '{"alien": ""}')]
    assert session.unknown_records == {"alien": 1}
    assert json.loads(session.events[1].text) == {"alien": ""}
