"""Sections, code spans and names of a requirements text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebg.view import RepositoryView
from ebg.view._document import Requirements
from tests.view.graphs import build


def titles(text: str) -> list[tuple[str, int]]:
    return [(section.title, section.level) for section in Requirements(text).sections]


def test_sections_run_from_heading_to_heading_of_any_level() -> None:
    text = "Intro\n# One\na\n### Deep ##\nb\n## Two\n"
    sections = Requirements(text).sections
    assert [(s.title, s.level, s.order) for s in sections] == [
        ("Document", 0, 0),
        ("One", 1, 1),
        ("Deep", 3, 2),
        ("Two", 2, 3),
    ]
    assert [text[s.start : s.end] for s in sections] == ["Intro\n", "# One\na\n", "### Deep ##\nb\n", "## Two\n"]


def test_text_without_heading_is_one_section() -> None:
    assert titles("just words\n") == [("Document", 0)]
    assert titles("") == [("Document", 0)]


def test_blank_lines_before_the_first_heading_are_no_section() -> None:
    assert titles("\n\n# One\n") == [("One", 1)]


def test_a_hash_without_space_or_with_seven_hashes_is_no_heading() -> None:
    assert titles("#tag\n####### seven\n    # indented code\n") == [("Document", 0)]


def test_headings_inside_code_fences_are_text() -> None:
    fenced = "# Usage\n```sh\n# run\n~~~\n# still\n```\n# Notes\n~~~~\n# no\n~~~\n# no\n~~~~\n## End\n"
    assert titles(fenced) == [("Usage", 1), ("Notes", 1), ("End", 2)]


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert titles("# Usage\n```\n# run\n") == [("Usage", 1)]


def test_underlined_headings_are_sections_whose_marks_give_the_level() -> None:
    text = "=====\nTitle\n=====\n\nOne\n---\na\n\nDeep\n~~~~\nb\n\nTwo\n---\n"
    assert titles(text) == [("Title", 1), ("One", 2), ("Deep", 3), ("Two", 2)]
    assert Requirements(text).sections[0].start == 0


def test_rules_tables_fences_and_lists_are_no_underlines() -> None:
    text = "para one\n---\n\na | b\n--- | ---\n\ntext\n\n---\nlong title\n~~~\n# no\n~~~\n  in\n----\n"
    assert titles(text) == [("Document", 0)]


def test_names_in_backticks_and_calls_are_explicit_and_prose_words_are_not() -> None:
    found = {
        m.name: (m.explicit, m.ordinary) for m in Requirements("Call `api.run()` or stop() and wait, `get`.").mentions
    }
    assert found == {
        "Call": (False, True),
        "api.run": (True, False),
        "or": (False, True),
        "stop": (True, False),
        "and": (False, True),
        "wait": (False, True),
        "get": (True, False),
    }


def test_a_plain_word_among_others_in_backticks_is_prose() -> None:
    found = {m.name: m.ordinary for m in Requirements("`pip install my_tool`").mentions}
    assert found == {"pip": True, "install": True, "my_tool": False}


def test_a_capital_counts_inside_a_sentence_only() -> None:
    mentions = Requirements("# Limiter\nThe Limiter waits. Limiter is shared.\n- Limiter\n").mentions
    assert [m.ordinary for m in mentions if m.name == "Limiter"] == [True, False, True, True]


def test_names_glued_to_another_script_are_found() -> None:
    assert "run_all" in {m.name for m in Requirements("先调用run_all方法").mentions}


@given(st.text(alphabet="#`~ ab.\n_(", max_size=80))
def test_sections_cut_any_text_without_loss(text: str) -> None:
    requirements = Requirements(text)
    sections = requirements.sections
    assert "".join(text[s.start : s.end] for s in sections) == text[sections[0].start :]
    assert not text[: sections[0].start].strip()
    for mention in requirements.mentions:
        assert text[mention.start :].startswith(mention.name)
        assert sections[0].start > mention.start or (
            (section := requirements.section_at(mention.start)).start <= mention.start < section.end
        )


@pytest.mark.parametrize("part", ["-", "`", "# ", "a", "a.", "A ", "~", "`` ` ", "(", "a-", " ", "/."])
def test_long_runs_take_no_longer_than_their_length(part: str) -> None:
    # Anything quadratic would run into the timeout of the test.
    text = f"# x{part * 100_000}"
    view = RepositoryView(build({"a.py": "X = 1\n", "b.txt.j2": text, "c.py": f"X = '{part * 100_000}'\n"}), text)
    assert view.directory.entries
