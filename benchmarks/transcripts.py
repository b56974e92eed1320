"""How sessions are read: a table over a folder of transcripts, and the time and memory for a large session.

python -m benchmarks.transcripts table ../shared/data/transcripts
python -m benchmarks.transcripts speed --megabytes 50
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ebg.errors import TranscriptError
from ebg.trajectory import TrajectoryView, build_trajectory, read_transcript, read_transcripts
from ebg.trajectory.events import TraceEvent

_RECORD_LISTS = {"events", "steps", "messages", "history", "trajectory", "spans", "loglines"}
_PASSAGE = "the loader reads each row, checks its key against the index and keeps the last one that was seen; "


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.transcripts", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    table = commands.add_parser("table", help="read every transcript below a folder")
    table.add_argument("folder", type=Path)
    table.set_defaults(run=lambda arguments: _table(arguments.folder))
    speed = commands.add_parser("speed", help="read and build one large synthetic Claude Code session")
    speed.add_argument("--megabytes", type=int, default=50)
    speed.add_argument("--read-only", action="store_true", help="read it, but build no graph")
    speed.set_defaults(run=lambda arguments: _speed(arguments.megabytes, build=not arguments.read_only))
    scale = commands.add_parser("scale", help="build sessions of growing length: seconds should grow as fast")
    scale.set_defaults(run=lambda _: _scale())
    arguments = parser.parse_args()
    return arguments.run(arguments)


def _table(folder: Path) -> int:
    row = "{:<58} {:<15} {:>7} {:>7} {:>5} {:>7} {:>7} {:>6}"
    print(row.format("file", "format", "records", "events", "gaps", "unknown", "dropped", "human"))
    failures = 0
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.parent.name == "subagents" or path.name == "SOURCES.md":
            continue
        name = path.relative_to(folder).as_posix()
        try:
            sessions = list(read_transcripts(path))
        except TranscriptError as exc:
            print(f"{name}: {exc}")
            failures += 1
            continue
        for session in sessions:
            unknown = sum(session.unknown_records.values())
            human = sum(event.actor == "human" for event in session.events)
            counts = (session.records, len(session.events), len(session.gaps), unknown, dropped_records(session), human)
            print(row.format(name[-58:], session.format, *counts))
    return 1 if failures else 0


def dropped_records(session) -> int:
    """Return the records that left no trace: no event, no gap, no count."""
    told = {event.ref for event in session.events} | {gap.ref for gap in session.gaps if gap.ref}
    places = {(ref.file, ref.line, record_pointer(ref.pointer)) for ref in told}
    return max(0, session.records - len(places) - sum(session.counted_records.values()))


def record_pointer(pointer: str) -> str:
    """Return the part of a JSON pointer that names the record: up to the last index of a list of records."""
    parts = pointer.split("/")
    if len(parts) > 1 and parts[1].isdigit():
        return "/".join(parts[:2])
    for index in range(len(parts) - 2, 0, -1):
        if parts[index] in _RECORD_LISTS and parts[index + 1].isdigit():
            return "/".join(parts[: index + 2])
    return ""


def _speed(megabytes: int, *, build: bool) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        size = write_session(path, megabytes * 1_000_000)
        before = time.perf_counter()
        session = read_transcript(path)
        read = time.perf_counter() - before
        print(f"{size / 1e6:.1f} MB, {session.records:,} records, {len(session.events):,} events read in {read:.1f} s")
        if build:
            before = time.perf_counter()
            graph = build_trajectory(session)
            built = time.perf_counter() - before
            text = TrajectoryView(graph).render()
            print(
                f"{len(graph.behaviors):,} behaviors, {len(graph.tasks):,} tasks, {len(graph.relations):,} relations"
                f" built in {built:.1f} s; view of {len(text) / 1e6:.1f} MB"
            )
            print(f"read and built in {read + built:.1f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    print(f"peak memory {peak:.0f} MB")
    return 0


def _scale() -> int:
    before = None
    for prompts in (500, 1000, 2000, 4000):
        events = list(_crossing_events(prompts))
        start = time.process_time()
        graph = build_trajectory(events)
        seconds = time.process_time() - start
        ratio = "" if before is None else f", {seconds / before:.1f} times the half"
        print(f"{prompts:,} prompts, {len(graph.relations):,} relations: {seconds:.2f} CPU s{ratio}")
        before = seconds
    return 0


def _crossing_events(prompts: int) -> Iterator[TraceEvent]:
    """Yield events whose every prompt refers back by id, quotation, label and file."""
    for i in range(prompts):
        text = f'Move on to job id x-{i % 7}, item 2, "this text is quoted here again" and src/f{i % 50}.py #12{i % 9}'
        yield TraceEvent("user_prompt", i, text)
        for k in range(6):
            arguments = json.dumps({"file_path": f"src/f{(i + k) % 50}.py", "command": f"job id x-{i % 7}"})
            content = f"Tool invocation:\n{arguments}\n\nTool result: Edit\njob id x-{i % 5}"
            yield TraceEvent("tool_exchange", i, content, f"t{i}-{k}", ("Edit", "Bash")[k % 2])
        yield TraceEvent("assistant_response", i, "1. one\n2. two: this text is quoted here again", f"a{i}")


def write_session(path: Path, size: int) -> int:
    """Write a Claude Code session of about `size` bytes in the proportions of real ones; return its size."""
    written = 0
    with path.open("w", encoding="utf-8") as stream:
        for record in _records():
            written += stream.write(json.dumps(record) + "\n")
            if written >= size:
                return written
    return written


def _records() -> Iterator[dict]:
    """Yield records without end: about twelve tool calls a prompt, results of 2 to 20 kB, each stored twice."""
    parent, number = None, 0
    while True:
        number += 1
        file = f"src/part{number % 40}/module{number % 173}.py"
        prompt = f"Change how {file} loads rows: keep the last one, and say in notes{number % 60}.md what changed."
        if number % 5 == 0:
            prompt = f"1. Rename load() in {file}.\n2. Add tests in tests/test_{number % 173}.py."
        yield _record(parent := f"u{number}", None, "user", {"role": "user", "content": prompt})
        for step in range(12):
            key, call = f"{number}-{step}", f"t{number}-{step}"
            text = f"Next I look at step {step} of {file}.\n\nIt seems fine, so I go on."
            yield _record(f"a{key}", parent, "assistant", _answer(key, {"type": "text", "text": text}))
            name, arguments, output = _call(file, number, step)
            block = {"type": "tool_use", "id": call, "name": name, "input": arguments}
            yield _record(f"b{key}", f"a{key}", "assistant", _answer(key, block))
            result = {"type": "tool_result", "tool_use_id": call, "content": output}
            record = _record(f"r{key}", f"b{key}", "user", {"role": "user", "content": [result]})
            record["toolUseResult"] = {"stdout": output, "stderr": "", "interrupted": False}
            yield record
            parent = f"r{key}"


def _call(file: str, number: int, step: int) -> tuple[str, dict, str]:
    body = "".join(f"{line:6}\t{_PASSAGE}{number}\n" for line in range(20 + (number * 7 + step * 31) % 150))
    if step % 4 == 0:
        return "Read", {"file_path": f"/repo/{file}"}, body
    if step % 4 == 1:
        return (
            "Edit",
            {"file_path": f"/repo/{file}", "old_string": body[:300], "new_string": body[300:700]},
            "The file was updated.",
        )
    if step % 4 == 2:
        return "Write", {"file_path": f"/repo/notes{number % 60}.md", "content": body[:2000]}, "File created."
    return "Bash", {"command": f"pytest -q tests/test_{number % 173}.py"}, body + "3 passed"


def _answer(key: str, block: dict) -> dict:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 7}
    return {
        "id": f"m{key}",
        "type": "message",
        "role": "assistant",
        "model": "demo",
        "content": [block],
        "usage": usage,
    }


def _record(uuid: str, parent: str | None, kind: str, message: dict) -> dict:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "cwd": "/repo",
        "sessionId": "speed",
        "version": "2.1.157",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        "uuid": uuid,
        "timestamp": "2026-09-01T10:00:00.000Z",
    }


if __name__ == "__main__":
    sys.exit(main())
