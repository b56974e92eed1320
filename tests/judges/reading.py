"""How the tests read what a judge was shown."""

from __future__ import annotations

import json
from typing import Any

from judges import Question


def data_of(question: Question) -> Any:
    """Return the JSON object that stands in the fence of a question."""
    lines = question.messages[1].content.split("\n")
    (start,) = [index for index, line in enumerate(lines) if line.startswith("<<<DATA ")]
    assert lines[start + 2] == f"{lines[start].removeprefix('<<<DATA ')} DATA>>>"
    return json.loads(lines[start + 1])
