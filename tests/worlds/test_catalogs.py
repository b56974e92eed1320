"""The bundled catalogs: made by their script, small, whole, and without dangling references."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from worlds.catalogs.generate import catalog_files

# Kinds of the original's part 4 of the specification, and how many rows ours have.
ROWS = {
    "users.json": 100,
    "entities.json": 194,
    "micromail/emails.jsonl": 278,  # 115 + 25 + 25 + 35 + 15 + 15 + 30 by class, and 18 written for tasks
    "micromail/attachments.jsonl": 27,
    "microchat/calls.jsonl": 21,
    "microfy/tracks.jsonl": 107,
    "microgram/posts.jsonl": 306,
    "microhood/stocks.jsonl": 50,
    "microhood/watchlist.jsonl": 4,
    "microlendar/events.jsonl": 67,
    "microscholar/papers.jsonl": 113,
    "microscholar/alerts.jsonl": 18,
}


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return dict(catalog_files())


@pytest.fixture(scope="module")
def rows(files: dict[str, bytes]) -> dict[str, list[dict[str, Any]]]:
    return {
        name: json.loads(content) if name.endswith(".json") else [json.loads(line) for line in content.splitlines()]
        for name, content in files.items()
    }


def test_the_script_makes_the_committed_files_byte_for_byte(root: Path, files: dict[str, bytes]) -> None:
    folder = root / "worlds" / "catalogs"
    committed = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.json*"))
        if "generate" not in path.parts
    }
    assert committed == files


def test_they_stay_small(files: dict[str, bytes]) -> None:
    assert sum(len(content) for content in files.values()) < 1_500_000


@pytest.mark.parametrize("name", ROWS)
def test_sizes(rows: dict[str, list[dict[str, Any]]], name: str) -> None:
    assert len(rows[name]) == ROWS[name]


def test_ids_are_unique_in_each_file(rows: dict[str, list[dict[str, Any]]]) -> None:
    for name, table in rows.items():
        ids = [row.get("id", row.get("symbol")) for row in table]
        assert len(set(ids)) == len(ids), name


def test_no_slot_is_left_open(files: dict[str, bytes]) -> None:
    left = {name: re.findall(rb"\{[A-Za-z]+\d*\}", content) for name, content in files.items()}
    assert {name: found for name, found in left.items() if found} == {}


def test_people_are_told_apart(rows: dict[str, list[dict[str, Any]]]) -> None:
    users = rows["users.json"]
    assert [user["name"] for user in users if user["isSelf"]] == ["Robin Marlow"]
    for field in ("name", "username", "email"):
        assert max(Counter(user[field] for user in users).values()) == 1, field


def test_references_lead_somewhere(rows: dict[str, list[dict[str, Any]]]) -> None:
    users = {user["id"] for user in rows["users.json"]}
    profiles = [entity["platforms"] for entity in rows["entities.json"]]
    companies = {profile["microdin"]["companyId"] for profile in profiles if "microdin" in profile}
    artists = {profile["microfy"]["artistId"] for profile in profiles if "microfy" in profile}
    conversations = {row["id"] for row in rows["microchat/conversations.jsonl"]}
    emails = {row["id"] for row in rows["micromail/emails.jsonl"]}
    channels = {row["id"] for row in rows["microtube/channels.jsonl"]}
    videos = {row["id"] for row in rows["microtube/videos.jsonl"]}
    labels = {row["id"] for row in rows["microhub/labels.jsonl"]}
    assert {row["sender_id"] for row in rows["micromail/emails.jsonl"]} <= users | {None}
    assert {row["email_id"] for row in rows["micromail/attachments.jsonl"]} <= emails
    assert {row["conversation_id"] for row in rows["microchat/messages.jsonl"]} <= conversations
    assert {row["companyId"] for row in rows["microdin/jobs.jsonl"]} <= companies
    assert {row["artistId"] for row in rows["microfy/tracks.jsonl"]} <= artists
    assert {row["channel_id"] for row in rows["microtube/videos.jsonl"]} <= channels
    assert {row["video_id"] for row in rows["microtube/comments.jsonl"]} <= videos
    assert {label for row in rows["microhub/issues.jsonl"] for label in row["labelIds"]} <= labels


def test_every_address_is_of_a_reserved_domain(files: dict[str, bytes]) -> None:
    domains = {
        found.decode().rsplit(".", 1)[-1]
        for content in files.values()
        for found in re.findall(rb"[\w.]+@[\w.-]+\.\w+", content)
    }
    assert domains == {"example"}
