"""Which paths and ids may occur in a bundle (specification part 1.3)."""

from __future__ import annotations

import re

from subsets._limits import MAX_NAME_BYTES, MAX_PATH_BYTES, MAX_PATH_PARTS

__all__ = ["id_fault", "path_fault"]

# Ids become file names of runs and reports, so they are held to what every file system and shell takes.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DRIVE = re.compile(r"[A-Za-z]:")
# Controls, line separators, bidirectional marks and lone surrogates: they let a name show as another one, or steer a
# terminal, or cannot be encoded at all.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def path_fault(path: str) -> str | None:
    """Return why `path` is no canonical relative path with forward slashes, or None when it is one."""
    parts = path.split("/")
    # Characters first: what follows may take for granted that the path can be encoded.
    if _INVISIBLE.search(path):
        fault = "holds control, bidirectional or undecodable characters"
    elif path.startswith("/") or _DRIVE.match(path):
        fault = "is absolute"
    elif "\\" in path:
        fault = "holds a backslash; parts are joined by forward slashes"
    elif "" in parts or "." in parts or ".." in parts:
        fault = "is not canonical: it has a part that is empty, '.' or '..'"
    elif len(parts) > MAX_PATH_PARTS:
        fault = f"has more than {MAX_PATH_PARTS} parts"
    elif len(path.encode()) > MAX_PATH_BYTES:
        fault = f"is longer than {MAX_PATH_BYTES} bytes"
    elif len(path.encode()) > MAX_NAME_BYTES and any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        fault = f"has a part longer than {MAX_NAME_BYTES} bytes"
    else:
        return None
    return fault


def id_fault(example_id: str) -> str | None:
    """Return why `example_id` cannot name an example, or None."""
    if _ID.fullmatch(example_id):
        return None
    return "is no id: letters, digits, '.', '_' and '-', at most 100, beginning with a letter or digit"
