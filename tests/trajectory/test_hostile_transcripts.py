"""Broken, hostile and very large input: read or refused, never a crash, and nothing lost in silence."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.transcripts import dropped_records
from ebg.errors import TranscriptError
from ebg.trajectory import TrajectoryView, build_trajectory, convert, read_transcript, read_transcripts
from ebg.trajectory.readers import _builder, _source
from ebg.trajectory.readers._json import MAX_DEPTH, BrokenJson, parse_json

from .conftest import only
from .test_claude_code import answers, calls, returns, says

EVERY_READER = [
    "claude-code", "codex", "codex-exec", "gemini-cli", "swe-agent", "mini-swe-agent", "openhands", "openhands-v1",
    "inspect", "atif", "otel", "entire", "chat", "aider", "model-input",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value", "notes"),
    [
        ('{"a": 1, "a": 2}', {"a": 2}, ("duplicate_keys",)),
        ('{"a": NaN, "b": -Infinity}', {"a": None, "b": None}, ("not_a_number",)),
        ("9" * 5000, "9" * 5000, ()),
        ('"\\ud83d\\ude00"', "😀", ()),
        ('"\\ud83d"', "\ufffd", ("bad_encoding",)),
        (b'"\xff"', "\ufffd", ("bad_encoding",)),
        (b'\xef\xbb\xbf"bom"', "bom", ()),
        ('"\\u001b[31m"', "\x1b[31m", ()),
    ],
)
def test_json_is_mended_and_says_so(text, value, notes):
    assert parse_json(text) == (value, notes)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900, 100_000])
def test_json_that_is_too_deep_is_refused(depth):
    with pytest.raises(BrokenJson, match="deeper than 200"):
        parse_json("[" * depth + "]" * depth)
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH).notes == ()


def test_broken_lines_are_counted_and_the_rest_is_read(jsonl):
    deep = '{"a":' * 300 + "1" + "}" * 300
    path = jsonl(says("One."), deep, "{not json", '"a string"', "[1]", says("Two."), '{"type":"user","mes')
    session = read_transcript(path)
    assert [event.text for event in only(session, "prompt")] == ["One.", "Two."]
    assert session.records == 7
    assert [(gap.kind, gap.ref.line) for gap in session.gaps] == [("broken_line", n) for n in (2, 3, 7)]
    assert session.unknown_records == {"list": 1, "str": 1}


def test_lines_that_are_too_long_are_skipped_and_reported(jsonl, monkeypatch):
    monkeypatch.setattr(_source, "MAX_LINE", 1_000)
    path = jsonl(says("One."), says("x" * 5_000), says("Two."))
    session = read_transcript(path, "claude-code")
    assert [event.text for event in session.events] == ["One.", "Two."]
    assert [(gap.kind, gap.ref.line) for gap in session.gaps] == [("oversized_record", 2)]
    lines = path.read_bytes().splitlines(keepends=True)
    assert session.events[1].ref.byte_start == len(lines[0]) + len(lines[1])


def test_outputs_beyond_the_budget_are_cut_and_reported(jsonl, monkeypatch):
    monkeypatch.setattr(_builder, "TEXT_BUDGET", 10_000)
    outputs = ["a" * 9_000, "b" * 9_000, "c" * 9_000]
    path = jsonl(
        says("Go. " + "x" * 9_000),
        *[record for n, text in enumerate(outputs) for record in (calls("Bash", f"t{n}"), returns(text, f"t{n}"))],
    )
    session = read_transcript(path)
    assert [len(event.text) for event in only(session, "tool_result")] == [9_000, 2_000, 2_000]
    assert len(session.events[0].text) == 9_004
    assert [gap.detail for gap in session.gaps] == [
        "of 2 outputs only the first 2,000 characters are kept: a very large session"
    ]


def test_control_characters_stay_in_the_text(jsonl):
    session = read_transcript(jsonl(says("\x1b[2J\x07 \u202e Go."), answers({"type": "text", "text": "a\x00b"})))
    assert [event.text for event in session.events] == ["\x1b[2J\x07 \u202e Go.", "a\x00b"]


def test_archives_are_read_with_limits(tmp_path):
    bomb = tmp_path / "bomb.eval"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", b"[" + b" " * 30_000_000 + b"]")
        archive.writestr("samples/../../evil.json", "{}")
    with pytest.raises(TranscriptError, match="looks like a bomb"):
        read_transcript(bomb)
    assert not (tmp_path.parent / "evil.json").exists()


def test_archives_with_zstd_members_are_read(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    sample = {"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "Go."}]}
    data = json.dumps(sample).encode()
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", zstandard.ZstdCompressor().compress(data))
    _declare_zstd(path, data)
    session = read_transcript(path)
    assert [event.text for event in session.events] == ["Go."]
    assert session.events[0].ref.file == "log.eval!samples/1_epoch_1.json"


def _declare_zstd(path: Path, data: bytes) -> None:
    """Change the method of the sample to 93 (zstd), and its size and checksum to those of the plain bytes."""
    import struct
    import zlib

    raw = bytearray(path.read_bytes())
    for magic, method, sizes in ((b"PK\x03\x04", 8, 14), (b"PK\x01\x02", 10, 16)):
        start = raw.index(b"samples/1_epoch_1.json")
        at = raw.rindex(magic, 0, start) if magic == b"PK\x03\x04" else raw.rindex(magic)
        struct.pack_into("<H", raw, at + method, 93)
        struct.pack_into("<I", raw, at + sizes, zlib.crc32(data))
        struct.pack_into("<I", raw, at + sizes + 8, len(data))
    path.write_bytes(bytes(raw))


_KEYS = """type message content role payload uuid parentUuid sessionId messages events history trajectory steps
tool_calls id text kind source action observation item samples eval resourceSpans info arguments call_id
output timestamp"""
_JSON = st.recursive(
    st.sampled_from([None, True, 7, 1.5, "", "x", "user"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS.split()), inner, max_size=5),
    max_leaves=12,
)
_TYPES = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "progress",
        "response_item",
        "event_msg",
        "item.completed",
        "gemini",
        "MessageEvent",
    ]
)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(
    value=st.dictionaries(
        st.sampled_from(["message", "payload", "item", "messages", "content", "events", "steps"]), _JSON
    ),
    kind=_TYPES,
    reader=st.sampled_from(EVERY_READER),
)
def test_no_reader_crashes_on_any_json(tmp_path_factory, value, kind, reader):
    path = tmp_path_factory.mktemp("any") / "x"
    record = json.dumps({"type": kind, "kind": kind, "role": kind, **value})
    path.write_text(f"{record}\n{record}\n" if value.get("steps") is None else record)
    try:
        sessions = list(read_transcripts(path, reader))
    except TranscriptError:
        return
    for session in sessions:
        TrajectoryView(build_trajectory(session)).render()
        for form in ("atif", "chat", "ebg"):
            json.dumps(convert(session, form))


_JUNK = [
    None,
    True,
    -1,
    1.5,
    "",
    "x",
    [],
    {},
    [1],
    ["a"],
    {"a": 1},
    [[]],
    10**30,
    {"type": []},
    "\x1b[31m",
    "Tool result:",
]


@pytest.mark.slow
def test_no_reader_crashes_on_changed_samples(shared_data, tmp_path):
    """Each sample with 1 to 40 of its values replaced or removed, ten times over."""
    for sample in sorted((shared_data / "transcripts").rglob("*")):
        if sample.suffix not in (".json", ".jsonl", ".traj") or sample.parent.name == "subagents":
            continue
        for seed in range(10):
            path = tmp_path / "changed"
            path.write_text(_changed(sample.read_text(), random.Random(seed)))
            try:
                sessions = list(read_transcripts(path))
            except TranscriptError:
                continue
            for session in sessions:
                TrajectoryView(build_trajectory(session)).render()
                assert dropped_records(session) == 0


def _changed(text: str, rng: random.Random) -> str:
    try:
        return json.dumps(_mutated(json.loads(text), rng, rng.choice([1, 3, 10, 40])))
    except ValueError:
        lines = []
        for line in text.splitlines():
            try:
                value = json.loads(line)
            except ValueError:
                lines.append(line)
            else:
                lines.append(json.dumps(_mutated(value, rng, 2) if rng.random() < 0.5 else value))
        return "\n".join(lines)


def _mutated(value: object, rng: random.Random, count: int) -> object:
    places: list[tuple[dict | list, object]] = []
    stack = [value]
    while stack:
        at = stack.pop()
        items = list(at.items()) if isinstance(at, dict) else list(enumerate(at)) if isinstance(at, list) else []
        places.extend((at, key) for key, _ in items)
        stack.extend(child for _, child in items)
    for _ in range(count if places else 0):
        holder, key = rng.choice(places)
        if isinstance(holder, dict) and rng.random() < 0.3:
            holder.pop(key, None)
        else:
            holder[key] = json.loads(json.dumps(rng.choice(_JUNK)))
    return value
