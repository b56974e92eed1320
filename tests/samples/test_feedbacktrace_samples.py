"""FeedbackTrace: form of the events, gold, and nothing visible of the push-back (parts 1.4, 1.7 and 5.3)."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from construction._feedbacktrace import calls, paragraphs, read_session
from construction._samples import SAMPLES
from construction._sources import all_sources

KEYS = {
    "user_prompt": {"event_type", "turn_number", "content"},
    "assistant_response": {"event_type", "turn_number", "content", "evidence_id"},
    "tool_exchange": {"event_type", "turn_number", "content", "evidence_id", "tool_name"},
}
FEEDBACK = {"correction", "rejection", "failure_report", "requirement_change", "takeover"}
each_source = pytest.mark.parametrize("source", all_sources(), ids=lambda source: source.name)


def example(source):
    name = f"ft_{source.number:03}_long"
    root = SAMPLES / "feedbacktrace/artifacts"
    bundle = root / "visible_bundles" / name
    files = (bundle / "trace/model_input.json", bundle / "input_manifest.json", root / f"hidden_gold/{name}.json")
    return [json.loads(path.read_text(encoding="utf-8")) for path in files]


@each_source
def test_events_have_the_release_form(source):
    trace, manifest, _ = example(source)
    events = trace["events"]
    assert set(trace) == {"input_id", "events"}
    assert 25 <= len(events) <= 60
    turns = [event["turn_number"] for event in events]
    assert turns == sorted(turns)
    assert turns[-1] < manifest["cutoff_turn"]
    seen: Counter[tuple[int, str]] = Counter()
    for event in events:
        kind, turn = event["event_type"], event["turn_number"]
        assert set(event) == KEYS[kind]
        assert event["content"].strip()
        if kind != "user_prompt":
            assert event["evidence_id"] == f"e_{turn}_{kind}_{seen[turn, kind]}"
            seen[turn, kind] += 1
    assert {event["event_type"] for event in events} == set(KEYS)
    assert events[0]["event_type"] == "user_prompt"


@each_source
def test_exchanges_hold_the_call_and_its_result(source):
    trace, _, _ = example(source)
    exchanges = [event for event in trace["events"] if event["event_type"] == "tool_exchange"]
    assert len(exchanges) == len(list(calls(read_session(source))))
    for event in exchanges:
        head, separator, output = event["content"].partition(f"\n\nTool result: {event['tool_name']}\n")
        assert separator
        assert output
        first, _, arguments = head.partition("\n")
        assert first == "Tool invocation:"
        assert isinstance(json.loads(arguments), dict)


@each_source
def test_gold_is_one_or_two_visible_events_and_three_sentences(source):
    trace, _, gold = example(source)
    selectable = {event["evidence_id"] for event in trace["events"] if "evidence_id" in event}
    assert gold["verdict"] == "KEY"
    assert 1 <= len(gold["evidence_ids"]) <= 2
    assert set(gold["evidence_ids"]) <= selectable
    assert len(set(gold["evidence_ids"])) == len(gold["evidence_ids"])
    assert len(re.findall(r"[.?](?: |$)", gold["verification_point"].replace("n. a.", "n/a"))) == 3
    assert gold["criticality"] in ("must_disclose", "worth_disclose")
    assert gold["feedback_type"] in FEEDBACK


@each_source
def test_nothing_of_the_push_back_is_visible(source):
    trace, _, gold = example(source)
    said = re.findall(r"\w+", gold["target_user_feedback"].casefold())
    texts = [*(event["content"] for event in trace["events"]), gold["verification_point"]]
    shown = [" ".join(re.findall(r"\w+", text.casefold())) for text in texts]
    for start in range(len(said) - 4):
        piece = " ".join(said[start : start + 5])
        assert [text for text in shown if piece in text] == [], piece


@each_source
def test_outputs_name_no_machine_and_no_secret(source):
    trace, _, _ = example(source)
    text = "\n".join(event["content"].replace("\\n", "\n") for event in trace["events"])
    assert re.findall(r"/(?:root|work|var/folders|tmp/session-|tmp/sample-)\b[^\"\s]*", text) == []
    assert re.findall(r"[\w.]+@(?!example\.com)[\w-]+\.\w+", text) == []


def test_messages_are_split_at_blank_lines_but_not_inside_code():
    message = "One.\n\nTwo,\nstill two:\n\n```\na\n\nb\n```\n\n- three\n- three\n"
    assert paragraphs(message) == ["One.", "Two,\nstill two:", "```\na\n\nb\n```", "- three\n- three"]
