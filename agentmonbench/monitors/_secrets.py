"""Keys: taken from the environment or a `.env` file, and kept out of everything that is shown or stored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from agentmonbench.errors import UsageError

__all__ = ["Secret", "environment", "scrub"]

_MASK = "[key]"
_SHORTEST = 8  # shorter values are words that occur by themselves
# Forms that keys and credentials take in messages of providers and libraries, whoever's they are.
_FORMS = re.compile(
    r"(?i)\bBearer\s+[\w.~+/=-]{8,}|\b(?:sk|pk|rk|xai|gsk|hf|ghp|glpat|AIza)[-_][\w-]{8,}|\bAIza[\w-]{20,}"
    r"|(?<=//)[^/\s:@]+:[^/\s@]+(?=@)|(?<=[?&])(?:api[-_]?key|key|token|access_token)=[^&\s\"']+"
    r"|(?:api[-_]?key|authorization|x-api-key)[\"']?\s*[:=]\s*[\"']?[\w.~+/=-]{8,}"
)


class Secret:
    """A key that does not show itself."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the key, to be sent and for nothing else."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({_MASK!r})"

    def __reduce__(self) -> str:
        raise TypeError("a secret cannot be stored")


def environment(env_file: Path | None = None) -> dict[str, str]:
    """Return the process's environment, with what a `.env` file adds; the environment wins.

    Args:
        env_file: the file; by default `.env` in the working folder, if there is one.

    Raises:
        UsageError: when a file that was asked for does not exist.
    """
    from dotenv import dotenv_values

    path = env_file or Path(".env")
    if env_file is not None and not env_file.is_file():
        raise UsageError(f"{env_file}: no such file")
    # No interpolation: a key with a dollar sign in it stays what it is.
    found = dotenv_values(path, interpolate=False) if path.is_file() else {}
    return {**{name: value for name, value in found.items() if value is not None}, **os.environ}


def scrub(text: str, secrets: Iterable[Secret] = (), env: Mapping[str, str] | None = None) -> str:
    """Return `text` without the given keys, without the keys of `env`, and without anything in the form of a key."""
    values = [secret.reveal() for secret in secrets]
    values += [value for name, value in (env or {}).items() if re.search(r"(?i)key|token|secret|passw", name)]
    for value in sorted(set(values), key=len, reverse=True):
        if len(value) >= _SHORTEST:
            text = text.replace(value, _MASK)
    return _FORMS.sub(_MASK, text)
