"""Mails of every class the tasks need; the prefix of an id says the class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worlds.catalogs.generate._banks import Files, Row, fields, numbered, pick, read_bank
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED, Person

CLASSES = (
    ("base", "base", 115),
    ("junk", "junk", 25),
    ("att", "attachment", 25),
    ("ext", "external", 35),
    ("cc", "cc", 15),
    ("men", "mention", 15),
    ("urg", "urgent", 30),
)
"""Id prefix, table of the bank, how many."""


def make_mail(people: Sequence[Person]) -> Files:
    """Return emails.jsonl and attachments.jsonl."""
    return _Mail(people).make()


class _Mail:
    def __init__(self, people: Sequence[Person]) -> None:
        self.people = people
        self.bank = read_bank("micromail")
        self.deck = Deck({**read_bank("common"), **self.bank}, f"{SEED}/mail")
        self.emails: list[Row] = []
        self.attachments: list[Row] = []
        # Nobody writes to themselves; colleagues are dealt so that everybody writes.
        self.colleagues = [str(person.index) for person in people[1:30]]

    def make(self) -> Files:
        for prefix, table, number in CLASSES:
            for index in range(number):
                self._ordinary(prefix, table, index)
        for special in self.bank["special"]:
            self._special(special)
        return {"emails.jsonl": self.emails, "attachments.jsonl": self.attachments}

    def _ordinary(self, prefix: str, table: str, index: int) -> None:
        subject, body = fields(self.deck.deal(table), "||")
        senders = {"junk": "junk_senders", "ext": "outside_senders"}.get(prefix)
        sender: int | str = self.deck.deal(senders) if senders else int(self.deck.deal("colleague", self.colleagues))
        # The subject and the body talk about the same things, so they are filled as one text.
        filled_subject, filled_body = self.deck.say(f"{subject}\n\n\n{body}").split("\n\n\n")
        self._add(
            numbered(prefix, index + 1),
            sender,
            filled_subject,
            filled_body,
            cc=[0, int(self.deck.deal("colleague", self.colleagues))] if prefix == "cc" else [],
            attachment=pick(self.bank["file_names"], index) if prefix == "att" else "",
            greet=prefix != "junk",
        )

    def _special(self, row: dict[str, Any]) -> None:
        self._add(
            row["id"],
            row["from"],
            row["subject"],
            row["body"],
            cc=row.get("cc", []),
            attachment=row.get("attachment", ""),
        )

    def _add(
        self,
        email_id: str,
        sender: int | str,
        subject: str,
        body: str,
        *,
        cc: Sequence[int] = (),
        attachment: str = "",
        greet: bool = True,
    ) -> None:
        if isinstance(sender, int):
            person = self.people[sender]
            sender_id, name, address, sign = person.id, person.name, person.email, person.first
        else:
            name, address = sender.rstrip(">").split(" <")
            sender_id, sign = "", name
        text = f"{self.deck.deal('greeting')}\n\n{body}\n\n{self.deck.deal('closing')}\n{sign}" if greet else body
        prefix = email_id.split("-", maxsplit=1)[0]
        # Who is only copied is not addressed: the mail goes to a colleague.
        recipients = [self.people[6].id] if cc else [self.people[0].id]
        self.emails.append(
            {
                "id": email_id,
                "sender_id": sender_id or None,
                "sender_name": name,
                "sender_email": address,
                "subject": subject,
                "body": text,
                "importance": "high" if prefix == "urg" else "normal",
                "isRead": False,
                "isFlagged": False,
                "isJunk": prefix == "junk",
                "isExternal": not sender_id,
                "mentionsMe": "@rmarlow" in f"{subject} {body}",
                "isCC": 0 in cc,
                "hasAttachment": bool(attachment),
                "cc": [self.people[index].id for index in cc],
                "recipients": recipients,
                "order": len(self.emails),
            }
        )
        if attachment:
            size = f"{self.deck.rng.randint(18, 4200)} KB"
            number = numbered("file", len(self.attachments) + 1)
            self.attachments.append({"id": number, "email_id": email_id, "name": attachment, "size": size})
