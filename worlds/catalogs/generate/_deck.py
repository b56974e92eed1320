"""Text from templates: a small grammar whose alternatives are dealt like cards.

A template holds slots: ``{client}`` is one entry of the bank ``client``, ``{Client}`` the same with a capital, and
``{client2}`` another draw. Within one text equal slots get equal values. Entries are dealt from a shuffled deck that is
refilled only when it is empty, so that nothing repeats before everything else was used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

_SLOT = re.compile(r"\{([A-Za-z]+)(\d*)\}")
_SENTENCE_START = re.compile(r"(^|[.!?:]\n+|[.!?] |\n\n)([a-z])")


class Deck:
    """Deals entries of named banks and fills templates with them; the same seed deals the same."""

    def __init__(self, banks: Mapping[str, Sequence[str]], seed: str) -> None:
        self.rng = Random(seed)  # noqa: S311 - reproducible text, no secret
        self._banks = banks
        self._left: dict[str, list[str]] = {}

    def deal(self, name: str, entries: Sequence[str] | None = None) -> str:
        """Return the next entry of the bank `name`, or of `entries` kept under that name."""
        left = self._left.get(name)
        if not left:
            left = list(entries if entries is not None else self._banks[name])
            self.rng.shuffle(left)
            self._left[name] = left
        return left.pop()

    def say(self, template: str, **known: str) -> str:
        """Fill the slots of `template`, first from `known`, then from the banks, and start sentences with a capital."""
        values: dict[str, str] = {}

        def fill(match: re.Match[str]) -> str:
            name = match[1][0].lower() + match[1][1:]
            slot = name + match[2]
            if slot not in values:
                values[slot] = known[slot] if slot in known else self._other(name, values)
            value = values[slot]
            return value[0].upper() + value[1:] if match[1][0].isupper() else value

        text = _SLOT.sub(fill, template)
        return _SENTENCE_START.sub(lambda match: match[1] + match[2].upper(), text)

    def _other(self, name: str, values: Mapping[str, str]) -> str:
        """Deal an entry of `name` that this text does not use yet (client and client2 must differ)."""
        used = {value for slot, value in values.items() if slot.rstrip("0123456789") == name}
        value = self.deal(name)
        while value in used and len(used) < len(self._banks[name]):
            value = self.deal(name)
        return value
