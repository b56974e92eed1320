"""Video: channels, videos, comments and notices."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.catalogs.generate._banks import Files, Row, fields, numbered, read_bank
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED, Person


def make_tube(people: Sequence[Person]) -> Files:
    """Return videos, channels, comments and notifications."""
    tube = _Tube(people)
    return {
        "videos.jsonl": tube.videos(),
        "channels.jsonl": tube.channels,
        "comments.jsonl": tube.comments(),
        "notifications.jsonl": tube.notifications(24),
    }


class _Tube:
    def __init__(self, people: Sequence[Person]) -> None:
        self.people = people
        self.bank = read_bank("microtube")
        self.deck = Deck({**read_bank("common"), **self.bank}, f"{SEED}/tube")
        self.channels: list[Row] = []
        self._titles: dict[str, list[str]] = {}
        for order, line in enumerate(self.bank["channels"]):
            key, name, handle, subscribers, verified, about, titles = fields(line)
            self._titles[key] = fields(titles, ";")
            self.channels.append(
                {
                    "id": f"ch-{key}",
                    "name": name,
                    "handle": f"@{handle}",
                    "description": about,
                    "subscribers": int(subscribers),
                    "isVerified": verified == "1",
                    "order": order,
                }
            )

    def videos(self) -> list[Row]:
        rows: list[Row] = []

        def add(video_id: str, channel: str, title: str, description: str) -> None:
            views = self.deck.rng.randrange(800, 900000)
            rows.append(
                {
                    "id": video_id,
                    "channel_id": f"ch-{channel}",
                    "title": title,
                    "description": description,
                    "views": views,
                    "likes": views // self.deck.rng.randint(20, 60),
                    "duration": f"{self.deck.rng.randint(3, 42)}:{self.deck.rng.randint(0, 59):02d}",
                    "isLive": False,
                    "isShort": False,
                    "order": len(rows),
                }
            )

        for channel, titles in self._titles.items():
            for index, title in enumerate(titles):
                add(
                    numbered(f"vid-{channel}", index + 1, 2),
                    channel,
                    title,
                    self.deck.say(self.deck.deal("descriptions")),
                )
        for special in self.bank["special_video"]:
            add(special["id"], special["channel"], special["title"], special["description"])
        return rows

    def comments(self) -> list[Row]:
        rows: list[Row] = []
        viewers = [str(index) for index in range(30, len(self.people))]

        def add(comment_id: str, channel: str, number: int, user: int, content: str) -> None:
            rows.append(
                {
                    "id": comment_id,
                    "video_id": numbered(f"vid-{channel}", number, 2),
                    "user_id": self.people[user].id,
                    "content": content,
                    "likes": self.deck.rng.randint(0, 80),
                    "order": len(rows),
                }
            )

        for channel in self._titles:
            for index in range(6):
                user = int(self.deck.deal("viewer", viewers))
                text = self.deck.say(self.deck.deal("comments"))
                add(numbered(f"cmt-{channel}", index + 1, 2), channel, 1 + index // 2, user, text)
        for special in self.bank["special_comment"]:
            add(special["id"], special["channel"], 1, special["user"], special["content"])
        return rows

    def notifications(self, number: int) -> list[Row]:
        kinds = ("upload", "live", "reply", "post")
        keys = list(self._titles)
        rows: list[Row] = []
        for index in range(number):
            key = keys[index % len(keys)]
            channel = self.channels[index % len(keys)]
            title = self.deck.deal(f"title {key}", self._titles[key])
            text = self.bank["notices"][index % len(kinds)].format(title=title)
            rows.append(
                {
                    "id": numbered("notice", index + 1, 2),
                    "type": kinds[index % len(kinds)],
                    "channel_id": channel["id"],
                    "message": f"{channel['name']} {text}",
                    "order": index,
                }
            )
        return rows
