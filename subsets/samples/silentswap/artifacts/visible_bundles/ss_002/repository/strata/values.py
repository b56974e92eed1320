"""Text from the environment and the command line becomes values."""

import json
import re
from typing import Any

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "null": None}
_INTEGER = re.compile(r"[+-]?\d+")
_FLOAT = re.compile(r"[+-]?\d+\.\d+([eE][+-]?\d+)?")


def parse_text(text: str) -> Any:
    """Return the value that `text` stands for; what has no other meaning stays text."""
    stripped = text.strip()
    if stripped.lower() in _WORDS:
        return _WORDS[stripped.lower()]
    if _INTEGER.fullmatch(stripped):
        return int(stripped)
    if _FLOAT.fullmatch(stripped):
        return float(stripped)
    if stripped[:1] in ('"', "[", "{"):
        try:
            return json.loads(stripped)
        except json.JSONDecodeError:
            return text
    return text


def to_text(value: Any) -> str:
    """Write a value into the middle of a text."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)
