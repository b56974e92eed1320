"""A paper index: titles, abstracts and alerts that belong together."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.catalogs.generate._banks import Files, Row, fields, numbered, pick, read_bank
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED, Person

PAPERS = 100
AUTHORS = range(30, 75)
"""Who writes papers: people outside Tidewell; the rest only read them."""


def make_scholar(people: Sequence[Person]) -> Files:
    """Return papers, alerts and coauthors."""
    bank = read_bank("microscholar")
    deck = Deck({**read_bank("common"), **bank}, f"{SEED}/scholar")
    papers = _papers(bank, deck, people)
    titles = [str(paper["title"]) for paper in papers[:PAPERS]]
    alerts: list[Row] = []
    kinds = ("citation", "new_paper", "keyword")
    for index in range(18):
        title, text = fields(bank["alert_forms"][index % len(kinds)])
        known = {
            "paper": deck.deal("paper", titles),
            "author": people[int(deck.deal("alert author", [str(number) for number in AUTHORS]))].scholar_name,
            "subject": fields(deck.deal("topics"))[0],
        }
        alerts.append(
            {
                "id": numbered("alert", index + 1, 2),
                "type": kinds[index % len(kinds)],
                "title": title,
                "description": deck.say(text, **known),
                "isRead": False,
                "order": index,
            }
        )
    coauthors: list[Row] = [
        {
            "id": numbered("co", index + 1, 2),
            "authorId1": "user000",
            "authorId2": people[30 + index].id,
            "sharedPapers": deck.rng.randint(1, 9),
        }
        for index in range(12)
    ]
    return {"papers.jsonl": papers, "alerts.jsonl": alerts, "coauthors.jsonl": coauthors}


def _papers(bank: dict[str, list[str]], deck: Deck, people: Sequence[Person]) -> list[Row]:
    rows: list[Row] = []
    writers = [str(index) for index in AUTHORS]

    def add(paper_id: str, title: str, authors: Sequence[int], year: int, abstract: str) -> None:
        # A result list shows the opening of the abstract; the rest is for who opens the paper.
        snippet = abstract.split(". ", maxsplit=1)[0].rstrip(".") + "."
        rows.append(
            {
                "id": paper_id,
                "title": title,
                "authors": ", ".join(people[index].scholar_name for index in authors),
                "snippet": snippet,
                "abstract": abstract,
                "year": year,
                "source": pick(bank["venues"], len(rows)),
                "citations": deck.rng.randint(0, 320),
                "isTargetPaper": False,
                "order": len(rows),
            }
        )

    used: set[str] = set()
    while len(rows) < PAPERS:
        subject, thing, method, place, finding = fields(deck.deal("topics"))
        known = {"subject": subject, "object": thing, "method": method, "place": place, "finding": finding}
        title = deck.say(deck.deal("title_forms"), **known)
        if title in used:
            continue
        used.add(title)
        authors = [int(deck.deal("writer", writers)) for _ in range(deck.rng.randint(1, 3))]
        abstract = deck.say(deck.deal("abstract_forms"), **known)
        add(
            numbered("paper", len(rows) + 1),
            title,
            list(dict.fromkeys(authors)),
            deck.rng.randint(2014, 2025),
            abstract,
        )
    for line in bank["special"]:
        paper_id, title, named, year, abstract = fields(line)
        add(paper_id, title, [int(index) for index in named.split()], int(year), abstract)
    return rows
