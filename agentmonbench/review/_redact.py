"""What must not leave the machine or reach a file: secrets, e-mail addresses, home folders.

Known shapes only, each replaced by a mark that says what stood there. A secret of no known shape that has no telling
name beside it is not recognised; `docs/review.md` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ebg.trajectory.events import Session, ToolCall

__all__ = ["Redact", "keep", "redact_session", "redactor"]

Redact = Callable[[str], str]

_MAX_DEPTH = 50
_SECRET = "[secret]"  # noqa: S105  # the mark, no password
_SHAPES: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    # Letters, in lower case, without which the pattern cannot match; then the pattern.
    (
        ("-----begin",),
        re.compile(
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
        ),
    ),
    (("akia", "asia", "aroa", "aida"), re.compile(r"\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b")),
    (
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
        re.compile(r"\b(?:gh[pousr]_\w{20,255}|github_pat_\w{20,255}|glpat-[\w-]{20,100})"),
    ),
    (
        ("sk-", "pk-", "rk-", "sk_", "pk_", "rk_"),
        re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,300}|\b(?:sk|pk|rk)_(?:live|test)_\w{10,200}"),
    ),
    (
        ("xox", "xapp", "hooks.slack"),
        re.compile(r"\b(?:xox[abeoprs]|xapp)-[\w-]{10,250}|hooks\.slack\.com/services/[\w/]{10,200}"),
    ),
    (("aiza", "ya29."), re.compile(r"\bAIza[\w-]{35}\b|\bya29\.[\w-]{20,300}")),
    (
        ("hf_", "hf-", "npm_", "npm-", "pypi", "dop_v1", "shpat", "sbp_"),
        re.compile(r"\b(?:hf|npm|pypi|dop_v1|shpat|sbp)[_-][A-Za-z0-9_-]{20,250}"),
    ),
    (("eyj",), re.compile(r"\beyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{0,2000}")),
)
_BEARER = re.compile(r"\b(?P<kind>Bearer|Basic|token)(?P<gap>[ \t]{1,3})(?P<value>[\w.~+/=-]{16,4000})", re.IGNORECASE)
_LOGIN = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.-]{1,20}://)[^\s:/@'\"]{1,200}:[^\s@'\"]{1,200}@")
_NAMED = re.compile(
    r"(?P<name>(?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?key|auth[_-]?token|token"
    r"|passw(?:or)?d|passphrase"
    r"|private[_-]?key|credential)s?\\?['\"]?(?P<gap>[ \t]{0,3}(?:=|:)["
    r" \t]{0,3}))(?P<quote>\\?['\"]?)(?P<value>[^\s'\"\\,;{}()<>$]{8,500})",
    re.IGNORECASE,
)
_PLAIN_VALUE = re.compile(
    r"^(?:[A-Z_]+|[a-z_]+|[a-z]+(?:[-.][a-z]+)+|true|false|null|none|\*+|x+|\.\.\.)$|\.(?:get|env)\b|^process\.|^os\."
)
_EMAIL = re.compile(
    # A name also begins behind an escaped line end of JSON.
    r"(?:(?<=\\[ntr])|(?<![\w.+/\\-]))(?!git@)\w(?:[\w.+-]{0,62}\w)?@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
)
_HOME = re.compile(
    r"(?:/Users|/home|/var/home|[A-Za-z]:\\{1,4}Users)(?P<slash>/|\\{1,4})(?P<name>[^\s/\\'\"`:;,)<>\]|]{1,64})"
)
_HOME_SLUG = re.compile(r"-(?:Users|home)-[A-Za-z0-9_.]{1,64}(?=-|\b)")
_SHARED = frozenset({"shared", "public", "linuxbrew"})


def keep(text: str) -> str:
    """Return the text as it is: what `--no-redact` asks for."""
    return text


def redactor(homes: Iterable[str | Path] = ()) -> Redact:
    """Return the function that redacts a text.

    Args:
        homes: home folders to hide beside those that their place gives away, for example that of the user.
    """
    known = sorted({str(home).rstrip("/\\") for home in homes} - {"", "/"}, key=len, reverse=True)

    def redact(text: str) -> str:
        # Most texts hold nothing private, and looking for a word is much faster than matching a pattern.
        low = text.lower()

        def holds(*words: str) -> bool:
            return any(word in low for word in words)

        for words, shape in _SHAPES:
            if holds(*words):
                text = shape.sub(_SECRET, text)
        if "://" in low and "@" in low:
            text = _LOGIN.sub(lambda match: f"{match['scheme']}{_SECRET}@", text)
        if holds("bearer", "basic", "token"):
            text = _BEARER.sub(_bearer, text)
        if holds("key", "secret", "token", "passw", "passphrase", "credential"):
            text = _NAMED.sub(_named, text)
        if "@" in low:
            text = _EMAIL.sub("[email]", text)
        for home in known:
            if home in text:
                text = re.sub(re.escape(home) + r"(?=[/\\\s'\"`:;,)\]]|$)", "~", text)
        if holds("users", "/home"):
            text = _HOME.sub(lambda match: match[0] if match["name"].casefold() in _SHARED else "~", text)
        return _HOME_SLUG.sub("-~", text) if holds("-users-", "-home-") else text

    return redact


def redact_session(session: Session, redact: Redact) -> Session:
    """Return a session whose every text is redacted, so that nothing can be cut through the middle of a secret."""
    if redact is keep:
        return session
    events = tuple(
        replace(event, text=redact(event.text), call=_call(event.call, redact), meta=_value(event.meta, redact))
        for event in session.events
    )
    return replace(session, events=events, cwd=redact(session.cwd) if session.cwd else session.cwd)


def _call(call: ToolCall | None, redact: Redact) -> ToolCall | None:
    if call is None:
        return None
    return replace(
        call,
        arguments=_value(call.arguments, redact),
        raw=redact(call.raw) if call.raw is not None else None,
        paths=tuple(redact(path) for path in call.paths),
        command=redact(call.command) if call.command is not None else None,
    )


def _value(value: Any, redact: Redact, depth: int = 0) -> Any:
    """Return JSON values with every text redacted; what is nested deeper than arguments ever are is left out."""
    if isinstance(value, str):
        return redact(value)
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        return {key: _value(item, redact, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_value(item, redact, depth + 1) for item in value]
    return value


def _bearer(match: re.Match[str]) -> str:
    if match["kind"].casefold() == "token" and not re.search(r"\d", match["value"]):
        return match[0]
    return f"{match['kind']}{match['gap']}{_SECRET}"


def _named(match: re.Match[str]) -> str:
    if _PLAIN_VALUE.search(match["value"]) or match["value"].startswith("["):
        return match[0]
    return f"{match['name']}{match['quote']}{_SECRET}"
