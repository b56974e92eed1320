"""Music: tracks with lyrics in couplets, playlists and moods."""

from __future__ import annotations

from worlds.catalogs.generate._banks import Files, Row, fields, numbered, read_bank
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED

TRACKS = 100


def make_fy() -> Files:
    """Return tracks, playlists and moods; artists stand in entities.json."""
    bank = read_bank("microfy")
    deck = Deck({**read_bank("common"), **bank}, f"{SEED}/fy")
    tracks = _tracks(bank, deck)
    ids = [str(track["id"]) for track in tracks[:TRACKS]]
    playlists: list[Row] = [
        {
            "id": numbered("playlist", index + 1),
            "name": name,
            "description": deck.say(deck.deal("playlist_lines")),
            "trackIds": [deck.deal("playlist track", ids) for _ in range(deck.rng.randint(6, 12))],
            "order": index,
        }
        for index, name in enumerate(bank["playlists"])
    ]
    moods: list[Row] = [
        {"id": numbered("mood", index + 1), "name": name, "order": index} for index, name in enumerate(bank["moods"])
    ]
    return {"tracks.jsonl": tracks, "playlists.jsonl": playlists, "moods.jsonl": moods}


def _tracks(bank: dict[str, list[str]], deck: Deck) -> list[Row]:
    rows: list[Row] = []

    def add(track_id: str, title: str, artist: int, verses: list[str]) -> None:
        name, genre = fields(bank["artists"][artist])
        chorus = deck.deal("choruses")
        first, rest = verses[: len(verses) // 2], verses[len(verses) // 2 :]
        stanzas = ["\n".join(first), chorus, "\n".join(rest), chorus]
        rows.append(
            {
                "id": track_id,
                "title": title,
                "artistId": numbered("artist", artist),
                "artistName": name,
                "genre": genre,
                "isNewRelease": len(rows) % 7 == 3,
                "lyrics": "\n\n".join(stanza.replace(" / ", "\n") for stanza in stanzas),
                "playCount": deck.rng.randrange(900, 400000, 7),
                "duration": f"{deck.rng.randint(2, 5)}:{deck.rng.randint(0, 59):02d}",
                "order": len(rows),
            }
        )

    titles: set[str] = set()
    artists = [str(index) for index in range(len(bank["artists"]))]
    while len(rows) < TRACKS:
        title = f"{deck.deal('title_a')} {deck.deal('title_b')}"
        if title in titles:
            continue
        titles.add(title)
        verses = [deck.deal("couplets") for _ in range(4)]
        add(numbered("track", len(rows) + 1), title, int(deck.deal("artist", artists)), verses)
    for line in bank["specials"]:
        track_id, title, artist, couplet = fields(line)
        add(
            track_id, title, int(artist), [deck.deal("couplets"), couplet, deck.deal("couplets"), deck.deal("couplets")]
        )
    return rows
