"""The text in message contents: a string, or a list of typed parts, as most formats have them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

__all__ = ["Content", "as_list", "as_mapping", "as_text", "iso_time", "read_content", "text_parts"]

_TEXT_TYPES = ("text", "input_text", "output_text", "summary_text", "reasoning_text", None)
_LAST_SECOND = 1e11
"""Numbers beyond the year 5138 in seconds are of a finer unit."""
_MEDIA = ("image", "document", "audio", "video", "file", "inline", "blob")


class Content(NamedTuple):
    """What a message holds: its text, and how many parts are no text (images, documents)."""

    text: str
    media: int


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return a text as it is, nothing for None, and JSON for anything else."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def read_content(content: object) -> Content:
    """Return the text of a message's content; parts are joined by line ends."""
    if not isinstance(content, list):
        return Content(as_text(_part_text(content) if isinstance(content, dict) else content), 0)
    texts, media = [], 0
    for part in content:
        if isinstance(part, dict) and str(part.get("type", "")).startswith(_MEDIA):
            media += 1
        else:
            texts.append(_part_text(part))
    return Content("\n".join(text for text in texts if text), media)


def iso_time(value: object) -> str | None:
    """Return a time as text: text as it is, seconds, milliseconds or nanoseconds since 1970 as ISO in UTC."""
    if isinstance(value, str) and not value.isdigit():
        return value or None
    try:
        seconds = float(value)  # type: ignore[arg-type]  # anything else raises
        while seconds > _LAST_SECOND:
            seconds /= 1000
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _part_text(part: object) -> str:
    if not isinstance(part, dict):
        return as_text(part)
    if part.get("type") in _TEXT_TYPES and "text" in part:
        return as_text(part["text"])
    for key in ("text", "content", "tool_name", "refusal"):
        if isinstance(part.get(key), str):
            return str(part[key])
    return as_text(part)


def text_parts(content: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (JSON pointer, part) of a content; a plain string is one text part."""
    if isinstance(content, list):
        for index, part in enumerate(content):
            yield f"/{index}", part if isinstance(part, dict) else {"type": "text", "text": as_text(part)}
    elif content is not None:
        yield "", {"type": "text", "text": as_text(content)}
