"""micromail: what lists hide, what opening does, and the grading tables."""

from __future__ import annotations

import pytest

from worlds import Event, Scenario, ToolError, World, bundled_catalog


def _world() -> tuple[World, list[str]]:
    catalog = bundled_catalog()
    ids = list(catalog.rows("micromail", "emails"))
    events = (
        Event(time=0, type="preload_emails", payload={"email_ids": ids[:3]}),
        Event(time=60, type="new_email", payload={"email_id": ids[3]}),
    )
    return World(Scenario(id="mail", environment="micromail", events=events), catalog), ids


def test_a_mail_arrives_and_opening_it_marks_it_read() -> None:
    world, ids = _world()
    sql = (
        "SELECT (SELECT COUNT(*) FROM email_states) >= "
        "CAST((SELECT value FROM session_meta WHERE key = 'baseline_inbox_count') AS INTEGER) + 1"
    )
    assert not world.holds(sql)
    world.advance_to(60.0)
    assert world.holds(sql)
    read = f"SELECT isRead FROM email_states WHERE email_id = '{ids[3]}'"
    world.env.flag("email", ids[3], isRead=0)
    assert all(len(mail["preview"]) <= 140 and "body" not in mail for mail in world.env.observe("inbox")["items"])
    assert not world.holds(read)
    assert world.env.open("email", ids[3])["body"]
    assert world.holds(read)


def test_moving_and_flags() -> None:
    world, ids = _world()
    world.env.call("move", {"id": ids[0], "folder": "junk"})
    assert ids[0] in [mail["id"] for mail in world.env.observe("junk")["items"]]
    first = world.env.item("email", ids[1])["isFlagged"]
    assert world.env.call("toggle_flag", {"id": ids[1]}) == {"success": True, "isFlagged": not first}
    with pytest.raises(ToolError):
        world.env.call("mark_read", {"id": "nothing"})
