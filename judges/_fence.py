"""Material of others inside a judge's message: one JSON line between two marker lines that it cannot imitate.

The marker is a hash over all of the material, so equal input gives equal bytes (a cached judge is not paid again) and
whoever writes the material would have to find a text that contains its own hash. JSON leaves no line break in the
material, so it cannot even begin a line. Both are checked, not assumed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from judges import prompts

__all__ = ["fenced", "marker_for"]

MARKER_CHARS = 32


def fenced(material: Mapping[str, object], *, sort_keys: bool = False, seed: str = "") -> str:
    """Return the user message that shows `material` as data.

    Args:
        material: JSON values only.
        sort_keys: canonical key order instead of the given one.
        seed: changes the marker, for example in a test of robustness.
    """
    data = json.dumps(material, ensure_ascii=False, sort_keys=sort_keys, separators=(",", ":"), allow_nan=False)
    # Half of a surrogate pair cannot be sent; it is replaced as any reader of the file would.
    data = data.encode("utf-8", "replace").decode("utf-8")
    return prompts.fill("data", marker=marker_for(data, seed=seed), data=data)


def marker_for(data: str, *, seed: str = "") -> str:
    """Return a marker of 32 hexadecimal digits that does not occur in `data`."""
    attempt = 0
    while True:
        marker = hashlib.sha256(f"{seed}\0{attempt}\0{data}".encode()).hexdigest()[:MARKER_CHARS]
        if marker not in data:
            return marker
        attempt += 1
