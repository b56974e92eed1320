"""Messages that a person typed while Claude Code was working (part 2 of transcripts.md).

A queued message is delivered later as a prompt of its own, or in the middle of a turn, where often nothing else tells
of it; it may also be taken back. Each is told once.
"""

from __future__ import annotations

from ebg.trajectory.readers._builder import Draft, SessionBuilder

__all__ = ["MessageQueue"]


class MessageQueue:
    """The messages that wait, by their text, in the order in which they came."""

    def __init__(self, builder: SessionBuilder) -> None:
        self._builder = builder
        self._waiting: dict[str, list[Draft]] = {}
        self._removed: dict[str, int] = {}
        """How many messages of a text left the queue in the middle of a turn."""

    def operation(self, name: str, content: object) -> None:
        """Add a `queue-operation` record."""
        text = content if isinstance(content, str) else ""
        if name == "enqueue" and text.strip():
            self._enqueue(text)
            return
        if name == "popAll":
            for drafts in self._waiting.values():
                for draft in drafts:
                    draft.meta = {**(draft.meta or {}), "taken_back": True}
            self._waiting.clear()
        elif name == "remove":
            key = text.strip() or next(iter(self._waiting), "")
            if self._take(key) is not None:
                self._removed[key] = self._removed.get(key, 0) + 1
        self._builder.skip(f"bookkeeping: queue {name}")

    def attached(self, text: str) -> None:
        """Add a message that is attached to the turn it was delivered in."""
        key = text.strip()
        if self._removed.get(key, 0) > 0:
            self._removed[key] -= 1
            self._builder.skip("queued message that is there already")
        elif self._take(key) is not None:
            self._builder.skip("queued message that is there already")
        else:
            self._builder.event("human", "queued_prompt", text)

    def delivered(self, text: str) -> None:
        """Take back the event of a queued message that comes as a prompt of its own."""
        draft = self._take(text.strip())
        if draft is not None:
            self._builder.drop(draft, "queued message that was delivered as a prompt")

    def _enqueue(self, text: str) -> None:
        start = text.lstrip()
        if start.startswith("<task-notification>") or (start.startswith("{") and '"task_id"' in text):
            self._builder.event("harness", "message", text, meta={"queued": True})
        else:
            self._waiting.setdefault(text.strip(), []).append(self._builder.event("human", "queued_prompt", text))

    def _take(self, key: str) -> Draft | None:
        drafts = self._waiting.get(key)
        if not drafts:
            return None
        draft = drafts.pop(0)
        if not drafts:
            del self._waiting[key]
        return draft
