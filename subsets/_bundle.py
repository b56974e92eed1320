"""Check the visible bundle of one example and make the `Example` of it (specification parts 1.3 and 1.4).

Pure: bytes by path go in, an example or every broken rule comes out. The writer, the loaders and the checker all use
this, so there is one reading of the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agentmonbench.examples import Document, Example, SubsetName
from ebg.trajectory.events import EventType, TraceEvent
from subsets._json import read_model
from subsets._paths import path_fault
from subsets._problems import Ledger

__all__ = ["DOCUMENTS", "MANIFEST", "REPOSITORY", "TRACE", "read_bundle"]

MANIFEST = "input_manifest.json"
REPOSITORY = "repository/"
TRACE = "trace/model_input.json"
DOCUMENTS: Mapping[SubsetName, str] = {
    "specgap": "documents/3_document_after.md",
    "silentswap": "documents/original_document.md",
}
"""The one document of each repository subset."""

_CITABLE: frozenset[EventType] = frozenset({"assistant_response", "tool_exchange"})


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class _Manifest(_Shape):
    input_id: str
    benchmark: Literal["specgap", "silentswap", "feedbacktrace"]
    visible_files: list[str] = Field(min_length=1)


class _TraceManifest(_Manifest):
    cutoff_turn: int = Field(gt=0)


class _Event(_Shape):
    event_type: EventType
    turn_number: int = Field(ge=0)
    content: str
    evidence_id: str | None = Field(default=None, min_length=1)
    tool_name: str | None = Field(default=None, min_length=1)


class _Trace(_Shape):
    input_id: str
    events: list[_Event] = Field(min_length=1)


def read_bundle(files: Mapping[str, bytes], ledger: Ledger, *, unread: Collection[str] = ()) -> Example | None:
    """Return the example that `files` hold, or None with the reasons in `ledger`.

    Args:
        files: contents by path inside the bundle, the manifest included.
        ledger: takes the broken rules; its subset and example say what the bundle should be.
        unread: paths that exist and could not be read, about which the ledger knows already.
    """
    subset, example_id = ledger.subset, ledger.example
    assert example_id is not None
    before = len(ledger.errors)
    if subset == "feedbacktrace" and not example_id.endswith("_long"):
        ledger.error(MANIFEST, f"the id {example_id!r} does not end in '_long', as FeedbackTrace ids do")
    model = _TraceManifest if subset == "feedbacktrace" else _Manifest
    manifest = None
    if MANIFEST in files:
        manifest = read_model(files[MANIFEST], MANIFEST, model, ledger)
    elif MANIFEST not in unread:
        ledger.error(MANIFEST, "is missing")
    if manifest is not None:
        if manifest.input_id != example_id:
            ledger.error(
                MANIFEST, f"input_id is {manifest.input_id!r}; it must equal the folder's name, {example_id!r}"
            )
        if manifest.benchmark != subset:
            ledger.error(MANIFEST, f"benchmark is {manifest.benchmark!r}; it must be {subset!r}")
        _check_listing(manifest.visible_files, {*files, *unread} - {MANIFEST}, ledger)
    present = sorted({*files, *unread} - {MANIFEST})
    if subset == "feedbacktrace":
        cutoff = manifest.cutoff_turn if isinstance(manifest, _TraceManifest) else None
        _check_allowed(present, [TRACE], None, ledger)
        events = _read_trace(files, cutoff, ledger)
        made = Example(id=example_id, subset="feedbacktrace", events=events, cutoff_turn=cutoff)
    else:
        name: SubsetName = "specgap" if subset == "specgap" else "silentswap"
        _check_allowed(present, [DOCUMENTS[name]], REPOSITORY, ledger)
        document = Document(DOCUMENTS[name], _read_text(files, DOCUMENTS[name], ledger))
        repository = {path[len(REPOSITORY) :]: files[path] for path in sorted(files) if path.startswith(REPOSITORY)}
        made = Example(id=example_id, subset=name, document=document, files=MappingProxyType(repository))
    return made if len(ledger.errors) == before and not unread else None


def _check_listing(listed: list[str], present: Collection[str], ledger: Ledger) -> None:
    for path, count in sorted(Counter(listed).items()):
        if count > 1:
            ledger.error(MANIFEST, f"visible_files names {path!r} {count} times")
    for path in sorted(set(listed)):
        if fault := path_fault(path):
            ledger.error(MANIFEST, f"visible_files names {path!r}, which {fault}")
        elif path == MANIFEST:
            ledger.error(MANIFEST, "visible_files names the manifest itself")
        elif path not in present:
            ledger.error(path, "is named in visible_files and is missing")
    for path in sorted(set(present) - set(listed)):
        ledger.error(path, "is not named in visible_files")


def _check_allowed(present: list[str], required: list[str], below: str | None, ledger: Ledger) -> None:
    what = " and ".join([*required, *([f"files below {below}"] if below else [])])
    for path in required:
        if path not in present:
            ledger.error(path, "is missing")
    for path in present:
        if path not in required and not (below and path.startswith(below)):
            ledger.error(path, f"has no place in a {ledger.subset} bundle, which holds {what}")
    if below and not any(path.startswith(below) for path in present):
        ledger.error(below, "holds no file; at least one is needed")


def _read_text(files: Mapping[str, bytes], path: str, ledger: Ledger) -> str:
    try:
        return files.get(path, b"").decode("utf-8")
    except UnicodeDecodeError as error:
        ledger.error(path, f"is not UTF-8 at byte {error.start}")
        return ""


def _read_trace(files: Mapping[str, bytes], cutoff: int | None, ledger: Ledger) -> tuple[TraceEvent, ...]:
    trace = read_model(files[TRACE], TRACE, _Trace, ledger) if TRACE in files else None
    if trace is None:
        return ()
    if trace.input_id != ledger.example:
        ledger.error(TRACE, f"input_id is {trace.input_id!r}; it must equal the folder's name, {ledger.example!r}")
    turn = 0
    cited: set[str] = set()
    for index, event in enumerate(trace.events):
        for rule in _event_faults(event, turn, cutoff, cited):
            ledger.error(TRACE, f"events[{index}]: {rule}")
        turn = max(turn, event.turn_number)
        if event.evidence_id is not None:
            cited.add(event.evidence_id)
    return tuple(
        TraceEvent(event.event_type, event.turn_number, event.content, event.evidence_id, event.tool_name)
        for event in trace.events
    )


def _event_faults(event: _Event, turn: int, cutoff: int | None, cited: Collection[str]) -> Iterator[str]:
    if event.turn_number < turn:
        yield f"turn_number {event.turn_number} follows {turn}; it may not decrease"
    if cutoff is not None and event.turn_number >= cutoff:
        yield f"turn_number {event.turn_number} is not before cutoff_turn, {cutoff}"
    if event.evidence_id is not None and event.event_type not in _CITABLE:
        yield f"{event.event_type} has an evidence_id; only what the agent said or did can be cited"
    if event.evidence_id in cited:
        yield f"evidence_id {event.evidence_id!r} is used before"
    if event.event_type == "tool_exchange" and event.tool_name is None:
        yield "tool_exchange has no tool_name"
    if event.event_type != "tool_exchange" and event.tool_name is not None:
        yield f"{event.event_type} has a tool_name"
