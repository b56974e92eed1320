"""Code hosting: the sixteen tables of one repository."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha1

from worlds.catalogs.generate._banks import Files, Row, fields, numbered, pick, read_bank, slug
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED, Person

CODERS = (1, 2, 5, 8, 12, 13, 14, 15, 17, 18, 20, 21, 26)
"""Who commits and files issues: the engineers, the writer and the tester."""


def make_hub(people: Sequence[Person]) -> Files:
    """Return every table of the repository tidewell/harbor-board."""
    hub = _Hub(people)
    return {
        "files.jsonl": hub.files(),
        "issues.jsonl": hub.issues(),
        "pulls.jsonl": hub.pulls(),
        "commits.jsonl": hub.commits(),
        **{f"{name}.jsonl": rows for name, rows in hub.small_tables().items()},
    }


class _Hub:
    def __init__(self, people: Sequence[Person]) -> None:
        self.people = people
        self.bank = read_bank("microhub")
        self.deck = Deck({**read_bank("common"), **self.bank}, f"{SEED}/hub")
        self._coders = [str(index) for index in CODERS]
        self._labels = {name.replace(" ", "-"): f"label-{slug(name)}" for name in self.bank["labels"]}

    def _person(self) -> Person:
        return self.people[int(self.deck.deal("coder", self._coders))]

    def files(self) -> list[Row]:
        rows: list[Row] = []
        ids: dict[str, str] = {}
        for line in self.bank["files"]:
            path, kind, parent, content = fields(f"{line} |")[:4]
            ids[path] = numbered("file", len(rows) + 1, 2)
            row: Row = {"id": ids[path], "name": path.split("/")[-1], "path": path, "type": kind}
            rows.append({**row, "parentId": ids.get(parent), "content": content, "order": len(rows)})
        return rows

    def issues(self) -> list[Row]:
        rows: list[Row] = []
        total = len(self.bank["issues"]) + len(self.bank["special"])

        def add(issue_id: str, title: str, body: str, labels: Sequence[str], comments: int) -> None:
            author = self._person()
            rows.append(
                {
                    "id": issue_id,
                    "number": 140 + total - len(rows),
                    "title": title,
                    "body": body,
                    "state": "open",
                    "author": author.username,
                    "authorId": author.id,
                    "assignees": [self._person().username] if len(rows) % 3 == 0 else [],
                    "labelIds": [self._labels[label.replace(" ", "-")] for label in labels],
                    "comments": [self._comment(f"{issue_id}-c{index + 1}", index) for index in range(comments)],
                    "order": len(rows),
                }
            )

        for index, line in enumerate(self.bank["issues"]):
            title, body, labels = fields(line, "||")
            add(numbered("issue", index + 1, 2), title, body, labels.split(), index % 3)
        for special in self.bank["special"]:
            add(special["id"], special["title"], special["body"], special["labels"], 0)
        return rows

    def _comment(self, comment_id: str, order: int) -> Row:
        author = self._person()
        body = self.deck.deal("comments")
        return {"id": comment_id, "author": author.username, "authorId": author.id, "body": body, "order": order}

    def pulls(self) -> list[Row]:
        rows: list[Row] = []
        for index, title in enumerate(self.bank["pulls"]):
            author = self._person()
            rows.append(
                {
                    "id": numbered("pull", index + 1, 2),
                    "number": 120 + index,
                    "title": title,
                    "body": f"{title}. Tests are included.",
                    "state": "open",
                    "author": author.username,
                    "authorId": author.id,
                    "branch": slug(title),
                    "comments": [],
                    "order": index,
                }
            )
        return rows

    def commits(self) -> list[Row]:
        rows: list[Row] = []
        for index, message in enumerate(self.bank["commits"]):
            author = self._person()
            # A name for the commit, not a check of anything: the short hash a code host would show.
            sha = sha1(message.encode(), usedforsecurity=False).hexdigest()[:10]
            row: Row = {"id": numbered("commit", index + 1, 2), "sha": sha, "message": message}
            rows.append({**row, "author": author.username, "authorId": author.id, "order": index})
        return rows

    def small_tables(self) -> dict[str, list[Row]]:
        """Return the tables that no task depends on but a visitor expects behind the tabs."""
        labels = [
            {
                "id": identifier,
                "name": name.replace("-", " "),
                "color": pick(("#b91c1c", "#1d4ed8", "#15803d", "#a16207"), index),
            }
            for index, (name, identifier) in enumerate(self._labels.items())
        ]
        wiki = [dict(zip(("title", "body"), fields(line, "||"), strict=True)) for line in self.bank["wiki"]]
        tables: dict[str, list[dict[str, object]]] = {
            "runs": [
                {"name": name, "status": "passed", "branch": "main"} for name in ("tests", "lint", "tests", "site")
            ],
            "workflows": [{"name": name, "path": f".ci/{name}"} for name in ("tests", "lint", "site")],
            "wiki": [dict(page) for page in wiki],
            "projects": [{"name": name, "open": count} for name, count in (("Winter timetable", 9), ("Print", 4))],
            "activity": [
                {"text": f"{self._person().username} pushed to {branch}"}
                for branch in ("main", "print-columns", "crew-blanks", "main", "tide-number", "main")
            ],
            "insights": [
                {"name": name, "value": value} for name, value in (("commits this month", 64), ("open pulls", 8))
            ],
            "releases": [{"name": f"Release {number}", "tag": f"v{number}"} for number in (38, 39, 40)],
            "labels": [dict(label) for label in labels],
            "security": [{"title": "Report a problem in private", "body": "Write to security@tidewell.example."}],
            "code_scanning": [{"rule": "no-shell", "state": "clear"}, {"rule": "no-secrets", "state": "clear"}],
            "deployments": [{"environment": name, "state": "active"} for name in ("staging", "pilot", "sites")],
            "packages": [{"name": "harbor-board", "version": "40.0.2"}, {"name": "harbor-tides", "version": "3.1.0"}],
        }
        return {
            name: [{"id": numbered(name, index + 1, 2), **row, "order": index} for index, row in enumerate(rows)]
            for name, rows in tables.items()
        }
