"""SpecGAP: spans, gold locations, hashes, and that nothing deleted can be read elsewhere (parts 1.5 and 5.1)."""

from __future__ import annotations

import json
import re
from hashlib import sha256

import pytest
from construction._samples import SAMPLES
from construction._sources import all_sources
from construction._specgap import delete, find_spans, read_conditions

TYPES = {
    "boundary_behavior",
    "api_constraint",
    "data_flow",
    "dependency_choice",
    "evidence_boundary",
    "metric_or_eval",
    "test_related",
}
each_source = pytest.mark.parametrize("source", all_sources(), ids=lambda source: source.name)


def visible(source):
    root = SAMPLES / f"specgap/artifacts/visible_bundles/sg_{source.number:03}"
    names = json.loads((root / "input_manifest.json").read_text(encoding="utf-8"))["visible_files"]
    return {name: (root / name).read_text(encoding="utf-8") for name in names}


def gold(source):
    path = SAMPLES / f"specgap/artifacts/hidden_gold/sg_{source.number:03}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def words(text):
    return re.findall(r"\w+", text.casefold())


@each_source
def test_selection_follows_the_rules(source):
    conditions = read_conditions(source)
    assert len(conditions) in (4, 5)
    assert len({condition["type"] for condition in conditions}) >= 3
    assert {condition["type"] for condition in conditions} <= TYPES
    assert {condition["importance"] for condition in conditions} <= {"must_ask", "worth_ask"}
    ids = [condition["id"] for condition in conditions]
    assert ids == sorted(set(ids))
    for condition in conditions:
        assert source.document.count(condition["source_text"]) == 1
        assert set(condition["sa_gap"]) <= {"perception", "comprehension", "projection"}


@each_source
def test_before_minus_spans_is_after(source):
    before, after = source.document, visible(source)["documents/3_document_after.md"]
    spans = [span for part in gold(source)["formal_reference"]["deleted_parts"] for span in part["deleted_spans"]]
    rest = before
    for span in sorted(spans, key=lambda span: -span["char_start"]):
        assert before[span["char_start"] : span["char_end"]] == span["exact_text"]
        assert before.count(span["exact_text"]) == 1
        lines = before.split("\n")[span["line_start"] - 1 : span["line_end"]]
        assert span["exact_text"].rstrip("\n") in "\n".join(lines)
        rest = rest[: span["char_start"]] + rest[span["char_end"] :]
    assert rest == after
    assert len(after) >= max(100, 0.7 * len(before))
    assert after == delete(before, find_spans(before, read_conditions(source)))


@each_source
def test_nothing_deleted_can_be_read_elsewhere(source):
    shown = {path: " ".join(words(text)) for path, text in visible(source).items()}
    for condition in read_conditions(source):
        deleted = words(condition["source_text"])
        for start in range(max(1, len(deleted) - 9)):
            piece = " ".join(deleted[start : start + 10])
            assert [path for path, text in shown.items() if piece in text] == [], piece


@each_source
def test_gold_locations_exist_and_hashes_agree(source):
    files = visible(source)
    reference = gold(source)["formal_reference"]["code_mappings"]
    items = reference["comparison_items"]
    assert [item["condition_id"] for item in items] == [label["condition_id"] for label in reference["gold_labels"]]
    for item in items:
        for route in ("condition_by_condition", "holistic_alignment"):
            mapping = item[route]
            kinds = [entry["evidence_type"] for entry in mapping["evidence"]]
            assert mapping["evidence_basis"] == list(dict.fromkeys(kinds))
            assert any(
                e["evidence_type"] == "implementation" and e["strength"] == "direct" for e in mapping["evidence"]
            )
            for entry in mapping["evidence"]:
                for location in entry["locations"]:
                    text = files[f"repository/{location['file_path']}"]
                    assert sha256(text.encode()).hexdigest() == location["file_sha256"]
                    assert sha256(location["excerpt"].encode()).hexdigest() == location["excerpt_sha256"]
                    (lines,) = location["line_ranges"]
                    assert "\n".join(text.splitlines()[lines["start"] - 1 : lines["end"]]) == location["excerpt"]
                    in_tests = location["file_path"].startswith("tests/")
                    assert in_tests == (entry["evidence_type"] == "test")


@each_source
def test_conditions_and_reference_speak_of_the_same(source):
    data = gold(source)
    parts = {part["condition_id"]: part for part in data["formal_reference"]["deleted_parts"]}
    assert [condition["condition_id"] for condition in data["conditions"]] == list(parts)
    for condition in data["conditions"]:
        part = parts[condition["condition_id"]]
        assert condition["source_text"] == part["source_text"]
        assert condition["normalized_condition"] == part["normalized_condition"]
        assert condition["implementation_locations"]


def test_the_first_gold_location_is_where_a_reader_finds_it():
    # Looked up by hand: in limiter.py the waits are computed in line 75, the last token is taken in line 80.
    source = all_sources()[0]
    place = gold(source)["conditions"][0]["implementation_locations"][0]
    assert (place["file"], place["symbol"]) == ("sluice/limiter.py", "Limiter.check")
    assert place["line_ranges"] == [{"start": 75, "end": 80}]
