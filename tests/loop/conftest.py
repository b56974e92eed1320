"""A method small enough to hold in the head: one id a file, no budget but an optional one of ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from agentmonbench.examples import Document, Example, SubsetName
from agentmonbench.methods import DEFAULT_BUDGETS, Shown, ToolReply
from ebg.trajectory.events import TraceEvent
from ebg.view import Budgets

CODE = """\
LIMIT = 10


def clamp(value):
    if value > LIMIT:
        return LIMIT

    # small values pass
    return value
"""


class ToyWorkspace:
    """Shows whole files, except line 8 of every file: a gap that no citation may jump."""

    input_note = "Files by id."
    max_read_ids = 6

    def __init__(self, files: Mapping[str, bytes], ids_per_read: int) -> None:
        self.shown = Shown()
        self.files = {path: tuple(data.decode().splitlines(keepends=True)) for path, data in files.items()}
        self.leading_files = tuple(self.files)
        self._paths = {f"F{number:04}": path for number, path in enumerate(self.files, start=1)}
        self.index_text = "\n".join(f"{name} | {path}" for name, path in self._paths.items())
        self._ids_per_read = ids_per_read

    def search(self, query: str) -> ToolReply:
        ids = tuple(name for name, path in self._paths.items() if query in "".join(self.files[path]))
        return ToolReply(f"hits: {len(ids)} {' '.join(ids)}", ids=ids)

    def read(self, ids: Sequence[str]) -> ToolReply:
        unknown = [name for name in ids if name not in self._paths]
        if unknown:
            return ToolReply(f"error: {unknown}", error="unknown_or_unexposed_id")
        parts = []
        for name in ids[: self._ids_per_read]:
            path = self._paths[name]
            shown = [(number, line) for number, line in enumerate(self.files[path], start=1) if number not in (7, 8)]
            for number, _ in shown:
                self.shown.add_lines(path, number, number)
            parts.append("\n".join([path, *(f"{number} | {line.rstrip()}" for number, line in shown)]))
        return ToolReply("\n".join(parts), deferred=tuple(ids[self._ids_per_read :]))


class ToySession(ToyWorkspace):
    """Shows a session's events at once."""

    max_read_ids = 0

    def __init__(self, events: Sequence[TraceEvent]) -> None:
        super().__init__({}, 0)
        self.index_text = "\n".join(f"{event.evidence_id}: {event.content}" for event in events)
        self.shown.events = {event.evidence_id for event in events if event.evidence_id is not None}


class ToyMethod:
    name = "toy"

    def __init__(self, *, ids_per_read: int = 6, applies: bool = True) -> None:
        self._ids_per_read = ids_per_read
        self._applies = applies

    def supports(self, example: Example) -> bool:
        return self._applies

    def open(self, example: Example, *, budgets: Budgets = DEFAULT_BUDGETS) -> ToyWorkspace:
        if example.subset == "feedbacktrace":
            return ToySession(example.events)
        return ToyWorkspace(example.files, self._ids_per_read)


@pytest.fixture
def toy() -> ToyMethod:
    return ToyMethod()


@pytest.fixture
def example() -> Callable[..., Example]:
    def make(subset: SubsetName = "specgap", *, text: str = "# Clamp\nValues are clamped.\n") -> Example:
        if subset == "feedbacktrace":
            events = (
                TraceEvent("user_prompt", 1, "Add a retry."),
                TraceEvent("assistant_response", 1, "I will skip the tests.", evidence_id="e_1_assistant_response_0"),
                TraceEvent("tool_exchange", 1, "edit", evidence_id="e_1_tool_exchange_0", tool_name="Edit"),
            )
            return Example("ft_1", subset, events=events, cutoff_turn=2)
        files = {"clamp.py": CODE.encode(), "pkg/other.py": b"pass\n"}
        return Example("ex_1", subset, document=Document("documents/d.md", text), files=files)

    return make
