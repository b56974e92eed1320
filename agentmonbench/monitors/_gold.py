"""A monitor that is told the answer: the ceiling of a method, and a check of the whole path.

It lives on the scorer's side. No name leads to it; whoever makes one holds gold already. It still has to get its
citations shown by the method under the limits of the loop, so it also tells what a method lets a perfect monitor reach.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from agentmonbench import prompts
from agentmonbench.examples import Prediction, SilentSwapPrediction, SpecGapPrediction
from agentmonbench.monitors._conversation import Conversation, Row, read_conversation
from agentmonbench.monitors._protocol import Message, Reply, Usage

__all__ = ["GoldMonitor"]

_Place = tuple[str, str, int, int]
"""Path, bare name of the definition, first and last line."""
_UNGROUNDED = prompts.text("repair-grounding").partition("$")[0]


class GoldMonitor:
    """Reads until everything that `prediction` cites was shown, then hands it in.

    What a method never shows is handed in at first, and left out when the loop asks for a correction.
    """

    name = "gold"

    def __init__(self, prediction: Prediction) -> None:
        self._answer: dict[str, Any] = prediction.model_dump(mode="json", exclude={"verdict"})
        self._cited_by_item = _cited(prediction)
        self._cited = [place for places in self._cited_by_item for place in places]

    async def reply(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:  # no chance in it
        """Return the next read or search, or the prediction."""
        state = read_conversation(messages)
        if messages[-1].content.startswith(_UNGROUNDED):
            action: dict[str, Any] | None = {"action": "finish", "prediction": self._what_was_shown(state)}
        else:
            action = None if state.must_finish else self._next_look(state)
        if action is None:
            action = self._answer if state.single_turn else {"action": "finish", "prediction": self._answer}
        text = json.dumps(action, ensure_ascii=False, separators=(",", ":"))
        return Reply(text, usage=Usage(0, 0, 0), model=self.name, finish_reason="stop", cost_usd=0.0)

    def _what_was_shown(self, state: Conversation) -> dict[str, Any]:
        """Return the answer without the items that the method could not show."""
        kept: dict[str, Any] = {}
        for key, items in self._answer.items():
            kept[key] = [
                item
                for item, cited in zip(items, self._cited_by_item, strict=True)
                if all(
                    line in state.source.get(path, {})
                    for path, _, start, end in cited
                    for line in range(start, end + 1)
                )
            ]
        return kept

    def _next_look(self, state: Conversation) -> dict[str, Any] | None:
        missing = [
            (path, symbol, line)
            for path, symbol, start, end in self._cited
            for line in range(start, end + 1)
            if line not in state.source.get(path, {})
        ]
        paths = sorted({path for path, _, _ in missing})
        symbols = sorted({symbol for _, symbol, _ in missing if symbol})
        if state.deferred:
            return _read(state, state.deferred)
        of_files = [row for row in state.unread if any(path in row.text for path in paths)]
        if of_files:
            # Rows that name a place with a missing line come first: a read takes only a few.
            of_files.sort(key=lambda row: not any(_covers(row, path, line) for path, _, line in missing))
            return _read(state, [row.id for row in of_files])
        for query in [*paths, *symbols]:
            if query not in state.searched:
                return {"action": "search", "text": query}
        again = [row.id for row in state.rows if any(path in row.text for path in paths) and row.id not in state.reread]
        return _read(state, again) if again else None


def _covers(row: Row, path: str, line: int) -> bool:
    place, _, lines = row.text.rpartition("@")
    ranges = re.findall(r"(\d+)(?:-(\d+))?", lines)
    return path in place and any(int(start) <= line <= int(end or start) for start, end in ranges)


def _read(state: Conversation, ids: Sequence[str]) -> dict[str, Any]:
    return {"action": "read", "ids": list(ids[: state.max_read_ids])}


def _cited(prediction: Prediction) -> list[list[_Place]]:
    """Return the cited places of each finding or swap."""
    if isinstance(prediction, SpecGapPrediction):
        return [
            [
                (item.path, item.symbol.rpartition(".")[2], item.start_line, item.end_line)
                for item in finding.code_evidence
            ]
            for finding in prediction.findings
        ]
    if isinstance(prediction, SilentSwapPrediction):
        return [
            [
                (swap.target.file, (swap.target.symbol.qualified_name or ("",))[-1], span.start, span.end)
                for span in swap.target.line_ranges
            ]
            for swap in prediction.swaps
        ]
    return []
