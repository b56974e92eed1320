"""Shell command lines, read without running them: commands, their words, and what hides an exit code."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Command", "commands_of"]

_MAX_CHARS = 20_000
_MAX_DEPTH = 2
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_]\w*)\1")
_RUNNERS = {
    # Programs that run the one named after them, with the number of words of their own that may follow.
    "sudo": 0,
    "time": 0,
    "nice": 0,
    "nohup": 0,
    "env": 0,
    "exec": 0,
    "command": 0,
    "npx": 0,
    "bunx": 0,
    "pipx": 1,
    "timeout": 1,
    "xvfb-run": 0,
}
_RUN_SUBCOMMAND = frozenset({"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda"})


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command of a command line."""

    words: tuple[str, ...]
    """Without leading assignments and without programs that only run another; never empty."""
    text: str
    """As written."""
    before: str
    """The operator before it: empty, `&&`, `||`, `;` or `|`."""
    after: str
    """The operator behind it, empty for the last."""
    body: str = ""
    """Text of its here-document."""

    @property
    def program(self) -> str:
        """Name of the program, without its folder."""
        return self.words[0].rsplit("/", 1)[-1]

    def has(self, *words: str) -> bool:
        """Return whether one of `words` is among the arguments."""
        return any(word in words for word in self.words[1:])


def commands_of(line: str) -> tuple[Command, ...]:
    """Return the simple commands of a command line in order; `sh -c` is looked into."""
    return tuple(_commands(line[:_MAX_CHARS], _MAX_DEPTH))


def _commands(line: str, depth: int) -> Iterator[Command]:
    line, bodies = _without_heredocs(line)
    pieces = list(_pieces(line))
    for place, (text, before) in enumerate(pieces):
        words = _split(text)
        if not words:
            continue
        after = pieces[place + 1][1] if place + 1 < len(pieces) else ""
        found = _HEREDOC.search(text)
        command = Command(tuple(words), text.strip(), before, after, bodies.get(found[2], "") if found else "")
        if command.program in _SHELLS and depth and len(words) > 2 and words[1].startswith("-") and "c" in words[1]:
            yield from _commands(words[2], depth - 1)
        else:
            yield command


def _without_heredocs(line: str) -> tuple[str, dict[str, str]]:
    """Return the line without the bodies of its here-documents, and these by their end mark."""
    if "<<" not in line:
        return line, {}
    kept: list[str] = []
    bodies: dict[str, str] = {}
    mark = ""
    body: list[str] = []
    for row in line.split("\n"):
        if mark:
            if row.strip() == mark:
                bodies[mark], mark = "\n".join(body), ""
            else:
                body.append(row)
            continue
        kept.append(row)
        if found := _HEREDOC.search(row):
            mark, body = found[2], []
    if mark:
        bodies[mark] = "\n".join(body)
    return "\n".join(kept), bodies


def _pieces(line: str) -> Iterator[tuple[str, str]]:
    """Yield the simple commands as text, each with the operator before it."""
    start = place = 0
    before = quote = ""
    while place < len(line):
        char = line[place]
        if char == "\\":
            place += 2
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in ";|&\n":
            double = line[place : place + 2]
            operator = double if double in ("&&", "||") else ";" if char in ";\n" else char
            redirect = char == "&" and (line[place - 1 : place] == ">" or line[place + 1 : place + 2] == ">")
            if not redirect and not (char == "|" and line[place - 1 : place] == ">"):
                yield line[start:place], before
                place += len(double) if double in ("&&", "||") else 1
                start, before = place, ";" if operator == "&" else operator
                continue
        place += 1
    yield line[start:], before


def _split(text: str) -> list[str]:
    try:
        words = shlex.split(text, comments=False)
    except ValueError:
        words = text.split()
    return _program_first([word for word in words if word not in ("(", ")", "{", "}", "!", "then", "do", "else")])


def _program_first(words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest:
        name = rest[0].rsplit("/", 1)[-1]
        if _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif name in _RUNNERS and len(rest) > 1:
            rest = rest[1:]
            while rest and rest[0].startswith("-"):
                rest = rest[1:]
            rest = rest[_RUNNERS[name] :]
        elif name in _RUN_SUBCOMMAND and rest[1:2] == ["run"]:
            rest = rest[2:]
            while rest and rest[0].startswith("-"):
                rest = rest[1:]
        else:
            break
    return rest
