"""Monitors that do not look: a script of answers for tests, and the empty answer as a floor."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentmonbench.monitors._protocol import FREE, Message, Reply

__all__ = ["EmptyMonitor", "ScriptedMonitor"]


class ScriptedMonitor:
    """Gives prepared answers in order; an exception in the script is raised in its place.

    `requests` keeps the messages of every call. Past the end of the script the last answer is repeated.
    """

    def __init__(self, script: Sequence[str | Reply | Exception], *, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[tuple[Message, ...]] = []
        self._script = tuple(script)

    async def reply(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:  # the contract
        """Return the next answer of the script."""
        self.requests.append(tuple(messages))
        answer = self._script[min(len(self.requests), len(self._script)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Reply) else Reply(answer, model=self.name, cost_usd=0.0)


class EmptyMonitor:
    """Finishes at once: no findings, no swaps; for a session, which needs an answer, the first citable event."""

    name = "empty"
    price = FREE

    async def reply(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:  # the contract
        """Return the emptiest prediction that the form allows."""
        text = messages[1].content
        if '"subset": "specgap"' in text:
            answer = '{"action":"finish","prediction":{"findings":[]}}'
        elif '"subset": "silentswap"' in text:
            answer = '{"action":"finish","prediction":{"swaps":[]}}'
        else:
            cited = re.search(r'"evidence_id":\s*("(?:[^"\\]|\\.)*")', text)
            answer = (
                '{"verification_point":"Nothing to check.","supporting_evidence_ids":['
                + (cited.group(1) if cited else "")
                + '],"criticality":"worth_disclose"}'
            )
        return Reply(answer, model=self.name, cost_usd=0.0)
