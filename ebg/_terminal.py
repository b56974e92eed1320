"""What the command writes to a terminal: plain text and JSON that cannot steer it."""

from __future__ import annotations

import json
import sys

from ebg.text import visible

__all__ = ["fail", "print_json", "print_text"]


def print_text(text: str) -> None:
    """Write a text and a newline to stdout; what the terminal's encoding lacks is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(visible(text).encode(encoding, "backslashreplace").decode(encoding) + "\n")


def print_json(value: object) -> None:
    """Write a value as indented JSON to stdout, escaped to ASCII: any terminal and any program reads it."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def fail(problem: object, code: int) -> int:
    """Write a problem to stderr and return the exit code."""
    text = visible(f"ebg: {problem}").encode("utf-8", "backslashreplace").decode("utf-8")
    sys.stderr.write(text + "\n")
    return code
