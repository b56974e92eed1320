"""What the ten environments have in common: items that arrive, flags, pages, details, actions.

An environment declares its kinds of items (`Kind`) and how events name them; everything else follows. The SQL tables
have the names and columns of specification part 3, so that an original `eval_sql` runs unchanged. Two tables are ours:
`content` holds every visible item's catalog row as JSON, in order of arrival, and `session_meta` is the original's.

Three things can be reached by an agent:

- *views* (`@view`): list pages, which show what the original's lists show and nothing that belongs to the details;
- *details* (`@detail`): one item opened; opening sets its read or viewed flag, because grading reads those flags;
- *actions* (`@tool(writes=True, route=...)`): what buttons do.

Views and details return JSON objects: `{"page": name, "title": text, "items": [{"kind", "id", ...}], ...}` and
`{"kind", "id", ...}`. HTML pages render exactly these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, TypeVar

from agentmonbench.errors import DataError
from worlds.catalog import Catalog, Row
from worlds.clock import Clock
from worlds.errors import ToolError
from worlds.service import EPOCH, Service
from worlds.state import SqlValue, State
from worlds.timeline import Event

__all__ = ["ALL", "Env", "Item", "Kind", "detail", "view"]

ALL = "*"
"""In a list of ids: every id of the catalog (specification part 1.5)."""

Item = dict[str, Any]
"""A JSON object of a page or answer; Any because its fields are those of a catalog."""

_View = TypeVar("_View", bound=Callable[..., Item])

_BASE_SCHEMA = """
CREATE TABLE session_meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE content(position INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, id TEXT, added_at REAL, data TEXT);
CREATE INDEX content_by_id ON content(kind, id);
"""
PRELOADED_AGE_S = 300.0
"""Items that are there at the start are shown as five minutes old (specification part 3)."""


def _no_columns(env: Env, row: Row) -> Mapping[str, SqlValue]:
    return {}


def _no_state(env: Env, row: Row, *, preload: bool) -> Mapping[str, SqlValue]:
    return {}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of item: where its rows come from and which tables they fill."""

    name: str
    """What `open` and events call it: `email`, `job`."""
    catalog: str
    """The catalog file: `emails`, `jobs`."""
    table: str = ""
    """Its table of part 3; empty when it has none."""
    columns: Callable[[Any, Row], Mapping[str, SqlValue]] = _no_columns
    """From environment and row to the values of `table`, the key column included. Any: each environment its own class."""  # noqa: E501
    states: str = ""
    """Its table of flags; empty when it has none."""
    initial: Callable[..., Mapping[str, SqlValue]] = _no_state
    """From environment, row and `preload` to the first values of `states`, without the key."""
    key: str = "id"
    """Key column of `table`, and of the row."""
    state_key: str = ""
    """Key column of `states`; `<name>_id` when empty."""
    unique: bool = False
    """Whether an id that is already there is not added again."""

    @property
    def flag_key(self) -> str:
        """The key column of `states`."""
        return self.state_key or f"{self.name}_id"


@dataclass(frozen=True, slots=True)
class _Shown:
    name: str
    title: str
    function: Callable[..., Item]


def view(name: str, title: str) -> Callable[[_View], _View]:
    """Mark a method as a list page; the first of a class is its start page."""

    def mark(function: _View) -> _View:
        function.__worlds_view__ = _Shown(name, title, function)  # type: ignore[attr-defined]  # functions take attributes
        return function

    return mark


def detail(kind: str) -> Callable[[_View], _View]:
    """Mark a method (self, id) as what opening an item of a kind shows and does."""

    def mark(function: _View) -> _View:
        function.__worlds_detail__ = _Shown(kind, kind, function)  # type: ignore[attr-defined]  # functions take attributes
        return function

    return mark


