"""Aider's chat history in Markdown (part 12 of transcripts.md).

`#### ` begins what the person typed, `> ` what the program printed, the rest is the model. There are no ids and no
results; the edits stand as SEARCH/REPLACE blocks in the model's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ebg.trajectory.events import RecordRef, Session
from ebg.trajectory.readers._builder import SessionBuilder
from ebg.trajectory.readers._registry import Reader
from ebg.trajectory.readers._source import Line, Shape, Source

__all__ = ["READER"]

_START = re.compile(r"# aider chat started at (.+)")
_SIGN = re.compile(
    r"^(?:# aider chat started at |> (?:\$ )?aider\b|> Applied edit to |> Added .+ to the chat|> Commit [0-9a-f]{6,})",
    re.MULTILINE,
)
_EDITED = re.compile(r"Applied edit to (.+?)\s*$")
_MARKUP = re.compile(r"\s*</?div\b[^>]*>\s*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")

_Who = Literal["person", "program", "model"]


def _knows(shape: Shape, item: object) -> bool:
    return shape == "text" and isinstance(item, str) and "\n#### " in f"\n{item}" and bool(_SIGN.search(item))


def _read(source: Source) -> Iterator[Session]:
    builder, count = SessionBuilder(format="aider", agent="aider", id=source.path.stem), 0
    block: list[tuple[Line, str]] = []
    who: _Who | None = None
    fenced = False
    for line in source.lines(blank=True):
        text = line.data.decode("utf-8", errors="replace")
        started = None if fenced else _START.match(text)
        if not text.strip() and not fenced and who != "model":
            continue  # blank lines part the blocks; only inside the model's text they are its own
        speaker: _Who = "model" if fenced else _speaker(text)
        if speaker == "model" and _FENCE.match(text):
            fenced = not fenced
        if started or speaker != who:
            _flush(builder, source, who, block)
            block, who = [], speaker
        if started:
            if builder.drafts:
                yield builder.build()
                count += 1
                builder = SessionBuilder(format="aider", agent="aider", id=f"{source.path.stem}-{count + 1}")
            builder.seen_time(started[1].strip())
            who = None
        else:
            block.append((line, text))
    _flush(builder, source, who, block)
    builder.end_record()
    builder.took(source)
    yield builder.build()


READER = Reader("aider", _knows, _read)


def _speaker(text: str) -> _Who:
    if text.startswith("#### "):
        return "person"
    return "program" if text.startswith("> ") or text == ">" else "model"


def _flush(builder: SessionBuilder, source: Source, who: _Who | None, block: list[tuple[Line, str]]) -> None:
    if not block or who is None:
        return
    first, last = block[0][0], block[-1][0]
    ref = RecordRef(source.name, line=first.number, byte_start=first.start, byte_end=last.end)
    prefix = {"person": "#### ", "program": "> ", "model": ""}[who]
    lines = [text.removeprefix(prefix).rstrip() for _, text in block]
    builder.record(ref, label=who, raw="\n".join(lines))
    if who == "person":
        builder.event("human", "prompt", "\n".join(lines))
    elif who == "program":
        _program(builder, lines)
    else:
        said = [line for line in lines if not _MARKUP.match(line)]
        if any(line.strip() for line in said):
            builder.event("model", "message", "\n".join(said).strip("\n"))
        else:
            builder.skip("markup")


def _program(builder: SessionBuilder, lines: list[str]) -> None:
    stopped = any(line.startswith("^C") for line in lines)
    builder.event("human" if stopped else "harness", "interrupt" if stopped else "message", "\n".join(lines))
    for line in lines:
        if edited := _EDITED.search(line):
            builder.event("tool", "file_change", "", meta={"path": edited[1]})
