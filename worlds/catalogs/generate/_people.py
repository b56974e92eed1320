"""The hundred people and the organisations around them: what every world refers to."""

from __future__ import annotations

from dataclasses import dataclass

from worlds.catalogs.generate._banks import Row, fields, read_bank, slug
from worlds.catalogs.generate._deck import Deck

SEED = "tidewell"
"""Every text of the bundled catalogs follows from this word and the banks."""


@dataclass(frozen=True, slots=True)
class Person:
    """One invented person; the index is the number in the id."""

    index: int
    name: str
    pronoun: str
    job: str
    place: str
    """Team for the thirty at Tidewell, home town for everyone else."""

    @property
    def id(self) -> str:
        """Return ``user000`` and so on."""
        return f"user{self.index:03d}"

    @property
    def first(self) -> str:
        """Return the given name."""
        return self.name.split()[0]

    @property
    def username(self) -> str:
        """Return the short name, such as ``rmarlow``."""
        first, last = self.name.split()[0], self.name.split()[-1]
        return slug(first)[0] + slug(last)

    @property
    def email(self) -> str:
        """Return an address under a reserved domain."""
        domain = "tidewell.example" if self.index < 30 else "postbox.example"
        return f"{slug(self.name).replace('-', '.')}@{domain}"

    @property
    def scholar_name(self) -> str:
        """Return the form on a paper: initial and family name."""
        return f"{self.name[0]} {self.name.split()[-1]}"


def make_people() -> tuple[Person, ...]:
    """Return the cast of Tidewell first, then the others, in the order of the bank."""
    bank = read_bank("people")
    deck = Deck({"job": bank["outside_jobs"], "town": bank["towns"]}, f"{SEED}/people")
    people = [Person(index, *fields(line)) for index, line in enumerate(bank["cast"])]
    for index, line in enumerate(bank["others"], start=len(people)):
        name, pronoun = fields(line)
        people.append(Person(index, name, pronoun, deck.deal("job"), deck.deal("town")))
    return tuple(people)


def user_rows(people: tuple[Person, ...]) -> list[Row]:
    """Return the rows of users.json, with one part per world that shows profiles."""
    bank = read_bank("people")
    banks = {"interest": bank["interests"], "trait": bank["traits"], "town": bank["towns"], "form": bank["bio"]}
    deck = Deck(banks, f"{SEED}/users")
    rng = deck.rng
    rows: list[Row] = []
    for person in people:
        town = deck.deal("town") if person.index < 30 else person.place
        first, second = deck.deal("interest"), deck.deal("interest")
        job = person.job if person.index >= 30 else f"{person.job} at Tidewell"
        known = {"job": person.job, "town": town, "interest": first, "interest2": second}
        rows.append(
            {
                "id": person.id,
                "isSelf": person.index == 0,
                "name": person.name,
                "username": person.username,
                "email": person.email,
                "age": rng.randint(23, 64),
                "gender": {"she": "female", "he": "male"}.get(person.pronoun, "non-binary"),
                "location": town,
                "personality_tags": sorted({deck.deal("trait"), deck.deal("trait")}),
                "avatarUrl": "",
                "bannerUrl": "",
                "bio": deck.say(deck.deal("form"), **known),
                "jobTitle": job,
                "interests": [first, second],
                "microgram": {"followers": rng.randint(40, 4000), "following": rng.randint(30, 900)},
                "microscholar": {"affiliation": _affiliation(person, town), "citations": rng.randint(0, 1900)},
                "microfy": {"followers": rng.randint(0, 300), "playlists": rng.randint(0, 12)},
                "microhub": {"login": person.username, "repositories": rng.randint(0, 40)},
                "microdin": {"headline": job, "connections": rng.randint(20, 800)},
            }
        )
    return rows


def _affiliation(person: Person, town: str) -> str:
    return "Tidewell" if person.index < 30 else f"University of {town}"
