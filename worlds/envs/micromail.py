"""micromail: a mailbox (specification sentinelbench 3.1). Lists show a preview; CC, attachment and the rest are details."""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from worlds.catalog import Row
from worlds.envs.base import Env, Item, Kind, detail, view
from worlds.service import tool
from worlds.state import SqlValue

__all__ = ["Micromail"]

PREVIEW_CHARS = 140
_LISTED = (
    "kind",
    "id",
    "senderName",
    "subject",
    "isRead",
    "isFlagged",
    "isPinned",
    "isExternal",
    "importance",
    "mentionsMe",
)


def _attachment(env: Env, row: Row) -> str | None:
    """Return the name of a mail's first attachment; only that one is ever shown."""
    found = (a for a in env.catalog.rows("micromail", "attachments").values() if a.get("emailId") == row["id"])
    first = next(found, None)
    return None if first is None else str(first.get("name"))


def _columns(env: Env, row: Row) -> Mapping[str, SqlValue]:
    flags = {key: int(bool(row.get(key))) for key in ("hasAttachment", "isExternal", "mentionsMe", "isCC")}
    return {
        "id": row["id"],
        "subject": row.get("subject"),
        "sender_name": row.get("senderName"),
        "sender_email": row.get("senderEmail"),
        **flags,
        "importance": row.get("importance"),
        "body": row.get("body"),
        "attachment_name": _attachment(env, row),
    }


def _initial(env: Env, row: Row, *, preload: bool) -> Mapping[str, SqlValue]:
    folder = row.get("folder") or ("junk" if row.get("isJunk") else "inbox")
    flags = {key: int(bool(row.get(key))) for key in ("isRead", "isFlagged")}
    return {**flags, "isPinned": 0, "folder": str(folder)}


class Micromail(Env):
    """A mailbox."""

    key = "micromail"
    title = "Micromail"
    schema = """
    CREATE TABLE emails(id TEXT, subject TEXT, sender_name TEXT, sender_email TEXT, hasAttachment INTEGER,
        isExternal INTEGER, importance TEXT, mentionsMe INTEGER, isCC INTEGER, body TEXT, attachment_name TEXT);
    CREATE TABLE email_states(email_id TEXT PRIMARY KEY, isRead INTEGER, isFlagged INTEGER, isPinned INTEGER, folder TEXT);
    """  # noqa: E501
    kinds: ClassVar[Mapping[str, Kind]] = {
        "email": Kind("email", "emails", "emails", _columns, "email_states", _initial),
    }
    preload_type = "preload_emails"
    preload_keys: ClassVar[Mapping[str, str]] = {"email_ids": "email"}
    arrivals: ClassVar[Mapping[str, tuple[str, str]]] = {"new_email": ("email", "email_id")}
    listings: ClassVar[Mapping[str, str]] = {"micromail-emails": "email"}

    def metrics(self) -> Mapping[str, SqlValue]:
        """Return the baselines."""

        def count(where: str) -> int:
            return self.state.count(
                f"SELECT COUNT(*) FROM emails e JOIN email_states s ON e.id = s.email_id WHERE {where}"  # noqa: S608
            )

        return {
            "unread_count": count("s.folder = 'inbox' AND s.isRead = 0"),
            "inbox_count": count("s.folder = 'inbox'"),
            "junk_count": count("s.folder = 'junk'"),
            "attachment_count": count("s.folder != 'deleted' AND e.hasAttachment = 1"),
            "external_count": count("s.folder = 'inbox' AND e.isExternal = 1"),
            "urgent_count": count("s.folder = 'inbox' AND e.importance = 'high'"),
            "mention_count": count("s.folder = 'inbox' AND e.mentionsMe = 1"),
            "cc_count": count("s.folder = 'inbox' AND e.isCC = 1"),
        }

    @view("inbox", "Inbox")
    def inbox(self) -> Item:
        """Show the inbox, newest first."""
        return self._folder("inbox")

    @view("junk", "Junk")
    def junk(self) -> Item:
        """Show junk mail."""
        return self._folder("junk")

    @view("sent", "Sent")
    def sent(self) -> Item:
        """Show sent mail."""
        return self._folder("sent")

    @detail("email")
    def email(self, id: str) -> Item:  # noqa: A002
        """Show one mail whole, and mark it read."""
        self.flag("email", id, isRead=1)
        row = self.item("email", id)
        cc = [self.person(person) for person in row.get("cc") or []]
        return {**row, "cc": cc, "attachmentName": _attachment(self, row)}

    @tool(writes=True, route="POST micromail-emails/{id}/read")
    def mark_read(self, id: str) -> Item:  # noqa: A002
        """Mark a mail as read.

        Args:
            id: the mail's id.
        """
        self.flag("email", id, isRead=1)
        return {"success": True}

    @tool(writes=True, route="POST micromail-emails/{id}/unread")
    def mark_unread(self, id: str) -> Item:  # noqa: A002
        """Mark a mail as unread.

        Args:
            id: the mail's id.
        """
        self.flag("email", id, isRead=0)
        return {"success": True}

    @tool(writes=True, route="POST micromail-emails/{id}/flag")
    def toggle_flag(self, id: str) -> Item:  # noqa: A002
        """Flag a mail, or take the flag off.

        Args:
            id: the mail's id.
        """
        return {"success": True, "isFlagged": self.toggle("email", id, "isFlagged")}

    @tool(writes=True, route="POST micromail-emails/{id}/pin")
    def toggle_pin(self, id: str) -> Item:  # noqa: A002
        """Pin a mail, or take the pin off.

        Args:
            id: the mail's id.
        """
        return {"success": True, "isPinned": self.toggle("email", id, "isPinned")}

    @tool(writes=True, route="POST micromail-emails/{id}/move")
    def move(self, id: str, folder: Literal["inbox", "junk", "deleted", "archive", "sent", "drafts"]) -> Item:  # noqa: A002
        """Move a mail to a folder.

        Args:
            id: the mail's id.
            folder: where to.
        """
        self.flag("email", id, folder=folder)
        return {"success": True}

    def _folder(self, folder: str) -> Item:
        shown: list[dict[str, Any]] = []
        for mail in reversed(self.items("email")):
            if mail["folder"] == folder:
                row = {key: mail.get(key) for key in _LISTED}
                row["preview"] = str(mail.get("body") or "")[:PREVIEW_CHARS]
                row["hasAttachment"] = bool(mail.get("hasAttachment"))
                shown.append({**row, "addedAt": mail["addedAt"]})
        return {"folder": folder, "items": shown}
