"""What the command writes to a terminal: plain text and JSON that cannot steer it."""

from __future__ import annotations

import json
import re
import sys

__all__ = ["fail", "print_json", "print_text"]

# Control characters of terminals, and the marks that reorder text: a file's name or content must not steer a terminal.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def print_text(text: str) -> None:
    """Write a text and a newline to stdout; what the terminal's encoding lacks is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(_plain(text).encode(encoding, "backslashreplace").decode(encoding) + "\n")


def print_json(value: object) -> None:
    """Write a value as indented JSON to stdout, escaped to ASCII: any terminal and any program reads it."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def fail(problem: object, code: int) -> int:
    """Write a problem to stderr and return the exit code."""
    text = _plain(f"ebg: {problem}").encode("utf-8", "backslashreplace").decode("utf-8")
    sys.stderr.write(text + "\n")
    return code


def _plain(text: str) -> str:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
