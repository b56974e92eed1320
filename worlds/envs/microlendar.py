"""microlendar: events and tasks of a calendar (specification sentinelbench 3.8).

The calendar's "today" comes from the preload, never from a clock. With `compat` an update of a catalog event changes
only what pages show, not the SQL row; otherwise both.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Literal

from worlds.envs.base import Env, Item, Kind, detail, view
from worlds.errors import ToolError
from worlds.service import tool
from worlds.state import SqlValue

__all__ = ["Microlendar"]

Category = Literal["Work", "Personal", "Family"]
_DEFAULT_MINUTES = 60
"""Length of an event without an end, when conflicts are counted."""


class Microlendar(Env):
    """A calendar."""

    key = "microlendar"
    title = "Microlendar"
    schema = """
    CREATE TABLE events(id TEXT, title TEXT, start_time TEXT, end_time TEXT, category TEXT, is_task INTEGER, description TEXT);
    CREATE TABLE event_states(event_id TEXT PRIMARY KEY, deleted INTEGER, isViewed INTEGER);
    CREATE TABLE tasks(id TEXT, title TEXT, dueDate TEXT);
    CREATE TABLE task_states(task_id TEXT PRIMARY KEY, completed INTEGER, deleted INTEGER);
    CREATE TABLE user_created_events(id TEXT, title TEXT, date TEXT, time TEXT, endTime TEXT, calendar TEXT,
        deleted INTEGER, description TEXT, location TEXT);
    CREATE TABLE user_created_tasks(id TEXT, title TEXT, dueDate TEXT, completed INTEGER, deleted INTEGER);
    """  # noqa: E501
    kinds: ClassVar[Mapping[str, Kind]] = {
        "event": Kind(
            "event", "events", "events",
            lambda env, row: {
                "id": row["id"], "title": row.get("title"), "start_time": row.get("startTime"),
                "end_time": row.get("endTime"), "category": row.get("category"),
                "is_task": int(bool(row.get("isTask"))), "description": row.get("description"),
            },
            "event_states", lambda env, row, preload: {"deleted": 0, "isViewed": 0},
        ),
        "task": Kind(
            "task", "events", "tasks", lambda env, row: {"id": row["id"], "title": row.get("title"), "dueDate": row.get("dueDate")},  # noqa: E501
            "task_states", lambda env, row, preload: {"completed": int(bool(row.get("isCompleted"))), "deleted": 0},
        ),
    }  # fmt: skip
    preload_type = "preload_events"
    preload_keys: ClassVar[Mapping[str, str]] = {"event_ids": "event", "task_ids": "task"}
    # The key of new_task really is event_id (specification part 1.5).
    arrivals: ClassVar[Mapping[str, tuple[str, str]]] = {
        "new_event": ("event", "event_id"),
        "new_task": ("task", "event_id"),
    }
    skips_unknown = True
    listings: ClassVar[Mapping[str, str]] = {"microlendar-events": "event", "microlendar-tasks": "task"}

    def preload(self, payload: Mapping[str, Any]) -> None:
        """Bring in events and tasks, and fix the calendar's today."""
        today = str(payload.get("today") or self.stamp()[:10])
        self.state.set_meta("today", today)
        self.state.set_meta("initial_date", payload.get("initial_date") or today)
        super().preload(payload)

    @property
    def today(self) -> str:
        """The calendar's date of today."""
        return self.state.meta("today") or self.stamp()[:10]

    def metrics(self) -> Mapping[str, SqlValue]:
        """Return the baselines."""
        events = self._shown_events()
        return {
            "event_count": len(events),
            "today_event_count": sum(event["date"] == self.today for event in events),
            "work_event_count": sum(event["calendar"] == "Work" for event in events),
            "task_count": len(self._shown_tasks()),
            "personal_event_count": sum(event["calendar"] == "Personal" for event in events),
            "conflict_count": _conflicts(events),
        }

    # -- pages -------------------------------------------------------------------------------------------------------

    @view("calendar", "Calendar")
    def calendar(self) -> Item:
        """Show all events by date and time; descriptions are in the details only."""
        return self._page(self._shown_events())

    @view("day", "Today")
    def day(self) -> Item:
        """Show the events of today."""
        return self._page([event for event in self._shown_events() if event["date"] == self.today])

    @view("tasks", "Tasks")
    def tasks(self) -> Item:
        """Show the tasks, open ones first."""
        return {"today": self.today, "items": sorted(self._shown_tasks(), key=lambda task: task["completed"])}

    @detail("event")
    def event(self, id: str) -> Item:  # noqa: A002
        """Show one event with description, place and guests, and mark it viewed."""
        return self._view(id)

    @detail("task")
    def task(self, id: str) -> Item:  # noqa: A002
        """Show one task."""
        for task in self._shown_tasks():
            if task["id"] == id:
                return task
        raise ToolError(f"there is no task {id!r}", code="not_found", status=404)

    # -- actions -----------------------------------------------------------------------------------------------------

    @tool(writes=True, route="POST microlendar-events")
    def create_event(
        self,
        title: str,
        date: str,
        time: str = "09:00",
        endTime: str = "10:00",  # noqa: N803  # the original's field
        calendar: Category = "Work",
        description: str = "",
        location: str = "",
    ) -> Item:
        """Add an event.

        Args:
            title: what it is.
            date: YYYY-MM-DD.
            time: start, HH:MM.
            endTime: end, HH:MM.
            calendar: Work, Personal or Family.
            description: more words.
            location: where.
        """
        _check_date(date)
        id_ = self.next_id("user-event", "user_created_events")
        row = {"title": title, "date": date, "time": time, "endTime": endTime, "calendar": calendar}
        self.state.insert(
            "user_created_events", {"id": id_, **row, "deleted": 0, "description": description, "location": location}
        )
        return {"success": True, "id": id_}

    @tool(writes=True, route="POST microlendar-events/{id}/update")
    def update_event(
        self,
        id: str,  # noqa: A002
        title: str | None = None,
        date: str | None = None,
        time: str | None = None,
        endTime: str | None = None,  # noqa: N803
        calendar: Category | None = None,
        description: str | None = None,
        location: str | None = None,
    ) -> Item:
        """Change an event; what is not given stays.

        Args:
            id: the event's id.
            title: what it is.
            date: YYYY-MM-DD.
            time: start, HH:MM.
            endTime: end, HH:MM.
            calendar: Work, Personal or Family.
            description: more words.
            location: where.
        """
        given = {
            "title": title, "date": date, "time": time, "endTime": endTime,
            "calendar": calendar, "description": description, "location": location,
        }  # fmt: skip
        fields = {key: value for key, value in given.items() if value is not None}
        if date is not None:
            _check_date(date)
        if self._own("user_created_events", id):
            if fields:
                self.state.update("user_created_events", fields, key="id", equals=id)
            return {"success": True}
        shown = next((event for event in self._shown_events() if event["id"] == id), None)
        if shown is None:
            raise ToolError(f"there is no event {id!r}", code="not_found", status=404)
        self._overlay(id, {**shown, **fields}, fields)
        return {"success": True}

    @tool(writes=True, route="POST microlendar-events/{id}/delete")
    def delete_event(self, id: str) -> Item:  # noqa: A002
        """Delete an event.

        Args:
            id: the event's id.
        """
        if self._own("user_created_events", id):
            self.state.update("user_created_events", {"deleted": 1}, key="id", equals=id)
        else:
            self.flag("event", id, deleted=1)
        return {"success": True}

    @tool(writes=True, route="POST microlendar-events/{id}/view")
    def view_event(self, id: str) -> Item:  # noqa: A002
        """Mark an event as viewed; opening it does the same.

        Args:
            id: the event's id.
        """
        self._view(id)
        return {"success": True}

    @tool(writes=True, route="POST microlendar-tasks")
    def create_task(self, title: str, dueDate: str | None = None) -> Item:  # noqa: N803
        """Add a task.

        Args:
            title: what is to be done.
            dueDate: YYYY-MM-DD, if it is due.
        """
        id_ = self.next_id("user-task", "user_created_tasks")
        self.state.insert(
            "user_created_tasks", {"id": id_, "title": title, "dueDate": dueDate, "completed": 0, "deleted": 0}
        )
        return {"success": True, "id": id_}

    @tool(writes=True, route="POST microlendar-tasks/{id}/complete")
    def complete_task(self, id: str) -> Item:  # noqa: A002
        """Tick a task off, or take the tick back.

        Args:
            id: the task's id.
        """
        task = self.task(id)
        self._set_task(id, "completed", int(not task["completed"]))
        return {"success": True, "completed": not task["completed"]}

    @tool(writes=True, route="POST microlendar-tasks/{id}/delete")
    def delete_task(self, id: str) -> Item:  # noqa: A002
        """Delete a task.

        Args:
            id: the task's id.
        """
        self.task(id)
        self._set_task(id, "deleted", 1)
        return {"success": True}

    # -- inside ------------------------------------------------------------------------------------------------------

    def _own(self, table: str, id: str) -> Mapping[str, SqlValue] | None:  # noqa: A002
        return self.state.row(f"SELECT * FROM {table} WHERE id = ? AND deleted = 0", (id,))  # noqa: S608  # a name of ours

    def _view(self, id: str) -> Item:  # noqa: A002
        shown = next((event for event in self._shown_events() if event["id"] == id), None)
        if shown is None:
            raise ToolError(f"there is no event {id!r}", code="not_found", status=404)
        if not shown["userCreated"]:
            self.flag("event", id, isViewed=1)
        return {**shown, "isViewed": True}

    def _set_task(self, id: str, column: str, value: int) -> None:  # noqa: A002
        if self._own("user_created_tasks", id):
            self.state.update("user_created_tasks", {column: value}, key="id", equals=id)
        else:
            self.flag("task", id, **{column: value})

    def _overlay(self, id: str, shown: Item, changed: Mapping[str, Any]) -> None:  # noqa: A002
        """Change a catalog event: what pages show always, the SQL row only without `compat`."""
        row = {
            **{key: shown[key] for key in ("title", "description", "location")},
            "category": shown["calendar"],
        }
        if {"date", "time", "endTime"} & set(changed):
            row["startTime"] = f"{shown['date']}T{shown['time']}:00Z"
            row["endTime"] = f"{shown['date']}T{shown['endTime']}:00Z"
        before = self.state.row("SELECT * FROM events WHERE id = ?", (id,)) or {}
        self.update("event", id, row)
        if self.compat:
            self.state.update("events", {k: v for k, v in before.items() if k != "id"}, key="id", equals=id)

    def _shown_events(self) -> list[Item]:
        """Return all events that are not deleted, the agent's own among them, by date and time."""
        catalog = [
            {
                "kind": "event", "id": e["id"], "title": e.get("title"), "date": (e.get("startTime") or "")[:10],
                "time": (e.get("startTime") or "")[11:16], "endTime": (e.get("endTime") or "")[11:16],
                "calendar": e.get("category"), "description": e.get("description") or "",
                "location": e.get("location") or "", "attendees": [self.person(a) for a in e.get("attendees") or []],
                "isViewed": e["isViewed"], "userCreated": False,
            }
            for e in self.items("event")
            if not e["deleted"] and not e.get("isTask")
        ]  # fmt: skip
        own: list[Item] = [
            {"kind": "event", **row, "attendees": [], "isViewed": True, "userCreated": True}
            for row in self.state.rows("SELECT * FROM user_created_events WHERE deleted = 0 ORDER BY rowid")
        ]
        return sorted([*catalog, *own], key=lambda event: (event["date"], event["time"]))

    def _shown_tasks(self) -> list[Item]:
        catalog = [
            {
                "kind": "task",
                "id": t["id"],
                "title": t.get("title"),
                "dueDate": t.get("dueDate"),
                "completed": t["completed"],
            }
            for t in self.items("task")
            if not t["deleted"]
        ]
        own = [
            {
                "kind": "task",
                "id": r["id"],
                "title": r["title"],
                "dueDate": r["dueDate"],
                "completed": bool(r["completed"]),
            }
            for r in self.state.rows("SELECT * FROM user_created_tasks WHERE deleted = 0 ORDER BY rowid")
        ]
        return [*catalog, *own]

    def _page(self, events: list[Item]) -> Item:
        shown = ("kind", "id", "title", "date", "time", "endTime", "calendar", "location")
        return {
            "today": self.today,
            "initialDate": self.state.meta("initial_date") or self.today,
            "items": [{key: event.get(key) for key in shown} for event in events],
        }


def _check_date(date: str) -> None:
    try:
        datetime.strptime(date, "%Y-%m-%d")  # a calendar date has no zone
    except ValueError as error:
        raise ToolError(f"a date is YYYY-MM-DD, not {date!r}", code="bad_arguments", status=422) from error


def _conflicts(events: list[Item]) -> int:
    """Count the pairs of events of one date whose times overlap."""

    def span(event: Item) -> tuple[int, int]:
        start = _minutes(event["time"])
        end = _minutes(event["endTime"]) if event["endTime"] else start + _DEFAULT_MINUTES
        return start, end

    spans = [(event["date"], *span(event)) for event in events if event["time"]]
    return sum(a[0] == b[0] and a[1] < b[2] and b[1] < a[2] for n, a in enumerate(spans) for b in spans[n + 1 :])


def _minutes(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)
