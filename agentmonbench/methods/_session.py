"""A session has no tools: its whole form is shown at once and answered in one turn (ebg-method.md, part 7.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentmonbench.methods._protocol import Shown, ToolReply

__all__ = ["SessionWorkspace"]


class SessionWorkspace:
    """A session as one text."""

    max_read_ids = 0

    def __init__(self, *, input_note: str, text: str, citable: Sequence[str]) -> None:
        self.input_note = input_note
        self.index_text = text
        self.shown = Shown(events=set(citable))
        self.files: Mapping[str, Sequence[str]] = {}
        self.leading_files: Sequence[str] = ()

    def search(self, query: str) -> ToolReply:  # the contract
        """Refuse: everything is shown already."""
        return _NO_TOOLS

    def read(self, ids: Sequence[str]) -> ToolReply:  # the contract
        """Refuse: everything is shown already."""
        return _NO_TOOLS


_NO_TOOLS = ToolReply("error: the whole session is shown; there is nothing to search or read", error="no_tools")
