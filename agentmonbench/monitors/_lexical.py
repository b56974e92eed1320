"""Monitors without a model: `lexical` compares words of document and code, `random` draws from the same candidates.

Both go through the same loop as a model: they get the messages, search, read and finish. They keep no state between
calls, so equal messages give equal answers. `lexical` is an honest lower bound; `random` is the floor under it.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import Any, Protocol

from agentmonbench.monitors._contradictions import MAX_SWAPS, Suspect, describe_suspect, rank_suspects, suspects_of
from agentmonbench.monitors._conversation import Conversation, Row, read_conversation
from agentmonbench.monitors._decisions import Decision, decisions_of, describe_decisions, rank_decisions
from agentmonbench.monitors._gaps import MAX_FINDINGS, describe_rule, rank_rules
from agentmonbench.monitors._protocol import FREE, Message, Reply, Usage
from agentmonbench.monitors._rules import Rule, rules_of
from agentmonbench.monitors._statements import Statement, statements_of
from agentmonbench.monitors._words import Sentence, sentences_of, words_of

__all__ = ["LexicalMonitor", "RandomMonitor"]

MAX_EVIDENCE = 2
"""Events that are cited; the form allows no more."""
_MAX_SEARCHES = 2
_CODE_NAME = re.compile(r"`(?:\w+\.)*([A-Za-z_]\w{3,})")


class _Ranking(Protocol):
    """Puts candidates in order; the first ones are reported."""

    def rules(self, found: Sequence[Rule], sentences: Sequence[Sentence], document: str) -> Sequence[Rule]: ...

    def suspects(
        self, found: Sequence[Suspect], sentences: Sequence[Sentence]
    ) -> Sequence[tuple[Suspect, Sentence | None]]: ...

    def decisions(self, found: Sequence[Decision]) -> Sequence[Decision]: ...


class LexicalMonitor:
    """Reads what the index offers, compares it with the document, and reports the most suspicious places."""

    name = "lexical"
    price = FREE

    async def reply(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:  # deterministic
        """Return the next action, or the prediction."""
        return _reply(self.name, read_conversation(messages), _ByWords())


class RandomMonitor:
    """Reads like `lexical` and reports candidates drawn at random: what the same effort finds by luck."""

    name = "random"
    price = FREE

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed

    async def reply(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:
        """Return the next action, or the prediction."""
        state = read_conversation(messages)
        return _reply(self.name, state, _ByLot(f"{self._seed}/{repeat}/{state.example}"))


class _ByWords:
    def rules(self, found: Sequence[Rule], sentences: Sequence[Sentence], document: str) -> Sequence[Rule]:
        return rank_rules(found, sentences, document)

    def suspects(
        self, found: Sequence[Suspect], sentences: Sequence[Sentence]
    ) -> Sequence[tuple[Suspect, Sentence | None]]:
        return rank_suspects(found, sentences)

    def decisions(self, found: Sequence[Decision]) -> Sequence[Decision]:
        return rank_decisions(found)


class _ByLot:
    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311  # a floor to compare with, no secret

    def rules(self, found: Sequence[Rule], sentences: Sequence[Sentence], document: str) -> Sequence[Rule]:
        return self._random.sample(found, len(found))

    def suspects(
        self,
        found: Sequence[Suspect],
        sentences: Sequence[Sentence],  # luck does not read
    ) -> Sequence[tuple[Suspect, Sentence | None]]:
        return [(suspect, None) for suspect in self._random.sample(found, len(found))]

    def decisions(self, found: Sequence[Decision]) -> Sequence[Decision]:
        return self._random.sample(found, len(found))


def _reply(name: str, state: Conversation, ranking: _Ranking) -> Reply:
    action = None if state.must_finish else _next_look(state)
    if action is None:
        prediction = _prediction(state, ranking)
        action = prediction if state.single_turn else {"action": "finish", "prediction": prediction}
    text = json.dumps(action, ensure_ascii=False, separators=(",", ":"))
    return Reply(text, usage=Usage(0, 0, 0), model=name, finish_reason="stop", cost_usd=0.0)


def _next_look(state: Conversation) -> dict[str, Any] | None:
    """Return the next search or read, or None when nothing is left to look at."""
    wanted = [*state.deferred, *(row.id for row in _by_relevance(state))]
    if wanted:
        return {"action": "read", "ids": list(dict.fromkeys(wanted))[: state.max_read_ids]}
    if len(state.searched) < _MAX_SEARCHES:
        shown = {word for lines in state.source.values() for line in lines.values() for word in line.text.split()}
        text = " ".join(sorted(shown))
        for name in _CODE_NAME.findall(state.document):
            if name not in text and name not in state.searched:
                return {"action": "search", "text": name}
    return None


def _by_relevance(state: Conversation) -> list[Row]:
    """Return unread rows, those whose words the document has first."""
    spoken = frozenset(words_of(state.document))
    return sorted(state.unread, key=lambda row: -len(spoken & frozenset(words_of(row.text))))


def _prediction(state: Conversation, ranking: _Ranking) -> dict[str, Any]:
    if state.subset == "feedbacktrace":
        decisions = ranking.decisions(decisions_of(state.record))
        return describe_decisions(decisions[:MAX_EVIDENCE]) if decisions else {}
    sentences = sentences_of(state.document)
    python = [path for path in sorted(state.source) if path.endswith((".py", ".pyw"))]
    files: list[Sequence[Statement]] = [statements_of(path, state.source[path]) for path in python]
    if state.subset == "specgap":
        rules = ranking.rules([rule for file in files for rule in rules_of(file)], sentences, state.document)
        return {"findings": [describe_rule(rule, number) for number, rule in enumerate(rules[:MAX_FINDINGS], 1)]}
    suspects = ranking.suspects([suspect for file in files for suspect in suspects_of(file)], sentences)
    return {"swaps": [describe_suspect(*item) for item in suspects[:MAX_SWAPS]]}
