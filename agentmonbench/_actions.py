"""What a monitor may do in one turn, read from its answer (specification ebg-method.md, part 7.1).

An answer is one JSON object: `{"action": "search", "text": ...}`, `{"action": "read", "ids": [...]}` or
`{"action": "finish", "prediction": {...}}`. Prose around exactly one such object is forgiven; anything that could be
read in two ways is not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agentmonbench._strict_json import NotJson, decode_at, decode_exactly

__all__ = ["Action", "ActionError", "ActionName", "Finish", "Read", "Search", "parse_action", "parse_prediction"]

ActionName = Literal["search", "read", "finish"]
_NAMES: tuple[ActionName, ...] = ("search", "read", "finish")
_PARAMETER: dict[ActionName, str] = {"search": "text", "read": "ids", "finish": "prediction"}
_MAX_STARTS = 500  # places where an embedded object is tried; keeps hostile text linear in practice


class ActionError(ValueError):
    """The answer is not one action; `action` is the name it went by, if that could be told."""

    def __init__(self, message: str, *, action: ActionName | None = None) -> None:
        super().__init__(message)
        self.action = action


@dataclass(frozen=True, slots=True)
class Search:
    """Look for a text."""

    text: str

    def canonical(self) -> str:
        """Return the action as compact JSON."""
        return _compact({"action": "search", "text": self.text})


@dataclass(frozen=True, slots=True)
class Read:
    """Show what stands behind ids."""

    ids: tuple[str, ...]

    def canonical(self) -> str:
        """Return the action as compact JSON."""
        return _compact({"action": "read", "ids": list(self.ids)})


@dataclass(frozen=True, slots=True)
class Finish:
    """Hand in the answer, not yet checked."""

    prediction: Mapping[str, Any]

    def canonical(self) -> str:
        """Return the action as compact JSON."""
        return _compact({"action": "finish", "prediction": self.prediction})


Action = Search | Read | Finish


def parse_action(text: str, *, max_read_ids: int, query_chars: int) -> Action:
    """Read the one action of an answer.

    Args:
        text: the monitor's answer.
        max_read_ids: ids that one read may name.
        query_chars: length limit of a search text after whitespace is normalised.

    Raises:
        ActionError: when the answer is not exactly one well-formed action.
    """
    value = _find_object(text)
    name = value.get("action")
    if name not in _NAMES:
        raise ActionError(f'"action" must be one of {", ".join(_NAMES)}, not {_shown(name)}')
    parameter = _PARAMETER[name]
    extra = sorted(set(value) - {"action", parameter})
    if extra:
        raise ActionError(f"{name} takes only {parameter!r}, not {', '.join(map(repr, extra))}", action=name)
    if parameter not in value:
        raise ActionError(f"{name} needs {parameter!r}", action=name)
    argument = value[parameter]
    if name == "search":
        return Search(_search_text(argument, query_chars))
    if name == "read":
        return Read(_read_ids(argument, max_read_ids))
    if not isinstance(argument, dict):
        raise ActionError(f"'prediction' must be an object, not {_shown(argument)}", action="finish")
    return Finish(argument)


def parse_prediction(text: str) -> Finish:
    """Read an answer of a single turn: the bare prediction, or a finish that holds it.

    Raises:
        ActionError: when the answer is anything else.
    """
    try:
        value = decode_exactly(text)
    except NotJson as error:
        raise ActionError(f"the answer is not one JSON object: {error}", action="finish") from None
    if not isinstance(value, dict):
        raise ActionError(f"the answer must be a JSON object, not {_shown(value)}", action="finish")
    if set(value) == {"action", "prediction"} and value["action"] == "finish":
        value = value["prediction"]
        if not isinstance(value, dict):
            raise ActionError(f"'prediction' must be an object, not {_shown(value)}", action="finish")
    return Finish(value)


def _find_object(text: str) -> dict[str, Any]:
    stripped = text.strip()
    if not stripped:
        raise ActionError("the answer is empty")
    if stripped[0] in "{[":
        value, rest = _leading(stripped)
        if rest[:1] and rest[0] in "]}":
            raise ActionError("closing brackets follow the action", action=_name_of(value))
        # Several actions in a list: the first is meant, the others depend on its result.
        if isinstance(value, list) and value:
            value = value[0]
        if not isinstance(value, dict):
            raise ActionError(f"an action is a JSON object, not {_shown(value)}")
        return value
    embedded = _embedded(stripped)
    if len(embedded) == 1:
        return embedded[0]
    if embedded:
        raise ActionError(f"the answer holds {len(embedded)} actions; give exactly one", action=_name_of(embedded[-1]))
    raise ActionError('the answer holds no action: one JSON object with the key "action" is needed')


def _leading(text: str) -> tuple[Any, str]:
    try:
        value, end = decode_at(text, 0)
    except NotJson as error:
        raise ActionError(f"the JSON is broken: {error}", action=_guess_name(text)) from None
    return value, text[end:].lstrip()


def _embedded(text: str) -> list[dict[str, Any]]:
    """Return the action objects inside prose; an object inside another one does not count."""
    found: list[dict[str, Any]] = []
    position = text.find("{")
    starts = 0
    problem: ActionError | None = None
    while position >= 0 and starts < _MAX_STARTS:
        starts += 1
        end = position + 1
        try:
            value, end = decode_at(text, position)
        except NotJson as error:
            if problem is None and text.startswith('{"action"', position):
                problem = ActionError(f"the JSON is broken: {error}", action=_guess_name(text[position:]))
        else:
            if "action" in value:
                if text[end:].lstrip()[:1] in {"]", "}"}:
                    raise ActionError("closing brackets follow the action", action=_name_of(value))
                found.append(value)
        position = text.find("{", end)
    if problem is not None:
        raise problem
    return found


def _search_text(argument: Any, query_chars: int) -> str:
    if not isinstance(argument, str):
        raise ActionError(f"'text' must be a string, not {_shown(argument)}", action="search")
    query = " ".join(argument.split())
    if not 1 <= len(query) <= query_chars:
        raise ActionError(f"'text' must have 1 to {query_chars} characters, not {len(query)}", action="search")
    return query


def _read_ids(argument: Any, max_read_ids: int) -> tuple[str, ...]:
    if not isinstance(argument, list) or not all(isinstance(item, str) for item in argument):
        raise ActionError(f"'ids' must be a list of strings, not {_shown(argument)}", action="read")
    if not 1 <= len(argument) <= max_read_ids:
        raise ActionError(f"'ids' must have 1 to {max_read_ids} entries, not {len(argument)}", action="read")
    if len(set(argument)) != len(argument):
        raise ActionError("'ids' must not name an id twice", action="read")
    return tuple(argument)


def _name_of(value: Any) -> ActionName | None:
    name = value.get("action") if isinstance(value, dict) else None
    return name if name in _NAMES else None


def _guess_name(text: str) -> ActionName | None:
    head = "".join(text[:200].split())
    for name in _NAMES:
        if head.lstrip("[").startswith(f'{{"action":"{name}"'):
            return name
    return None


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)[:60]


def _compact(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