class Env(Service):
    """An environment: a service whose content arrives by events.

    Args:
        state: an empty database.
        clock: the session's clock.
        catalog: where ids are looked up.
        epoch: date and time of second 0.
        compat: keep the bugs of the original's actions (specification part 8, W13) instead of the repaired rules.
    """

    title: ClassVar[str] = ""
    """The name that pages show."""
    kinds: ClassVar[Mapping[str, Kind]] = {}
    preload_type: ClassVar[str] = ""
    """The event that brings the initial content."""
    preload_keys: ClassVar[Mapping[str, str]] = {}
    """From the keys of its payload that hold ids to kinds."""
    arrivals: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """From later event types to (kind, payload key)."""
    skips_unknown: ClassVar[bool] = False
    """Whether an id that the catalog lacks is passed over (microhood, microhub, microlendar)."""
    listings: ClassVar[Mapping[str, str]] = {}
    """From the original's `GET /data/<path>` to the kind it lists."""
    views: ClassVar[Mapping[str, _Shown]] = {}
    details: ClassVar[Mapping[str, _Shown]] = {}

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        members = list(vars(cls).values())
        cls.views = {
            **cls.views,
            **{m.__worlds_view__.name: m.__worlds_view__ for m in members if hasattr(m, "__worlds_view__")},
        }
        cls.details = {
            **cls.details,
            **{m.__worlds_detail__.name: m.__worlds_detail__ for m in members if hasattr(m, "__worlds_detail__")},
        }

    def __init__(
        self, state: State, clock: Clock, *, catalog: Catalog, epoch: datetime = EPOCH, compat: bool = False
    ) -> None:
        super().__init__(state, clock, epoch=epoch)
        self.catalog = catalog
        self.compat = compat

    def boot(self, seed: str = "") -> None:
        """Create the empty tables."""
        self.state.script(_BASE_SCHEMA)
        super().boot(seed)

    # -- events ------------------------------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Let an event happen now. Unknown types change nothing (specification part 1.5).

        Raises:
            DataError: an id that the catalog lacks, in an environment that does not skip those.
        """
        payload = event.payload
        if event.type == self.preload_type:
            self.preload(payload)
            for name, value in self.metrics().items():
                self.state.set_meta(f"baseline_{name}", value)
        elif event.type in self.arrivals:
            kind, key = self.arrivals[event.type]
            self.add(kind, str(payload[key]))
        elif event.type == "add_item":
            self.add(str(payload["kind"]), str(payload["id"]))
        elif event.type == "remove_item":
            self.remove(str(payload["kind"]), str(payload["id"]))
        elif event.type == "update_item":
            self.update(str(payload["kind"]), str(payload["id"]), payload["set"])

    def preload(self, payload: Mapping[str, Any]) -> None:
        """Bring in the initial content. A missing key brings nothing."""
        for key, kind in self.preload_keys.items():
            for id_ in self.ids(self.kinds[kind].catalog, payload.get(key) or []):
                self.add(kind, id_, preload=True)

    def ids(self, catalog: str, listed: list[object]) -> list[str]:
        """Return the ids that a payload names; `["*"]` names them all."""
        return list(self.catalog.rows(self.key, catalog)) if listed == [ALL] else [str(id_) for id_ in listed]

    def add(self, kind: str, id: str, *, preload: bool = False) -> None:  # noqa: A002  # the field's name everywhere
        """Let an item of the catalog arrive."""
        spec = self._kind(kind)
        if self.skips_unknown and not self.catalog.has(self.key, spec.catalog, id) and not self.catalog.stubs:
            return
        if spec.unique and self.has(kind, id):
            return
        self.add_row(kind, self.catalog.row(self.key, spec.catalog, id), preload=preload)

    def add_row(self, kind: str, row: Row, *, preload: bool = False) -> None:
        """Let an item arrive whose row is given."""
        spec = self._kind(kind)
        key = str(row.get(spec.key, row.get("id")))
        self.state.insert(
            "content",
            {
                "kind": kind,
                "id": key,
                "added_at": self.clock.now() - (PRELOADED_AGE_S if preload else 0.0),
                "data": json.dumps(row, ensure_ascii=False),
            },
        )
        if spec.table:
            self.state.insert(spec.table, spec.columns(self, row))
        if spec.states:
            flags = {spec.flag_key: key, **spec.initial(self, row, preload=preload)}
            self.state.insert(spec.states, flags, replace=True)

    def remove(self, kind: str, id: str) -> None:  # noqa: A002
        """Let an item vanish, with its flags."""
        spec = self._kind(kind)
        self.state.execute("DELETE FROM content WHERE kind = ? AND id = ?", (kind, id))
        if spec.table:
            self.state.execute(f"DELETE FROM {spec.table} WHERE {spec.key} = ?", (id,))  # noqa: S608  # a name of ours
        if spec.states:
            self.state.execute(f"DELETE FROM {spec.states} WHERE {spec.flag_key} = ?", (id,))  # noqa: S608

    def update(self, kind: str, id: str, fields: Mapping[str, Any]) -> None:  # noqa: A002
        """Change catalog fields of an item; its flags and its place in the order stay."""
        spec = self._kind(kind)
        row = {**self.item(kind, id), **fields}
        for flag in ("addedAt", "kind"):
            row.pop(flag, None)
        self.state.execute(
            "UPDATE content SET data = ? WHERE kind = ? AND id = ?", (json.dumps(row, ensure_ascii=False), kind, id)
        )
        if spec.table:
            self.state.update(spec.table, spec.columns(self, row), key=spec.key, equals=id)

    # -- time --------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Bring what depends on time alone (prices, stars) up to the clock's now."""

    def knots(self, after: float, until: float) -> list[float]:
        """Return the times in (after, until) at which a curve bends; ascending."""
        return []

    def moves(self, after: float, until: float) -> bool:
        """Say whether anything changes in (after, until] without an event."""
        return False

    def next_own(self, until: float) -> float | None:
        """Return when the environment itself acts next (an order fills), if by `until`."""
        return None

    def metrics(self) -> Mapping[str, SqlValue]:
        """Return the numbers that become `baseline_<name>` after the preload."""
        return {}

    # -- reading -----------------------------------------------------------------------------------------------------

    def has(self, kind: str, id: str) -> bool:  # noqa: A002
        """Say whether an item is there."""
        return self.state.row("SELECT 1 FROM content WHERE kind = ? AND id = ? LIMIT 1", (kind, id)) is not None

    def items(self, kind: str) -> list[Item]:
        """Return all items of a kind in order of arrival: catalog fields, flags as booleans, `kind` and `addedAt`."""
        spec = self._kind(kind)
        rows = self.state.rows("SELECT id, added_at, data FROM content WHERE kind = ? ORDER BY position", (kind,))
        flags = {}
        if spec.states:
            flags = {row[spec.flag_key]: row for row in self.state.rows(f"SELECT * FROM {spec.states}")}  # noqa: S608
        return [self._merge(spec, row, flags.get(row["id"], {})) for row in rows]

    def item(self, kind: str, id: str) -> Item:  # noqa: A002
        """Return one item as `items` does.

        Raises:
            ToolError: 404 when it is not there.
        """
        spec = self._kind(kind)
        row = self.state.row("SELECT id, added_at, data FROM content WHERE kind = ? AND id = ?", (kind, id))
        if row is None:
            raise ToolError(f"there is no {kind} {id!r}", code="not_found", status=404)
        flags: Mapping[str, SqlValue] = {}
        if spec.states:
            flags = self.state.row(f"SELECT * FROM {spec.states} WHERE {spec.flag_key} = ?", (id,)) or {}  # noqa: S608
        return self._merge(spec, row, flags)

    def flag(self, kind: str, id: str, **flags: SqlValue) -> None:  # noqa: A002
        """Set flags of an item that is there."""
        spec = self._kind(kind)
        self.item(kind, id)
        self.state.update(spec.states, flags, key=spec.flag_key, equals=id)

    def toggle(self, kind: str, id: str, flag: str) -> bool:  # noqa: A002
        """Turn a flag round and return what it is now."""
        new = not self.item(kind, id)[flag]
        self.flag(kind, id, **{flag: int(new)})
        return new

    def observe(self, page: str | None = None) -> Item:
        """Return a list page; the start page when None.

        Raises:
            ToolError: no such page.
        """
        shown = next(iter(self.views.values())) if page is None else self.views.get(page)
        if shown is None:
            raise ToolError(
                f"there is no page {page!r}; there are: {', '.join(self.views)}", code="not_found", status=404
            )
        return {"page": shown.name, "title": shown.title, **shown.function(self)}

    def open(self, kind: str, id: str) -> Item:  # noqa: A002
        """Open one item: read or viewed flags are set, and its details returned.

        Raises:
            ToolError: no such kind or item.
        """
        shown = self.details.get(kind)
        if shown is None:
            raise ToolError(
                f"nothing of kind {kind!r} can be opened; kinds: {', '.join(self.details)}",
                code="not_found",
                status=404,
            )
        with self.state.transaction():
            return {"kind": kind, "id": id, **shown.function(self, id)}

    def search(self, query: str) -> Item:
        """Find items of all list pages that contain every word of the query in what those pages show."""
        words = query.casefold().split()
        found: list[Item] = []
        seen: set[tuple[str, str]] = set()
        for name in self.views:
            for item in self.observe(name).get("items", []):
                key = (str(item.get("kind")), str(item.get("id")))
                text = " ".join(str(value) for value in item.values()).casefold()
                if key not in seen and all(word in text for word in words):
                    seen.add(key)
                    found.append({"page": name, **item})
        return {"query": query, "items": found}

    # -- for subclasses ----------------------------------------------------------------------------------------------

    def person(self, id: str | None) -> str:  # noqa: A002
        """Return the name of a persona."""
        return str(self.catalog.user(id).get("name", id))

    def data(self, row: Row) -> str:
        """Return a row as the JSON text of a `data` column."""
        return json.dumps(row, ensure_ascii=False)

    def next_id(self, prefix: str, table: str) -> str:
        """Return `<prefix>-N` for a new row that the agent makes; N counts the rows of a table from 1."""
        return f"{prefix}-{self.state.count(f'SELECT COUNT(*) FROM {table}') + 1}"  # noqa: S608  # a name of ours

    def _kind(self, kind: str) -> Kind:
        if kind not in self.kinds:
            raise DataError(f"{self.key} has no items of kind {kind!r}; kinds: {', '.join(self.kinds)}")
        return self.kinds[kind]

    def _merge(self, spec: Kind, row: Mapping[str, SqlValue], flags: Mapping[str, SqlValue]) -> Item:
        added = row["added_at"]
        shown = {
            name: bool(value) if isinstance(value, int) and (name.startswith("is") or name in _FLAGS) else value
            for name, value in flags.items()
            if name != spec.flag_key
        }
        seconds = added if isinstance(added, float | int) else 0.0
        return {
            "kind": spec.name,
            "id": row["id"],
            **json.loads(str(row["data"])),
            **shown,
            "addedAt": self.stamp(seconds),
        }


_FLAGS = frozenset({"deleted", "completed", "inWatchlist"})
