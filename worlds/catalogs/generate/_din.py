"""The professional network: posts, roles, invitations, conversations and notices."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.catalogs.generate._banks import Files, Row, fields, numbered, pick, read_bank
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._entities import company_id
from worlds.catalogs.generate._people import SEED, Person


def make_din(people: Sequence[Person]) -> Files:
    """Return posts, connections, messages (whole conversations), notifications and jobs."""
    din = _Din(people)
    return {
        "posts.jsonl": din.posts(60),
        "connections.jsonl": din.connections(26),
        "messages.jsonl": din.conversations(14),
        "notifications.jsonl": din.notifications(28),
        "jobs.jsonl": din.jobs(),
    }


class _Din:
    def __init__(self, people: Sequence[Person]) -> None:
        self.people = people
        self.bank = read_bank("microdin")
        self.deck = Deck({**read_bank("common"), **self.bank}, f"{SEED}/din")
        self.companies = [company_id(fields(line)[0]) for line in self.bank["companies"]]
        self._others = [str(index) for index in range(1, len(people))]

    def _person(self) -> Person:
        return self.people[int(self.deck.deal("person", self._others))]

    def posts(self, number: int) -> list[Row]:
        rows: list[Row] = []

        def add(post_id: str, author: Person, content: str, comments: Sequence[str]) -> None:
            rows.append(
                {
                    "id": post_id,
                    "authorId": author.id,
                    "content": content,
                    "likes": self.deck.rng.randint(0, 240),
                    "shares": self.deck.rng.randint(0, 30),
                    "comments": [
                        {"id": f"{post_id}-c{index + 1}", "authorId": self._person().id, "text": text}
                        for index, text in enumerate(comments)
                    ],
                    "order": len(rows),
                }
            )

        for index in range(number):
            comments = [self.deck.say(self.deck.deal("comments")) for _ in range(self.deck.rng.randint(0, 3))]
            text = self.deck.say(self.deck.deal("posts"))
            add(numbered("post", index + 1, 2), self._person(), text, comments)
        for special in self.bank["special_post"]:
            author = self.people[special["author"]]
            add(special["id"], author, special["content"], special.get("comments", []))
        return rows

    def connections(self, number: int) -> list[Row]:
        rows: list[Row] = []
        for index in range(number):
            person = self._person()
            rows.append(
                {
                    "id": numbered("conn", index + 1, 2),
                    "userId": person.id,
                    "name": person.name,
                    "mutualConnections": self.deck.rng.randint(0, 40),
                    "order": index,
                }
            )
        return rows

    def conversations(self, number: int) -> list[Row]:
        rows: list[Row] = []
        for index in range(number):
            person = self._person()
            texts = [self.deck.say(self.deck.deal("messages")) for _ in range(1 + index % 2)]
            conversation = numbered("conv", index + 1, 2)
            rows.append(
                {
                    "id": conversation,
                    "userId": person.id,
                    "messages": [
                        {"id": f"{conversation}-m{place + 1}", "senderId": person.id, "content": text}
                        for place, text in enumerate(texts)
                    ],
                    # The last so many messages have not been read.
                    "unreadCount": 1 if index % 3 == 0 else 0,
                    "order": index,
                }
            )
        return rows

    def notifications(self, number: int) -> list[Row]:
        kinds = ("view", "like", "comment", "anniversary", "mention", "share")
        rows: list[Row] = []
        for index in range(number):
            person, kind = self._person(), index % len(kinds)
            rows.append(
                {
                    "id": numbered("notif", index + 1, 2),
                    "type": kinds[kind],
                    "actorId": person.id,
                    "content": f"{person.name} {self.bank['notifications'][kind]}",
                    "isRead": False,
                    "order": index,
                }
            )
        return rows

    def jobs(self) -> list[Row]:
        rows: list[Row] = []

        def add(job_id: str, title: str, company: int, description: str, requirements: Sequence[str]) -> None:
            rows.append(
                {
                    "id": job_id,
                    "title": title,
                    "companyId": self.companies[company],
                    "location": self.deck.deal("locations"),
                    "type": pick(("full-time", "full-time", "part-time", "contract"), len(rows)),
                    "description": description,
                    "requirements": list(requirements),
                    "applicants": self.deck.rng.randint(3, 120),
                    "order": len(rows),
                }
            )

        for index, line in enumerate(self.bank["jobs"]):
            title, company, about, requirements = fields(line)
            add(numbered("job", index + 1, 2), title, int(company), about, fields(requirements, ";"))
        for special in self.bank["special_job"]:
            names = ("id", "title", "company", "description", "requirements")
            add(*(special[name] for name in names))
        return rows
