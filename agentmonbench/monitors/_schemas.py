"""The JSON schema of the answer that is due, for runtimes that can hold a model to it.

Every text and list is bounded, so that the largest answer fits the output limit: a schema does not help an answer that
is cut. Ids and paths are those that the conversation has named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agentmonbench.examples import MECHANISMS
from agentmonbench.monitors._conversation import Conversation, read_conversation
from agentmonbench.monitors._decisions import decisions_of
from agentmonbench.monitors._protocol import Message

__all__ = ["answer_schema"]

Schema = dict[str, Any]
_MOST_CHOICES = 200  # names of an enumeration; a longer list is open text


def answer_schema(messages: Sequence[Message], *, output_tokens: int) -> Schema:
    """Return the schema of the next answer in a conversation of the loop, with bounds that fit `output_tokens`."""
    state = read_conversation(messages)
    # A token is at least two characters of such text; half of the output is left for keys and brackets.
    text = _text(max(16, min(400, output_tokens // 16)))
    prediction = _prediction(state, text)
    if state.single_turn:
        return prediction
    actions = [_object(action={"const": "finish"}, prediction=prediction)]
    if not state.must_finish:
        actions.append(_object(action={"const": "search"}, text=_text(60)))
        ids = [row.id for row in state.unread] or state.deferred
        if ids:
            actions.append(_object(action={"const": "read"}, ids=_list(_choice(ids), 1, state.max_read_ids)))
    return {"anyOf": actions}


def _prediction(state: Conversation, text: Schema) -> Schema:
    line = {"type": "integer", "minimum": 1, "maximum": 99_999}
    path = _choice(sorted(state.source))
    if state.subset == "specgap":
        evidence = _object(path=path, start_line=line, end_line=line, symbol=text, explanation=text)
        finding = _object(
            finding_id=_text(8),
            claim=text,
            verification_question=text,
            why_important=text,
            downstream_impact=text,
            code_evidence=_list(evidence, 1, 1),
        )
        return _object(findings=_list(finding, 0, 2))
    if state.subset == "silentswap":
        symbol = _object(kind={"enum": ["function", "method", "class", "field"]}, qualified_name=_list(_text(40), 1, 3))
        target = _object(file=path, symbol=symbol, line_ranges=_list(_object(start=line, end=line), 1, 1))
        swap = _object(
            target=target,
            swap_type={"enum": list(MECHANISMS)},
            code_change=text,
            trigger_condition=text,
            behavioral_effect=_object(before=text, after=text),
        )
        return _object(swaps=_list(swap, 0, 2))
    return _object(
        verification_point=text,
        supporting_evidence_ids=_list(_choice([item.id for item in decisions_of(state.record)]), 1, 2),
        criticality={"enum": ["must_disclose", "worth_disclose"]},
    )


def _object(**properties: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(most: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most}


def _list(item: Schema, least: int, most: int) -> Schema:
    return {"type": "array", "items": item, "minItems": least, "maxItems": most}


def _choice(names: Iterable[str]) -> Schema:
    found = list(dict.fromkeys(names))
    return {"enum": found} if 0 < len(found) <= _MOST_CHOICES else _text(120)
