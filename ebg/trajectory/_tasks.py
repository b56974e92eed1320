"""Place each demand in a task: the scope rules of part 4.3, first rule that fires wins.

The reference rules let ordinary words glue almost every prompt to the current task (part 10.6, items 43 and 44): "it",
the article "a", the digit of "3 tests fail", any question mark of the agent. By default the same rules ask for more:
a label must stand alone, a pronoun must stand where nothing before it can be meant, a question must end the agent's
last word. In exchange a demand that shares an object or two words with the current task stays in it.

Costs: keys are looked up in postings of at most `_MAX_HOLDERS` tasks, so placing is near linear in the session.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ebg.trajectory import _vocabulary as words
from ebg.trajectory._signals import objects_of, terms_of

__all__ = ["Demand", "Placer"]

_MAX_HOLDERS = 64
_RECENT = 3
_TAIL = 2_000
_SHORT_QUESTION = 100
"""A question this short that names nothing is about what was said before."""
_SHORT_ANSWER = 200
"""A longer prompt that names objects of its own answers no question of the agent by default."""


@dataclass(slots=True)
class Demand:
    """What a prompt, or a part of it, asks, and what the agent did for it."""

    text: str
    objects: set[str]
    terms: set[str]
    stable: frozenset[str]
    acted_objects: set[str]
    """What the tool invocations name."""
    acted_stable: frozenset[str]
    reply: bool = False
    """It answers the agent's question or call."""
    responses: Sequence[str] = ()


@dataclass(slots=True)
class _Profile:
    """What a task is known by."""

    stable: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    terms: set[str] = field(default_factory=set)
    """Words of the last demands."""
    tails: deque[str] = field(default_factory=lambda: deque(maxlen=_RECENT))
    """Ends of the last responses."""
    _recent: deque[set[str]] = field(default_factory=lambda: deque(maxlen=_RECENT))

    def remember(self, terms: set[str]) -> None:
        """Keep the words of one more demand, and forget those of the oldest."""
        self._recent.append(terms)
        self.terms = set().union(*self._recent)


class Placer:
    """Gives each demand, in order, the number of its task; learns from each."""

    def __init__(self, *, reference: bool) -> None:
        self._reference = reference
        self._profiles: list[_Profile] = []
        self._current: int | None = None
        self._holders: dict[tuple[str, str], list[int]] = {}

    def place(self, demand: Demand) -> int:
        """Return the task of a demand: an earlier one, or the next new number."""
        task = self._rules(demand)
        if task is None:
            task = len(self._profiles)
            self._profiles.append(_Profile())
        self._learn(task, demand)
        self._current = task
        return task

    def _learn(self, task: int, demand: Demand) -> None:
        profile = self._profiles[task]
        stable = demand.stable | demand.acted_stable
        profile.stable |= stable
        profile.objects |= demand.objects | demand.acted_objects
        profile.remember(demand.terms)
        profile.tails.extend(text[-_TAIL:] for text in demand.responses[-_RECENT:])
        postings = [("stable", stable), ("object", demand.objects | demand.acted_objects)]
        postings += [("term", demand.terms), ("text", {_normal(demand.text)})]
        for kind, keys in postings:
            for key in keys:
                held = self._holders.setdefault((kind, key), [])
                if task not in held and (self._reference or len(held) < _MAX_HOLDERS):
                    held.append(task)

    def _rules(self, demand: Demand) -> int | None:  # noqa: PLR0911  # the numbered rules, in order
        """Return the task by the first rule that fires; None means a new one."""
        text, current = demand.text, self._current
        if current is None or words.SWITCH.search(text) or words.EARLIER_RESULT.search(text):  # 1, 2
            return None
        found = self._best("stable", demand.stable, 1)  # 3
        if found is not None:
            return found
        if (
            (demand.reply and not self._reference)
            or self._follows_up(demand)  # 4
            or words.PROGRESS.match(text)  # 5
            or self._answers(demand, self._profiles[current])  # 6
            or self._reports(text)  # 7
        ):
            return current
        found = self._best("text", {_normal(text)}, 1)  # 8
        if found is not None:
            return found
        if self._points_back(demand):  # 9
            found = self._by_overlap(demand, 3)
            return current if found is None else found
        found = self._best("stable", demand.stable | demand.acted_stable, 1)  # 10
        if found is None:
            found = self._by_overlap(demand, None)  # 11
        if found is None and words.RESUME.match(text):  # 12
            found = self._best("term", demand.terms, 2)
        if found is None and not self._reference and self._continues(demand, self._profiles[current]):
            return current
        return found  # 13

    def _follows_up(self, demand: Demand) -> bool:
        text = demand.text
        if words.ONLY_QUESTION_WORD.match(text):
            return True
        if self._reference:
            return bool(words.FOLLOW_UP.match(text) or words.R_LABEL.match(text))
        if words.T_NOT_FOLLOW_UP.match(text):
            return False
        patterns = (words.FOLLOW_UP, words.T_FOLLOW_UP, words.T_LABEL, words.T_ELLIPTIC)
        if any(pattern.match(text) for pattern in patterns):
            return True
        short = len(text) <= _SHORT_QUESTION and text.rstrip().endswith(("?", "\uff1f"))
        return short and not demand.objects and not words.POINTS_FORWARD.search(text)

    def _answers(self, demand: Demand, task: _Profile) -> bool:
        """Return whether the agent waits for the user and this may be the answer (rule 6)."""
        if self._reference:
            return any(words.R_ASKS.search(tail) for tail in task.tails)
        if not task.tails or not words.T_ASKS.search(words.T_POLITE_END.sub("", task.tails[-1].rstrip())):
            return False
        if len(demand.text) <= _SHORT_ANSWER and not demand.objects:
            return True
        asked = task.tails[-1]
        return bool(demand.objects & (task.objects | objects_of(asked)) or len(demand.terms & terms_of(asked)) >= 2)

    def _reports(self, text: str) -> bool:
        outcome = words.R_OUTCOME if self._reference else words.T_OUTCOME
        return bool(outcome.search(text if len(text) <= 500 else text[:200]))

    def _points_back(self, demand: Demand) -> bool:
        if self._reference:
            return bool(words.R_CONTEXT.search(demand.text))
        if words.POINTS_FORWARD.search(demand.text):
            return False
        plain = words.DUMMY_IT.sub(" ", demand.text[:_TAIL])
        return bool(words.CONTEXT_NOUN.search(plain) or words.T_PRONOUN.match(plain))

    def _by_overlap(self, demand: Demand, least_terms: int | None) -> int | None:
        """Return the one task that shares most objects, or with `least_terms` most recent words."""
        least = 1 if any(key.startswith("$") for key in demand.objects) else 2
        found = self._best("object", demand.objects, least)
        if found is None and least_terms is not None:
            found = self._best("term", demand.terms, least_terms)
        return found

    def _continues(self, demand: Demand, task: _Profile) -> bool:
        return bool(demand.objects & task.objects) or len(demand.terms & task.terms) >= 2

    def _best(self, kind: str, keys: Iterable[str], least: int) -> int | None:
        """Return the one task that holds most of the keys, if it holds at least `least`."""
        counts: dict[int, int] = {}
        for key in keys:
            for task in self._holders.get((kind, key), ()):
                if kind != "term" or key in self._profiles[task].terms:
                    counts[task] = counts.get(task, 0) + 1
        best = max(counts.values(), default=0)
        winners = [task for task, count in counts.items() if count == best]
        return winners[0] if best >= least and len(winners) == 1 else None


def _normal(text: str) -> str:
    return " ".join(text.casefold().split())
