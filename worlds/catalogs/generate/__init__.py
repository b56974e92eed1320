"""The bundled catalogs: everything in them is invented, and follows from word banks and one seed.

``python -m worlds.catalogs.generate`` writes the files again; a test compares them byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from worlds.catalogs.generate._banks import Files, Row
from worlds.catalogs.generate._chat import make_chat
from worlds.catalogs.generate._din import make_din
from worlds.catalogs.generate._entities import entity_rows
from worlds.catalogs.generate._fy import make_fy
from worlds.catalogs.generate._gram import make_gram
from worlds.catalogs.generate._hood import make_hood
from worlds.catalogs.generate._hub import make_hub
from worlds.catalogs.generate._lendar import make_lendar
from worlds.catalogs.generate._mail import make_mail
from worlds.catalogs.generate._people import make_people, user_rows
from worlds.catalogs.generate._scholar import make_scholar
from worlds.catalogs.generate._tube import make_tube

__all__ = ["catalog_files"]


def catalog_files() -> Iterator[tuple[str, bytes]]:
    """Yield every bundled file as a path below the folder of catalogs and its bytes, in a fixed order."""
    people = make_people()
    yield "users.json", _array(user_rows(people))
    yield "entities.json", _array(entity_rows())
    worlds: dict[str, Files] = {
        "micromail": make_mail(people),
        "microchat": make_chat(people),
        "microdin": make_din(people),
        "microfy": make_fy(),
        "microgram": make_gram(people),
        "microhood": make_hood(),
        "microhub": make_hub(people),
        "microlendar": make_lendar(),
        "microscholar": make_scholar(people),
        "microtube": make_tube(people),
    }
    for world, tables in worlds.items():
        for name, rows in tables.items():
            yield f"{world}/{name}", "".join(f"{_line(row)}\n" for row in rows).encode()


def _line(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False)


def _array(rows: list[Row]) -> bytes:
    """Return a JSON array with one row a line, so that a change shows as few lines."""
    return ("[\n" + ",\n".join(_line(row) for row in rows) + "\n]\n").encode()
