"""Catalogs: the immutable content that events refer to by id.

A catalog is a folder in the layout of the original's `data/catalogs` (specification part 4):

    users.json           a list of personas; the self user has `isSelf` (else it is user000)
    entities.json        a list of organisations, bands, ...
    <environment>/<kind>.jsonl   one row a line, with an id (`symbol` in microhood)

The bundled catalog and an imported original are read by this one loader. Rows may have snake_case keys (as the
original's tables) or camelCase (as its answers): they are read as camelCase. Rows are shared by all sessions and never
changed. The order of rows is that of the file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from agentmonbench.errors import DataError

__all__ = ["ALIASES", "Catalog", "Row", "bundled_catalog", "open_catalog"]

Row = Mapping[str, Any]
"""One item of content by camelCase key; Any because the fields belong to whoever wrote the catalog."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    "prs": ("pulls", "pull_requests"),
    "scanning": ("code_scanning",),
    "events": ("calendar_events",),
}
"""Other names under which a kind's file is looked for."""

MAX_CATALOG_BYTES = 50_000_000
_KEYS = ("id", "symbol", "slug", "name")


class Catalog:
    """All content of all environments.

    Args:
        folder: in the layout above; None for an empty catalog.
        stubs: whether an unknown id is a row of that id alone, instead of an error. For scenarios whose catalogs are not
            at hand and whose SQL merely counts.
        rows: rows by (environment, kind) that replace or follow those of the folder, as overlays and tests give them.
        base: where everything else comes from.
    """  # noqa: E501

    def __init__(
        self,
        folder: Path | None,
        *,
        stubs: bool = False,
        rows: Mapping[tuple[str, str], Iterable[Row]] | None = None,
        base: Catalog | None = None,
    ) -> None:
        self.folder = folder
        self.stubs = stubs
        self._rows: dict[tuple[str, str], Mapping[str, Row]] = {}
        self._own = {key: _by_id(given, where="content") for key, given in (rows or {}).items()}
        self._base = base
        self._people: dict[str, dict[str, Row]] = {}

    def rows(self, environment: str, kind: str) -> Mapping[str, Row]:
        """Return the rows of a kind by id, in the order of the file; empty when there is no such file."""
        key = (environment, kind)
        if key not in self._rows:
            own = self._own.get(key, {})
            if self._base is not None:
                below = self._base.rows(environment, kind)
                self._rows[key] = {**below, **own} if own else below
            else:
                self._rows[key] = {**self._from_folder(environment, kind), **own}
        return self._rows[key]

    def row(self, environment: str, kind: str, id: str) -> Row:  # noqa: A002  # the name of the field everywhere
        """Return one row.

        Raises:
            DataError: no such id, and `stubs` is off.
        """
        found = self.rows(environment, kind).get(str(id))
        if found is None:
            if self.stubs:
                return {"id": str(id)}
            raise DataError(
                f"the catalog of {environment} has no {kind} {id!r}; import the catalogs that the scenario was written for"  # noqa: E501
            )
        return found

    def has(self, environment: str, kind: str, id: str) -> bool:  # noqa: A002
        """Say whether a row exists in the files (stubs do not count)."""
        return str(id) in self.rows(environment, kind)

    @property
    def users(self) -> Mapping[str, Row]:
        """Personas by id."""
        return self._file("users")

    @property
    def entities(self) -> Mapping[str, Row]:
        """Organisations, bands and other entities by id."""
        return self._file("entities")

    @property
    def self_user(self) -> Row:
        """The persona that the agent works for."""
        marked = (row for row in self.users.values() if row.get("isSelf"))
        return next(marked, self.users.get("user000", SELF_USER))

    def user(self, id: str | None) -> Row:  # noqa: A002
        """Return a persona; a row of the id alone when there is none."""
        return self.users.get(str(id), {"id": id, "name": str(id or "Unknown"), "username": str(id or "unknown")})

    def overlay(self, environment: str, content: Mapping[str, Iterable[Row]]) -> Catalog:
        """Return a catalog in which rows of one environment come on top; everything else is shared with this one."""
        if not content:
            return self
        return Catalog(
            None, stubs=self.stubs, rows={(environment, kind): rows for kind, rows in content.items()}, base=self
        )

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the names and bytes of the folder's files; overlays, which scenarios carry, do not count."""
        if self._base is not None:
            return self._base.fingerprint
        digest = hashlib.sha256()
        if self.folder is not None:
            for path in sorted([*self.folder.glob("*.json"), *self.folder.glob("*/*.jsonl")]):
                digest.update(path.relative_to(self.folder).as_posix().encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def _from_folder(self, environment: str, kind: str) -> Mapping[str, Row]:
        for name in (kind, *ALIASES.get(kind, ())):
            path = self.folder / environment / f"{name}.jsonl" if self.folder else None
            if path is not None and path.is_file():
                return _by_id(_read_lines(path), where=str(path))
        return {}

    def _file(self, name: str) -> Mapping[str, Row]:
        if self._base is not None:
            return self._base._file(name)
        if name not in self._people:
            path = self.folder / f"{name}.json" if self.folder else None
            rows: object = []
            if path is not None and path.is_file():
                rows = _parse(_read(path), where=str(path))
            if not isinstance(rows, list):
                raise DataError(f"{path}: not a JSON list")
            self._people[name] = _by_id(rows, where=str(path))
        return self._people[name]


SELF_USER: Row = {"id": "user000", "isSelf": True, "name": "Chris Taylor", "username": "ctaylor"}
"""Part 3; used when a catalog has no personas."""


def open_catalog(folder: Path | str, *, stubs: bool = False) -> Catalog:
    """Open a folder of catalogs, or a checkout that holds one (`data/catalogs`), or a folder with `_catalogs`.

    Raises:
        DataError: no catalogs there.
    """
    root = Path(folder)
    for candidate in (root / "data" / "catalogs", root / "_catalogs", root):
        if any(candidate.glob("*/*.jsonl")):
            return Catalog(candidate, stubs=stubs)
    raise DataError(
        f"{root}: holds no catalogs (expected <environment>/<kind>.jsonl, as in the original's data/catalogs)"
    )


@cache
def bundled_catalog() -> Catalog:
    """Return our own catalog, which is part of the package."""
    return Catalog(Path(__file__).parent / "catalogs")


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_CATALOG_BYTES:
            raise DataError(f"{path}: larger than {MAX_CATALOG_BYTES} bytes, which no catalog is")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: not readable: {error}") from error


def _parse(text: str, *, where: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON: {error}") from error


def _read_lines(path: Path) -> Iterable[Row]:
    # splitlines() would also break at U+2028 and the like, which JSON strings may hold.
    for number, line in enumerate(_read(path).split("\n"), start=1):
        if line.strip():
            row = _parse(line, where=f"{path}:{number}")
            if not isinstance(row, dict):
                raise DataError(f"{path}:{number}: not a JSON object")
            yield row


def _by_id(rows: Iterable[Row], *, where: str) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for row in rows:
        camel = {_camel(key): value for key, value in row.items()}
        key = next((camel[name] for name in _KEYS if camel.get(name) is not None), None)
        if key is None:
            raise DataError(f"{where}: a row has none of {', '.join(_KEYS)}: {str(row)[:80]}")
        found[str(key)] = camel
    return found


def _camel(key: str) -> str:
    return re.sub(r"_+([a-z0-9])", lambda match: match[1].upper(), key)
