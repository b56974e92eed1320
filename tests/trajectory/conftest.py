"""Helpers for transcripts that tests write themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ebg.trajectory.events import Event, Session


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes records as lines; a text is written as it is."""

    def write(*records: object, name: str = "session.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in records))
        return path

    return write


@pytest.fixture
def document(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes one JSON document."""

    def write(value: object, name: str = "session.json", indent: int | None = 1) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(value, indent=indent))
        return path

    return write


def told(session: Session) -> list[tuple[str, str, str]]:
    """Return (actor, kind, text) of each event."""
    return [(event.actor, event.kind, event.text) for event in session.events]


def only(session: Session, kind: str) -> list[Event]:
    """Return the events of a kind."""
    return [event for event in session.events if event.kind == kind]
