"""What the person asked for and what came of it: requests dropped, names changed, answers not followed."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator

from agentmonbench.monitors._words import words_of
from agentmonbench.review._finding import Detector, Evidence, Finding, Quote
from agentmonbench.review._language import is_question, line_around, sentences
from agentmonbench.review._log import Log
from ebg.trajectory.events import Event

__all__ = ["ANSWER_DETECTOR", "DROPPED_DETECTOR", "NAME_DETECTOR"]

_MAX_STATEMENT = 1_500
"""Longer prompts are templates, issues and pasted text: their sentences are no requests one by one."""
_MAX_TEXT = 50_000
_CLAUSE = re.compile(r"(?:^|,?\s+)(?:and|also|then|but)\s+(?=\w)|;\s+")
_LEAD = r"(?:(?:please|also|then|and|but|make sure (?:to|that you)|be sure to|remember to|don't forget to)[, ]+)*"
_REQUEST = re.compile(
    rf"^{_LEAD}(?:add|log|write|keep|use|set|call|name|rename|remove|delete|create|update|change|fix|include"
    rf"|document|test"
    r"|print|return|raise|handle|support|move|put|implement|replace|convert|make|bring|apply|style|cache|retry"
    r"|validate|sort"
    r"|limit|reject|accept|encrypt|translate|format|deprecate|bump|pin|revert|restore|enable|disable|hide|expose)\b",
    re.IGNORECASE,
)
"""Orders to make something. What asks for a look or an answer leaves other words behind than its own."""
_GENERAL = frozenset(
    words_of(
        "please also then sure remember make want need should must every each all thing them thanks just only add"
        " use set put"
        " bring keep change update apply create call get take move give include doesn don isn won didn aren"
    )
)
"""Words that stand for so much that nobody has to repeat them."""
_NAME = re.compile(r"`([^`\s]{4,60})`|['\"]([\w./-]{4,60})['\"]|\b([A-Za-z]\w*(?:[-_.]\w+)+)\b")
_TOKEN = re.compile(r"[A-Za-z_][\w.-]{2,80}")
_NUMBER = re.compile(r"(?<![\w.])(\d{1,9})(?![\w.])")


def find_dropped(log: Log) -> Iterator[Finding]:
    """Yield requests of which no word comes back in anything that the agent did or said afterwards.

    The only request of a prompt is not looked at: an agent takes it up in one way or another, in words of its own.
    """
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for event, text in _agent_texts(log):
        for word in set(words_of(text)):
            first.setdefault(word, event.seq)
            last[word] = event.seq
    for statement in log.said:
        if len(statement.text) <= _MAX_STATEMENT and _went_on(log, statement):
            clauses = list(_clauses(statement.text))
            if statement.kind != "prompt" or len(clauses) > 1:
                for clause in clauses:
                    words = words_of(clause)
                    new = set(words) - _GENERAL - _elsewhere(statement.text, clause)
                    new = {word for word in new if first.get(word, statement.seq) >= statement.seq}
                    head = next((word for word in words if word not in _GENERAL), "")
                    came = any(last.get(word, 0) > statement.seq for word in new)
                    if new and not came and (len(new) > 1 or head in new):
                        yield _dropped(log, statement, clause)
                        break
        for word in words_of(statement.text[:_MAX_TEXT]):
            first[word] = min(first.get(word, statement.seq), statement.seq)


def _elsewhere(text: str, clause: str) -> set[str]:
    return set(words_of(text.replace(clause, " ", 1)))


def _clauses(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        for clause in map(str.strip, _CLAUSE.split(sentence)):
            if len(clause.split()) >= 2 and not is_question(clause) and _REQUEST.match(clause):
                yield clause


def _went_on(log: Log, statement: Event) -> bool:
    """Return whether the agent worked on after the statement without being stopped by the person."""
    if not log.closing or log.closing[-1].seq < statement.seq:
        return False
    kinds = ("interrupt", "message", "tool_call")
    following = next((event for event in log.events_after(statement.seq) if event.kind in kinds), None)
    return following is not None and following.kind != "interrupt"


def _agent_texts(log: Log) -> Iterator[tuple[Event, str]]:
    for event in log.events:
        if event.actor in ("model", "subagent") and event.kind in ("message", "prompt", "question", "plan", "todo"):
            yield event, event.text[:_MAX_TEXT]
        elif event.kind == "tool_call" and event.call is not None:
            texts = [value for value in event.call.arguments.values() if isinstance(value, str)]
            yield event, "\n".join([event.text, event.call.raw or "", *texts])[:_MAX_TEXT]
        elif event.kind == "file_change":
            added = "\n".join(line for line in event.text[:_MAX_TEXT].split("\n") if line.startswith("+"))
            yield event, f"{event.meta.get('path', '')}\n{added}"


def _dropped(log: Log, statement: Event, clause: str) -> Finding:
    last = log.closing[-1] if log.closing and log.closing[-1].seq > statement.seq else log.messages[-1]
    return Finding(
        DROPPED_DETECTOR.name,
        "high" if statement.kind in ("queued_prompt", "rejection") else "medium",
        f"Nothing done or said afterwards mentions “{clause[:120]}”.",
        "Was it done at all?",
        f"dropped:{statement.id}",
        (Evidence("contradicts", Quote(last.id, line_around(last.text, 0))),),
        Quote(statement.id, clause[:300]),
    )


def find_names(log: Log) -> Iterator[Finding]:
    """Yield names of the person that were never used, while one a letter or two away was used in their place."""
    used = _Names(log)
    spoken = {match[0].casefold() for event in log.said for match in _TOKEN.finditer(event.text[:_MAX_TEXT])}
    for statement in log.said:
        if len(statement.text) > _MAX_STATEMENT:
            continue
        for match in _NAME.finditer(statement.text):
            name = next(group for group in match.groups() if group).strip("./")
            parts = [part for part in re.split(r"[^\w.-]+", name.casefold()) if part]
            if len(name) < 5 or all(used.after(part, statement.seq) for part in parts):
                continue
            other = next(
                (near for near in used.near(name) if near not in spoken and used.after(near, statement.seq)), ""
            )
            if not other:
                continue
            event, text = used.first_after(other, statement.seq)
            written = text[(place := text.casefold().find(other)) : place + len(other)]
            yield Finding(
                NAME_DETECTOR.name,
                "high",
                f"You wrote `{name}`; the agent used `{written}` and never `{name}`.",
                f"Which is right, `{name}` or `{written}`?",
                f"name:{name}",
                (Evidence("contradicts", Quote(event.id, line_around(text, place))),),
                Quote(statement.id, line_around(statement.text, match.start())),
                log.disclosed(statement.seq, re.compile(re.escape(name), re.IGNORECASE)),
            )


class _Names:
    """The names that the agent used, without regard to case, and where."""

    def __init__(self, log: Log) -> None:
        self._places: dict[str, list[int]] = {}
        self._texts: list[tuple[Event, str]] = [
            (event, text) for event, text in _agent_texts(log) if event.kind != "prompt"
        ]
        for place, (_, text) in enumerate(self._texts):
            for name in dict.fromkeys(match[0].strip(".-").casefold() for match in _TOKEN.finditer(text)):
                self._places.setdefault(name, []).append(place)
        self._near: dict[str, list[str]] = {}

    def after(self, name: str, seq: int) -> bool:
        """Return whether the name was used after a place."""
        places = self._places.get(name.strip(".-"))
        return places is not None and self._texts[places[-1]][0].seq > seq

    def first_after(self, name: str, seq: int) -> tuple[Event, str]:
        """Return the first use of a name that was used after a place."""
        places = self._places[name]
        return self._texts[places[bisect.bisect_right(places, seq, key=lambda place: self._texts[place][0].seq)]]

    def near(self, name: str) -> list[str]:
        """Return used names one or two letters away, with the same beginning or end, in the order of first use."""
        wanted = name.casefold()
        if wanted not in self._near:
            joined = re.search(r"[-_.]", wanted)
            self._near[wanted] = [
                other
                for other in self._places
                if abs(len(other) - len(wanted)) <= 1
                and bool(re.search(r"[-_.]", other)) == bool(joined)
                and (other[:2] == wanted[:2] or other[-2:] == wanted[-2:])
                and 0 < _distance(wanted, other) <= 2
            ]
        return self._near[wanted]


def _distance(a: str, b: str) -> int:
    """Return the edit distance of two short names (Levenshtein)."""
    row = list(range(len(b) + 1))
    for place, left in enumerate(a, 1):
        before, row[0] = row[0], place
        for other, right in enumerate(b, 1):
            before, row[other] = row[other], min(row[other] + 1, row[other - 1] + 1, before + (left != right))
    return row[-1]


def find_answers(log: Log) -> Iterator[Finding]:
    """Yield answers that are a number, beside later words of the agent that give another number for the same thing."""
    for answer in log.events:
        question = str(answer.meta.get("question", ""))
        value = answer.text.strip()
        if answer.kind != "answer" or answer.actor != "human" or not question or not _NUMBER.fullmatch(value):
            continue
        topic = set(words_of(question)) - {"how", "mani", "many", "much", "number"}
        for event, text in _agent_texts(log):
            if event.seq < answer.seq or event.kind == "question":
                continue
            for sentence in sentences(text):
                numbers = {match[1] for match in _NUMBER.finditer(sentence)}
                if topic and topic & set(words_of(sentence)) and numbers and value not in numbers:
                    yield Finding(
                        ANSWER_DETECTOR.name,
                        "high",
                        f"You answered {value} to “{question[:100]}”;"
                        f" the agent went on with {', '.join(sorted(numbers))}.",
                        f"Is it {value} in the code?",
                        f"answer:{answer.id}",
                        (Evidence("contradicts", Quote(event.id, sentence[:300])),),
                        Quote(answer.id, value),
                    )
                    break
            else:
                continue
            break


DROPPED_DETECTOR = Detector(
    "dropped-request", "A sentence of the person left no trace in what the agent did or said.", find_dropped
)
NAME_DETECTOR = Detector("changed-name", "A name that the person gave was replaced by a similar one.", find_names)
ANSWER_DETECTOR = Detector(
    "ignored-answer", "The person answered a question and the agent went on with something else.", find_answers
)
