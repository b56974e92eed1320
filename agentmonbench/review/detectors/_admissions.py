"""Things the agent takes back: made-up facts, misreadings, wrong assumptions, with what it had said before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentmonbench.review._finding import Detector, Evidence, Finding, Quote
from agentmonbench.review._language import line_around, prose, sentences
from agentmonbench.review._log import Log
from ebg.trajectory.events import Event

__all__ = ["DETECTOR"]

_INVENTED = re.compile(
    r"\b(?:made (?:that|it|this|them|those|these|up)\b.{0,30}\bup\b|made up\b|fabricat(?:ed|ing)|hallucinat(?:ed"
    r"|ing)|invented)",
    re.IGNORECASE,
)
_MISTAKEN = re.compile(
    r"\bI (?:was (?:wrong|mistaken)|misread|misunderstood|misinterpreted|mistakenly|incorrectly|wrongly)\b"
    r"|\bmy (?:mistake|error)\b|\bI should(?:n't| not)? have\b|\bI (?:wrongly |incorrectly )?assumed\b"
    r"|\bI (?:actually )?(?:did not|didn't) (?:actually )?(?:run|check|verify|test)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|I've|my|we)\b")
_HYPOTHETICAL = re.compile(r"\b(?:if|would|could|might|may|don't want to|avoid|to not|never)\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"`([^`\n]{2,60})`|\b(\w+(?:[.:/_-]\w+)+(?:\(\))?)")
_QUESTIONS = frozenset({"rejection", "prompt", "queued_prompt", "answer"})


def find(log: Log) -> Iterator[Finding]:
    """Yield what the agent admits to have invented or got wrong."""
    for message in log.messages:
        admitted = _admission(message.text)
        if admitted is None:
            continue
        sentence, invented = admitted
        challenge = _challenge(log, message)
        names = _names(f"{challenge.text if challenge else ''}\n{sentence}\n{prose(message.text)}")
        earlier, name = _earlier(log, challenge.seq if challenge else message.seq, names)
        about = f" about `{name}`" if name else ""
        if invented:
            decided = f"Made something up{about} and admitted it only when asked: “{sentence[:140]}”"
            if challenge is None:
                decided = f"Made something up{about} and took it back: “{sentence[:140]}”"
            check = "Look for what rests on it: files, plans and messages that still hold it."
        else:
            decided = f"Took back an earlier step{about}: “{sentence[:140]}”"
            check = "Is everything that rested on the mistake undone, and is the new course the one you want?"
        evidence = [Evidence("shows", Quote(message.id, sentence[:300]))]
        if earlier is not None:
            evidence.insert(0, Evidence("shows", earlier))
        yield Finding(
            DETECTOR.name,
            "high" if invented else "medium",
            decided,
            check,
            f"admission:{message.turn}:{'invented' if invented else 'mistaken'}",
            tuple(evidence),
            Quote(challenge.id, _asked(challenge.text)) if challenge else log.asked(message.seq, sentence),
            Quote(message.id, sentence[:300]),
        )


def _admission(text: str) -> tuple[str, bool] | None:
    weaker = None
    for sentence in sentences(text):
        if _INVENTED.search(sentence) and _FIRST_PERSON.search(sentence) and not _HYPOTHETICAL.search(sentence):
            return sentence, True
        if weaker is None and _MISTAKEN.search(sentence):
            weaker = sentence
    return (weaker, False) if weaker else None


def _challenge(log: Log, message: Event) -> Event | None:
    """Return the words of the person that the message answers, when it is the first message after them."""
    last = next((event for event in reversed(log.before(message.seq)) if event.kind in _QUESTIONS), None)
    if last is None:
        return None
    between = [event for event in log.messages if last.seq < event.seq < message.seq and event.agent_id is None]
    return last if len(between) <= 2 and last.turn and len(last.text) < 2_000 else None


def _asked(text: str) -> str:
    parts = sentences(text)
    return (parts[0] if parts else text.strip())[:300]


def _names(text: str) -> list[str]:
    found = (match[1] or match[2] for match in _IDENTIFIER.finditer(text[:4_000]))
    return list(dict.fromkeys(name.strip() for name in found if not name.isdigit()))


def _earlier(log: Log, seq: int, names: list[str]) -> tuple[Quote | None, str]:
    """Return the last act or message before `seq` that holds one of the names, the first name first."""
    for name in names:
        pattern = re.compile(_loose(name), re.IGNORECASE)
        for change in reversed(log.changes):
            text = "\n".join(change.added)
            if change.seq < seq and (found := pattern.search(text)):
                return Quote(change.event, _lines_of(text, found.start(), found.end())), name
        for event in reversed(log.messages):
            if event.seq < seq and (found := pattern.search(event.text)):
                return Quote(event.id, line_around(event.text, found.start())), name
    return None, names[0] if names else ""


def _lines_of(text: str, start: int, end: int) -> str:
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return text[first : last if last >= 0 else len(text)].strip()[:220]


def _loose(name: str) -> str:
    """Return a pattern for a name whose parts may be joined in another way: `git:app`, `git.app`, nested keys."""
    parts = [part for part in re.split(r"[^\w]+", name) if part]
    return r"\b" + r"\W{1,24}".join(re.escape(part) for part in parts) + r"\b" if parts else re.escape(name)


DETECTOR = Detector(
    "admission", "The agent takes back what it had said or done; what rests on it may still stand.", find
)
