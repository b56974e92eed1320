"""Strict JSON out of a model's answer (specification ebg-method.md, part 7.1).

Duplicate keys, NaN, infinities and lone surrogates are refused: each of them means different things to different
readers. One slip that models make in line ranges is understood: `{"start": 3, "start": 7}` means start 3, end 7.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

__all__ = ["MAX_ANSWER_CHARS", "NotJson", "decode_at", "decode_exactly"]

MAX_ANSWER_CHARS = 400_000
"""No answer is read beyond this size: 32,768 output tokens are some 130,000 characters."""


class NotJson(ValueError):  # noqa: N818  # reads as what it says
    """The text is not JSON as asked; the message says why and where."""


class _DoubledStart(dict[str, Any]):
    """An object whose only keys were `start` twice; legal inside `line_ranges` only."""


def decode_at(text: str, position: int) -> tuple[Any, int]:
    """Decode the JSON value that starts at `position`.

    Returns:
        The value and the position behind it.

    Raises:
        NotJson: when no strict JSON value starts there.
    """
    if len(text) > MAX_ANSWER_CHARS:
        raise NotJson(f"the answer has {len(text)} characters; at most {MAX_ANSWER_CHARS} are read")
    try:
        value, end = _DECODER.raw_decode(text, position)
        _check_doubled_starts(value)
        json.dumps(value, ensure_ascii=False).encode()
    except NotJson:
        raise
    except RecursionError:
        raise NotJson("the JSON is nested too deeply") from None
    except UnicodeEncodeError:
        raise NotJson("a string holds half of a surrogate pair") from None
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        raise NotJson(str(error)) from None
    return value, end


def decode_exactly(text: str) -> Any:
    """Decode `text`, which must be one JSON value and nothing else, or one fenced block that holds it."""
    body = _inside_fence(text.strip())
    value, end = decode_at(body, 0)
    if body[end:].strip():
        raise NotJson(f"text follows the JSON value: {body[end:].strip()[:40]!r}")
    return value


def _inside_fence(text: str) -> str:
    lines = text.split("\n")
    if len(lines) >= 3 and lines[0].strip() in {"```", "```json", "```JSON"} and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1]).strip()
    return text


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) == 2 and pairs[0][0] == pairs[1][0] == "start":
        return _DoubledStart(start=pairs[0][1], end=pairs[1][1])
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise NotJson(f"the key {key!r} occurs twice in one object")
        found[key] = value
    return found


def _check_doubled_starts(value: Any) -> None:
    waiting: list[tuple[Any, bool]] = [(value, False)]
    while waiting:
        item, in_ranges = waiting.pop()
        if isinstance(item, _DoubledStart) and not in_ranges:
            raise NotJson("the key 'start' occurs twice in one object")
        if isinstance(item, dict):
            for key, child in item.items():
                if key == "line_ranges" and isinstance(child, list):
                    waiting.extend((entry, True) for entry in child)
                else:
                    waiting.append((child, False))
        elif isinstance(item, list):
            waiting.extend((child, False) for child in item)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotJson(f"the number {text[:20]} is too large")
    return number


def _constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=_finite, parse_constant=_constant, strict=True)
