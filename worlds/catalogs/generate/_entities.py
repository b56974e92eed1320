"""The organisations, bands, channels, places and clubs that the worlds refer to."""

from __future__ import annotations

from worlds.catalogs.generate._banks import Row, fields, numbered, read_bank, slug
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED


def company_id(name: str) -> str:
    """Return the id under which jobs refer to a company."""
    return f"company-{slug(name)}"


class _Entities:
    """Collects rows; ids follow the order in which they are added."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.deck = Deck(read_bank("common"), f"{SEED}/entities")

    def add(self, name: str, kind: str, description: str, **platforms: Row) -> None:
        initials = "".join(word[0] for word in name.split() if word[0].isalnum())[:3].upper()
        self.rows.append(
            {
                "id": numbered("entity", len(self.rows)),
                "name": name,
                "kind": kind,
                "initials": initials,
                "description": self.deck.say(description),
                "avatarUrl": "",
                "bannerUrl": "",
                "platforms": platforms,
            }
        )

    def companies(self) -> None:
        deck, rng = self.deck, self.deck.rng
        for line in read_bank("microdin")["companies"]:
            name, industry, about = fields(line)
            profile: Row = {
                "companyId": company_id(name),
                "industry": industry,
                "size": deck.deal("size", ("11-50", "51-200", "201-500", "501-1000")),
                "location": deck.deal("town"),
                "employees": rng.randint(12, 900),
                "followers": rng.randint(150, 22000),
            }
            self.add(name, "company", about, microdin=profile)

    def artists(self) -> None:
        rng = self.deck.rng
        for number, line in enumerate(read_bank("microfy")["artists"]):
            name, genre = fields(line)
            listeners = rng.randrange(4000, 900000, 100)
            about = f"{genre.capitalize()} from {{town}}, on stage since {rng.randint(1988, 2021)}."
            profile: Row = {"artistId": numbered("artist", number), "genre": genre, "monthlyListeners": listeners}
            self.add(name, "artist", about, microfy=profile)

    def channels(self) -> None:
        for line in read_bank("microtube")["channels"]:
            key, name, handle, _, _, about, _ = fields(line)
            self.add(name, "channel", about, microtube={"channelId": f"ch-{key}", "handle": handle})

    def listed(self) -> None:
        for line in read_bank("microhood")["stocks"]:
            symbol, name, *_ = fields(line)
            since = self.deck.rng.randint(1951, 2022)
            about = f"Listed since {since}, with offices in {{town}}."
            self.add(name, "listed company", about, microhood={"symbol": symbol})

    def places(self) -> None:
        bank, deck = read_bank("entities"), self.deck
        for line in (*bank["groups"], *bank["press"]):
            self.add(*fields(line))
        for name in bank["venue_a"]:
            for _ in range(4):
                kind, about = fields(deck.deal("venue", bank["venue_kinds"]))
                self.add(f"{name} {deck.deal('rooms ' + name, bank['venue_b'])}", kind, about)
        for town in read_bank("common")["town"]:
            kind, about = fields(deck.deal("club", bank["club_kinds"]))
            self.add(f"{town} {kind}", kind, about)


def entity_rows() -> list[Row]:
    """Return the rows of entities.json."""
    entities = _Entities()
    for group in (entities.companies, entities.artists, entities.channels, entities.listed, entities.places):
        group()
    return entities.rows
