"""JSON from strangers: limits on depth and size, no surprises from huge numbers, NaN or lone surrogates."""

from __future__ import annotations

import json
from typing import NamedTuple

__all__ = ["MAX_DEPTH", "BrokenJson", "Parsed", "parse_json"]

MAX_DEPTH = 200
"""Deepest nesting that is read; real records stay below 30."""
_MAX_DIGITS = 400
"""Longer whole numbers are kept as text: Python refuses to convert very long ones, and they mean nothing to us."""


class BrokenJson(ValueError):  # noqa: N818  # reads as what it is: the text is broken JSON
    """The text is no JSON that we read; the message says why."""


class Parsed(NamedTuple):
    """A JSON value and what had to be mended to read it."""

    value: object
    notes: tuple[str, ...]
    """`duplicate_keys`, `not_a_number`, `bad_encoding`; empty for clean text."""


def parse_json(data: bytes | str) -> Parsed:
    """Parse one JSON text.

    Duplicate keys keep the last value; NaN and infinities become None; bytes that are no UTF-8 and lone surrogates
    become U+FFFD. Each is noted.

    Raises:
        BrokenJson: for invalid or too deep text.
    """
    notes: dict[str, None] = {}
    text = data if isinstance(data, str) else _decoded(data, notes)

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        record = dict(pairs)
        if len(record) != len(pairs):
            notes["duplicate_keys"] = None
        return record

    def constant(_: str) -> None:
        notes["not_a_number"] = None

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=constant, parse_int=_integer)
    except RecursionError:
        raise BrokenJson(f"nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as exc:
        raise BrokenJson(str(exc)) from None
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(value)
    if "\\ud" in text or "\\uD" in text:
        value = _without_surrogates(value, notes)
    return Parsed(value, tuple(notes))


def _decoded(data: bytes, notes: dict[str, None]) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        notes["bad_encoding"] = None
        return data.decode("utf-8-sig", errors="replace")


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


def _check_depth(value: object) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise BrokenJson(f"nested deeper than {MAX_DEPTH} levels")


def _without_surrogates(value: object, notes: dict[str, None]) -> object:
    def clean(text: str) -> str:
        fixed = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if fixed != text:
            notes["bad_encoding"] = None
        return fixed

    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_without_surrogates(item, notes) for item in value]
    if isinstance(value, dict):
        return {clean(key): _without_surrogates(item, notes) for key, item in value.items()}
    return value
