"""Photo sharing: posts with comments, stories, conversations and activity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worlds.catalogs.generate._banks import Files, Row, numbered, pick, read_bank
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED, Person

POSTS = 300


def make_gram(people: Sequence[Person]) -> Files:
    """Return posts, stories, messages (whole conversations), activity and suggestions."""
    gram = _Gram(people)
    return {
        "posts.jsonl": gram.posts(),
        "stories.jsonl": gram.stories(30),
        "messages.jsonl": gram.conversations(16),
        "activity.jsonl": gram.activity(30),
        "suggestions.jsonl": gram.suggestions(10),
    }


class _Gram:
    def __init__(self, people: Sequence[Person]) -> None:
        self.people = people
        self.bank = read_bank("microgram")
        banks = {**read_bank("common"), **self.bank, "interest": read_bank("people")["interests"]}
        self.deck = Deck(banks, f"{SEED}/gram")
        self._others = [str(index) for index in range(1, len(people))]

    def _person(self) -> Person:
        return self.people[int(self.deck.deal("person", self._others))]

    def posts(self) -> list[Row]:
        rows: list[Row] = []

        def add(post_id: str, author: Person, caption: str, comments: Sequence[tuple[Person, str]]) -> None:
            rows.append(
                {
                    "id": post_id,
                    "authorId": author.id,
                    "caption": caption,
                    "location": self.deck.deal("places"),
                    "likes": self.deck.rng.randint(3, 900),
                    "comments": [
                        {"id": f"{post_id}-c{index + 1}", "authorId": who.id, "text": text}
                        for index, (who, text) in enumerate(comments)
                    ],
                    "imageUrl": "",
                    "order": len(rows),
                }
            )

        for index in range(POSTS):
            # At most three comments: a post with more is something a task can wait for.
            number = self.deck.rng.randint(0, 3)
            comments = [(self._person(), self.deck.deal("comments")) for _ in range(number)]
            caption = self.deck.say(self.deck.deal("captions"))
            add(numbered("photo", index + 1), self._person(), caption, comments)
        for special in self.bank["special_post"]:
            split = [comment.split(" ", 1) for comment in special["comments"]]
            comments = [(self.people[int(index)], text) for index, text in split]
            add(special["id"], self.people[special["author"]], special["caption"], comments)
        return rows

    def stories(self, number: int) -> list[Row]:
        return [
            {
                "id": numbered("story", index + 1, 2),
                "authorId": self._person().id,
                "mediaType": pick(("image", "image", "video"), index),
                "caption": self.deck.deal("stories"),
                "order": index,
            }
            for index in range(number)
        ]

    def conversations(self, number: int) -> list[Row]:
        rows: list[Row] = []

        def add(message_id: str, person: Person, texts: Sequence[str]) -> None:
            messages = [
                {"id": f"{message_id}-m{index + 1}", "senderId": person.id, "text": text}
                for index, text in enumerate(texts)
            ]
            row: Row = {"id": message_id, "userId": person.id, "messages": messages, "isRead": False}
            rows.append({**row, "order": len(rows)})

        for index in range(number):
            texts = [self.deck.say(self.deck.deal("dms")) for _ in range(1 + index % 3)]
            add(numbered("dm", index + 1, 2), self._person(), texts)
        for special in self.bank["special_dm"]:
            lines: Any = special["lines"]
            add(special["id"], self.people[special["from"]], lines)
        return rows

    def activity(self, number: int) -> list[Row]:
        kinds = ("like", "follow", "comment", "mention", "save")
        return [
            {
                "id": numbered("act", index + 1, 2),
                "type": kinds[index % len(kinds)],
                "actorId": self._person().id,
                "text": self.bank["activity"][index % len(kinds)],
                "order": index,
            }
            for index in range(number)
        ]

    def suggestions(self, number: int) -> list[Row]:
        return [
            {"id": numbered("sug", index + 1, 2), "userId": self._person().id, "order": index}
            for index in range(number)
        ]
