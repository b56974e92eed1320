"""Strict JSON: one meaning for every document, and no document that costs more than its size.

Refused besides broken syntax: duplicate keys, NaN and infinities, integers past 64 bits, lone surrogates, and documents
that are too large, too deep or made of too many parts (limits in `_limits`).
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from subsets._limits import MAX_INTEGER_DIGITS, MAX_JSON_BYTES, MAX_JSON_DEPTH, MAX_JSON_NODES, MAX_NUMBER_CHARS
from subsets._problems import Ledger, RuleBroken, shape_rules

__all__ = ["dump_json", "parse_json", "read_model"]

_Model = TypeVar("_Model", bound=BaseModel)

# Whole strings are skipped in one step; a quote that opens no whole string ends the scan, which keeps it linear.
_PARTS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},:]', re.DOTALL)


def parse_json(data: bytes) -> object:
    """Return the document that `data` holds.

    Raises:
        RuleBroken: the first rule that it breaks.
    """
    if len(data) > MAX_JSON_BYTES:
        raise RuleBroken(f"has {len(data):,} bytes; at most {MAX_JSON_BYTES:,} are read as JSON")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RuleBroken(f"is not UTF-8 at byte {error.start}") from None
    _check_size(text)
    try:
        document = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise RuleBroken(f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    # A lone surrogate can only come from an escape, and cannot be written to any file or request later.
    if "\\u" in text:
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise RuleBroken("holds an unpaired surrogate escape, which is no text") from None
    return document


def read_model(data: bytes, file: str, model: type[_Model], ledger: Ledger) -> _Model | None:
    """Return the `model` that the JSON document `data` of `file` holds, or None with the reasons in `ledger`."""
    try:
        return model.model_validate(parse_json(data))
    except RuleBroken as broken:
        ledger.error(file, str(broken))
    except ValidationError as error:
        for rule in shape_rules(error):
            ledger.error(file, rule)
    return None


def dump_json(document: object) -> bytes:
    """Return `document` in the release's form: UTF-8, two spaces of indent, a newline at the end, keys as given."""
    return (json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _check_size(text: str) -> None:
    depth = nodes = 0
    for match in _PARTS.finditer(text):
        part = match.group()
        if part == '"':
            raise RuleBroken("is not JSON: a string is not closed")
        if len(part) > 1:
            continue
        nodes += 1
        if part in "[{":
            depth += 1
        elif part in "]}":
            depth -= 1
        if depth > MAX_JSON_DEPTH:
            raise RuleBroken(f"is nested deeper than {MAX_JSON_DEPTH} levels")
        if nodes > MAX_JSON_NODES:
            raise RuleBroken(f"has more than {MAX_JSON_NODES:,} parts")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise RuleBroken(f"has the key {repeated!r} twice in one object")
    return result


def _integer(literal: str) -> int:
    if len(literal.lstrip("-")) > MAX_INTEGER_DIGITS:
        raise RuleBroken(f"holds an integer of more than {MAX_INTEGER_DIGITS} digits")
    return int(literal)


def _float(literal: str) -> float:
    # Length first: reading a literal of a million digits takes time, and none of them would be kept.
    value = float(literal) if len(literal) <= MAX_NUMBER_CHARS else math.inf
    if not math.isfinite(value):
        raise RuleBroken(f"holds a number that is too long or too large: {literal[:30]}")
    return value


def _constant(literal: str) -> NoReturn:
    raise RuleBroken(f"holds {literal}, which is not JSON")
