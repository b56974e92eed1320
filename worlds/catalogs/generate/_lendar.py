"""A calendar around one Wednesday: work, private life, family, and things to do."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from worlds.catalogs.generate._banks import Files, Row, fields, numbered, pick, read_bank
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED

TODAY = date(2025, 10, 15)
STARTS = ("08:30", "09:15", "10:00", "11:00", "13:00", "14:15", "15:30", "16:30", "18:00", "19:15")


def make_lendar() -> Files:
    """Return events.jsonl, which holds the tasks too."""
    bank = read_bank("microlendar")
    deck = Deck(bank, f"{SEED}/lendar")
    rows: list[Row] = []

    def add(event_id: str, line: str, day: date | None, start: str = "", minutes: int = 0) -> None:
        title, category, description, location = fields(f"{line} | |")[:4]
        first = datetime.combine(day, time.fromisoformat(start)) if day else None
        last = first + timedelta(minutes=minutes) if first else None
        rows.append(
            {
                "id": event_id,
                "owner_id": "user000",
                "title": title,
                "description": description,
                "start_time": f"{first:%Y-%m-%dT%H:%M:%SZ}" if first else None,
                "end_time": f"{last:%Y-%m-%dT%H:%M:%SZ}" if last else None,
                "category": category,
                "is_task": day is None,
                "is_completed": False,
                "is_conflict": False,
                "attendees": [],
                "location": location,
                "order": len(rows),
            }
        )

    # Days of the past two weeks and the next: weekends are left to private life.
    for prefix, table, days in (
        ("work", "work", (-2, -1, 1, 2, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 19, 20, 21)),
        ("own", "personal", (-3, -1, 1, 2, 3, 4, 6, 8, 10, 11, 13, 18)),
        ("fam", "family", (2, 3, 4, 4, 10, 7)),
    ):
        for index, line in enumerate(bank[table]):
            start = deck.deal("start", STARTS)
            day = TODAY + timedelta(days=days[index])
            add(numbered(prefix, index + 1, 2), line, day, start, deck.rng.choice((30, 45, 60)))
    # Today's entries reuse the titles with hours that do not overlap.
    titles = [*bank["work"][:6], *bank["personal"][:4]]
    for index, line in enumerate(titles):
        add(numbered("today", index + 1, 2), line, TODAY, f"{8 + index:02d}:00", 45)
    for index, line in enumerate(bank["tasks"]):
        title, category = fields(line)
        add(numbered("todo", index + 1, 2), f"{title} | {category}", None)
    for line in bank["special"]:
        event_id, title, category, offset, start, minutes, place, description = fields(line)
        day = TODAY + timedelta(days=int(offset))
        add(event_id, f"{title} | {category} | {description} | {place}", day, start, int(minutes))
    colours = {"Work": "#1d4ed8", "Personal": "#15803d", "Family": "#b45309"}
    for index, row in enumerate(rows):
        row["color"] = colours[str(row["category"])]
        row["attendees"] = (
            [pick(("user001", "user003", "user006", "user009"), index)] if row["category"] == "Work" else []
        )
    return {"events.jsonl": rows}
