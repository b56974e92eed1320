"""From a package to deleted conditions with the code that implements them."""

from __future__ import annotations

from pathlib import Path

import pytest

import subsets
from subsets.build._conditions import find_conditions
from subsets.build._spans import Span, delete, erased, leaks, plain_words, widened
from subsets.build_command import main


def test_conditions_are_found_by_their_words():
    text = (
        "It raises ValueError for a negative count.\n\nThe size must be at most ten items.\n\n"
        "By default nothing is written at all.\n\nThis sentence decides nothing of note.\n"
    )
    found = list(find_conditions(text))
    assert [(each.kind.name, each.kind.importance) for each in found] == [
        ("error", "must_ask"),
        ("bound", "must_ask"),
        ("default", "worth_ask"),
    ]


def test_a_span_alone_in_its_line_takes_the_line_along():
    text = "One.\n- Two is here.\nThree. Four.\n"
    assert widened(text, 7, 19) == (5, 20)
    assert widened(text, 20, 26) == (20, 26)
    assert delete(text, [Span("kc_001", 1, 5, 20)]) == "One.\nThree. Four.\n"
    with pytest.raises(ValueError, match="kc_002: deletions overlap"):
        delete(text, [Span("kc_001", 1, 0, 8), Span("kc_002", 1, 5, 9)])


def test_leaks_are_runs_of_ten_words_or_all_of_a_short_text():
    told = plain_words({"page": "Here one two, three four FIVE six seven eight nine ten stands."})
    assert leaks("zero one two three four five six seven eight nine ten eleven", told)
    assert leaks("three four five six seven", told)
    assert not leaks("three four five six eight", told)
    assert not leaks("three four", told), "fewer than five words prove nothing"


def test_only_docstrings_can_be_erased():
    source = 'def f():\n    """Do it.\n\n    The limit is ten.\n    """\n    return "other"\n'
    assert erased(source, "The limit is ten.") == source.replace("The limit is ten.", "")
    with pytest.raises(ValueError, match="not only part of docstrings"):
        erased(source, "other")


def test_an_example_is_built_and_sound(shelf: Path, tmp_path: Path):
    out = tmp_path / "out"
    assert main(["specgap", str(shelf), "-o", str(out), "--minimum", "2"]) == 0
    assert [problem for problem in subsets.check(out) if problem.level == "error"] == []
    subset = subsets.load("specgap", out)
    example, gold = subset.example("sg_shelf"), subset.gold("sg_shelf")
    assert example.document is not None
    for part in gold.formal_reference.deleted_parts:
        assert part.deleted_spans[0].exact_text not in example.document.text
    files = {path: data.decode().splitlines() for path, data in example.files.items()}
    for item in gold.formal_reference.code_mappings.comparison_items:
        for route in (item.condition_by_condition, item.holistic_alignment):
            (place,) = route.evidence[0].locations
            (lines,) = place.line_ranges
            assert "\n".join(files[place.file_path][lines.start - 1 : lines.end]) == place.excerpt


def test_too_few_conditions_give_no_example(shelf: Path, tmp_path: Path):
    assert main(["specgap", str(shelf), "-o", str(tmp_path / "out"), "--minimum", "50"]) == 1
