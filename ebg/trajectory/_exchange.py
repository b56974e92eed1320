"""The text of a tool exchange: a call and its result in one piece, as the benchmark writes them.

    Tool invocation:
    {"command": "pytest -q"}

    Tool result: Bash
    3 passed

The same form is written for sessions of every agent, so the graph's rules read one form only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

__all__ = ["INVOCATION_LINE", "Exchange", "compose_exchange", "path_values", "read_invocation", "split_exchange"]

INVOCATION_LINE = "Tool invocation:"
RESULT_LINE = "Tool result:"
_RESULT = re.compile(r"^Tool result:", re.MULTILINE)
_MAX_PARSED = 1_000_000
"""An invocation longer than this is searched as text only."""
_PATH_KEY = re.compile(
    r"(?:^|_)(?:file|files|filename|path|paths|notebook|symbol|test|tests|branch|job|run|task|url|uri|command|cmd"
    r"|pattern|query|target)(?:_?(?:id|path|file|name|uri))?$",
    re.IGNORECASE,
)


class Exchange(NamedTuple):
    """The two halves of an exchange; `output` begins with the result line and is empty when there is no result."""

    invocation: str
    output: str


def compose_exchange(tool: str, arguments: str, output: str | None) -> str:
    """Return the text of an exchange; `output` is None when no result was recorded."""
    call = f"{INVOCATION_LINE}\n{arguments}\n"
    return call if output is None else f"{call}\n{RESULT_LINE} {tool}\n{output}"


def split_exchange(content: str) -> Exchange:
    """Split at the first line that starts with `Tool result:`."""
    marker = _RESULT.search(content)
    if marker is None:
        return Exchange(content, "")
    return Exchange(content[: marker.start()], content[marker.start() :])


def read_invocation(invocation: str) -> Mapping[str, object]:
    """Return the tool's input; empty when it is not one JSON object."""
    start = invocation.find("{")
    if start < 0 or len(invocation) - start > _MAX_PARSED:
        return {}
    try:
        value = json.loads(invocation[start:])
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def path_values(arguments: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield (key, value) of the top-level inputs that name a thing: paths, symbols, ids, commands, patterns."""
    for key, value in arguments.items():
        if not _PATH_KEY.search(key):
            continue
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, str) and item:
                yield key, item
