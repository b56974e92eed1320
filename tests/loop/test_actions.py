"""Reading one action out of an answer (specification ebg-method.md, parts 7.1 and 11, Ex13 a)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmonbench._actions import Action, ActionError, Finish, Read, Search, parse_action, parse_prediction

READ = '{"action":"read","ids":["F0001"]}'


def parse(text: str) -> Action:
    return parse_action(text, max_read_ids=6, query_chars=512)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (READ, Read(("F0001",))),
        (f"I will look. {READ}", Read(("F0001",))),
        (f"```json\n{READ}\n```\nThat is all.", Read(("F0001",))),
        (f"{READ} and then {READ}", Read(("F0001",))),  # the text starts with JSON: the first object counts
        (f'[{READ},{{"action":"search","text":"x"}}]', Read(("F0001",))),
        ('{"action":"search","text":"  two\\n words "}', Search("two words")),
        ('{"action":"finish","prediction":{"findings":[]}}', Finish({"findings": []})),
        (f'Given {{"a": 1}} I do {READ}', Read(("F0001",))),  # only action objects count
        (
            '{"action":"finish","prediction":{"line_ranges":[{"start":3,"start":7}]}}',
            Finish({"line_ranges": [{"start": 3, "end": 7}]}),
        ),
    ],
)
def test_one_action_is_read(text: str, action: Action) -> None:
    assert parse(text) == action


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("I am done.", "no action"),
        (f"First {READ} then {READ}", "2 actions"),
        (READ + "}", "closing brackets"),
        (f"Look: {READ}]", "closing brackets"),
        ('{"action":"read","ids":["F0001","F0001"]}', "twice"),
        ('{"action":"read","ids":["1","2","3","4","5","6","7"]}', "1 to 6 entries, not 7"),
        ('{"action":"read","ids":[]}', "1 to 6 entries, not 0"),
        ('{"action":"read","ids":"F0001"}', "list of strings"),
        ('{"action":"read","ids":["F0001"],"why":"x"}', "not 'why'"),
        ('{"action":"search","text":"   "}', "1 to 512 characters, not 0"),
        ('{"action":"search","text":"' + "x" * 513 + '"}', "not 513"),
        ('{"action":"search"}', "needs 'text'"),
        ('{"action":"finish","prediction":[]}', "must be an object"),
        ('{"action":"stop"}', "must be one of"),
        ('{"action":"read","action":"read","ids":["a"]}', "occurs twice"),
        ('{"action":"finish","prediction":{"x":NaN}}', "NaN is not JSON"),
        ('{"action":"finish","prediction":{"x":1e999}}', "too large"),
        ('{"action":"finish","prediction":{"start":1,"start":2}}', "occurs twice"),
        ('{"action":"search","text":"\\ud800"}', "surrogate"),
        ('{"action":"finish","prediction":' + '{"a":' * 50_000, "nested"),
        ("[" * 50_000, "nested"),
        ("[]", "object"),
    ],
)
def test_what_could_mean_two_things_is_refused(text: str, message: str) -> None:
    with pytest.raises(ActionError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"action": "finish", "prediction": {"findings": [', "finish"),
        ('{"action":"finish","prediction":{},"extra":1}', "finish"),
        ('{"action":"search","text":""}', "search"),
        ("no action at all", None),
    ],
)
def test_a_broken_action_still_tells_its_name(text: str, name: str | None) -> None:
    with pytest.raises(ActionError) as caught:
        parse(text)
    assert caught.value.action == name


def test_a_single_turn_takes_the_bare_prediction_or_a_finish() -> None:
    assert parse_prediction('{"swaps": []}') == Finish({"swaps": []})
    assert parse_prediction('```json\n{"swaps": []}\n```') == Finish({"swaps": []})
    assert parse_prediction('{"action":"finish","prediction":{"swaps":[]}}') == Finish({"swaps": []})
    with pytest.raises(ActionError, match="text follows"):
        parse_prediction('{"swaps": []} Done.')


@given(st.text(max_size=200))
def test_any_text_gives_an_action_or_an_action_error(text: str) -> None:
    try:
        action = parse(text)
    except ActionError:
        return
    assert parse(action.canonical()) == action


@given(st.text(min_size=1, max_size=80).filter(lambda text: text.strip() and text.isprintable()), st.text(max_size=40))
def test_prose_without_braces_never_changes_an_action(query: str, prose: str) -> None:
    action = json.dumps({"action": "search", "text": query})
    prose = "Well " + "".join(character for character in prose if character not in "{}[]")
    assert parse(f"{prose} {action} {prose}") == Search(" ".join(query.split()))
