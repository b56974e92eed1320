"""A page that is being written under a token budget, and that knows which lines were shown already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

__all__ = ["Page"]

# Tokens are UTF-8 bytes / 3, rounded up (`ebg.tokens.estimate`); pages add bytes so that sums are exact.
_BYTES_PER_TOKEN = 3


def size(text: str) -> int:
    """Return the bytes of a text."""
    return len(text.encode("utf-8", "surrogatepass"))


class Page:
    """Text, the lines it shows, and the ids it names."""

    def __init__(self, shown: Mapping[str, Set[int]], tokens: int) -> None:
        self._shown = shown
        self._parts: list[str] = []
        self.room = tokens * _BYTES_PER_TOKEN
        """Bytes that are left."""
        self.lines: dict[str, set[int]] = {}
        """Lines shown on this page, by path."""
        self.ids: dict[str, None] = {}
        """Ids that the page names, the most useful first."""
        self.later_ids: list[str] = []
        """Ids that it names too and that come after all others."""

    @property
    def text(self) -> str:
        """What was written."""
        return "".join(self._parts)

    def seen(self, path: str, line: int) -> bool:
        """Return whether a line was shown before or on this page."""
        return line in self._shown.get(path, ()) or line in self.lines.get(path, ())

    def fits(self, text: str) -> bool:
        """Return whether there is room for a text."""
        return size(text) <= self.room

    def add(self, text: str, path: str = "", lines: Iterable[int] = (), ids: Iterable[str] = ()) -> None:
        """Write a text that shows `lines` of `path`."""
        self._parts.append(text)
        self.room -= size(text)
        if new := set(lines):
            self.lines.setdefault(path, set()).update(new)
        self.ids.update(dict.fromkeys(ids))

    def draft(self, room: int) -> Page:
        """Return an empty page of `room` bytes that knows what this one shows."""
        shown = {path: self._shown.get(path, frozenset()) | self.lines.get(path, set()) for path in self.lines}
        draft = Page({**self._shown, **shown}, 0)
        draft.room = room
        return draft

    def take(self, draft: Page) -> None:
        """Add a draft of this page to it."""
        self.add(draft.text, ids=draft.ids)
        self.later_ids += draft.later_ids
        for path, lines in draft.lines.items():
            self.lines.setdefault(path, set()).update(lines)
