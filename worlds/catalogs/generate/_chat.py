"""Team chat: teams, conversations, messages and calls."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.catalogs.generate._banks import Files, Row, fields, numbered, pick, read_bank, slug
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED, Person

COUNTS = {"dm": 60, "grp": 60, "mtg": 26, "urg": 16, "att": 14, "men": 14}
CALL_KINDS = ("incoming", "outgoing", "missed")


def make_chat(people: Sequence[Person]) -> Files:
    """Return teams, conversations, messages and calls."""
    return _Chat(people).make()


class _Chat:
    def __init__(self, people: Sequence[Person]) -> None:
        self.people = people
        self.bank = read_bank("microchat")
        self.deck = Deck({**read_bank("common"), **self.bank}, f"{SEED}/chat")
        self.members: dict[str, list[int]] = {}
        self.messages: list[Row] = []

    def make(self) -> Files:
        teams: list[Row] = [
            {"id": f"team-{slug(name)}", "name": name, "order": order} for order, name in enumerate(self.bank["teams"])
        ]
        conversations = self._conversations()
        direct = [name for name in self.members if name.startswith("dm-")]
        groups = [name for name in self.members if name.startswith("grp-")]
        meetings = [name for name in self.members if name.startswith("mtg-")]
        for prefix, kind, where in (
            ("dm", "dm", direct),
            ("grp", "group", groups),
            ("mtg", "meeting", meetings),
            ("urg", "urgent", direct + groups),
            ("att", "attach", direct + groups),
            ("men", "mention", groups),
        ):
            for index in range(COUNTS[prefix]):
                place = self.deck.deal(f"place {prefix}", where)
                text = self.deck.say(self.deck.deal(kind))
                name = self.deck.deal("attach_names") if prefix == "att" else ""
                self._message(numbered(prefix, index + 1, 2), place, text, urgent=prefix == "urg", attachment=name)
        for special in self.bank["special"]:
            place = self._named(special["conversation"])
            attachment = special.get("attachment", "")
            self._message(special["id"], place, special["content"], sender=special["from"], attachment=attachment)
        return {
            "teams.jsonl": teams,
            "conversations.jsonl": conversations,
            "messages.jsonl": self.messages,
            "calls.jsonl": self._calls(),
        }

    def _conversations(self) -> list[Row]:
        rows: list[Row] = []

        def add(conversation: str, name: str, kind: str, team: str | None, members: list[int]) -> None:
            self.members[conversation] = members
            participants = [self.people[member].id for member in members]
            row: Row = {"id": conversation, "name": name, "type": kind, "teamId": team, "participants": participants}
            rows.append({**row, "order": len(rows)})

        for index in self.bank["direct"]:
            add(f"dm-{self.people[index].username}", self.people[index].name, "direct", None, [0, index])
        for line in self.bank["groups"]:
            name, team, members = fields(line)
            add(f"grp-{name}", name, "channel", f"team-{slug(team)}", [int(member) for member in members.split()])
        for line in self.bank["meetings"]:
            name, members = fields(line)
            add(f"mtg-{slug(name)}", name, "meeting", None, [int(member) for member in members.split()])
        return rows

    def _named(self, name: str) -> str:
        if name[0] == "d" and name[1:].isdigit():
            return f"dm-{self.people[int(name[1:])].username}"
        return f"grp-{name}" if f"grp-{name}" in self.members else f"mtg-{slug(name)}"

    def _message(
        self,
        message_id: str,
        place: str,
        text: str,
        *,
        sender: int | None = None,
        urgent: bool = False,
        attachment: str = "",
    ) -> None:
        others = [str(member) for member in self.members[place] if member != 0]
        who = self.people[sender if sender is not None else int(self.deck.deal(f"in {place}", others))]
        row: Row = {
            "id": message_id,
            "conversation_id": place,
            "sender_id": who.id,
            "content": text,
            "isRead": False,
            "isUrgent": urgent,
            "mentionsMe": "@Robin" in text,
            "hasAttachment": bool(attachment),
        }
        if attachment:
            row["attachmentName"] = attachment
        self.messages.append({**row, "order": len(self.messages)})

    def _calls(self) -> list[Row]:
        rows: list[Row] = []
        rng = self.deck.rng
        callers = [str(index) for index in self.bank["direct"]]
        for kind, number in zip(CALL_KINDS, (7, 6, 8), strict=True):
            for index in range(number):
                person = self.people[int(self.deck.deal("caller", callers))]
                missed = kind == "missed"
                rows.append(
                    {
                        "id": numbered(f"call-{kind}", index + 1, 2),
                        "name": person.name,
                        "userId": person.id,
                        "type": "incoming" if missed else kind,
                        "duration": "" if missed else f"{rng.randint(1, 48)}:{rng.randint(0, 59):02d}",
                        "time": pick(("Just now", "1 hour ago", "3 hours ago", "Yesterday", "2 days ago"), index),
                        "missed": missed,
                        "order": len(rows),
                    }
                )
        return rows
