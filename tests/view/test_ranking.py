"""Which files Q names, and the order of the directory (specification parts 5.2 and 5.3)."""

from __future__ import annotations

import pytest

from ebg.view import RepositoryView
from tests.view.graphs import build, joined


def order(files: dict[str, str], requirements: str, **options: object) -> list[str]:
    view = RepositoryView(build(files), requirements, **options)  # type: ignore[arg-type]
    by_id = {entry.read_id: entry.path for entry in view.directory.query_index}
    return [by_id[read_id] for read_id in view.directory.order]


def sections(files: dict[str, str], requirements: str) -> dict[str, tuple[str, ...]]:
    view = RepositoryView(build(files), requirements)
    return {entry.path: entry.related_document_sections for entry in view.directory.entries}


FUNCTION = "def {}():\n    return 1\n"
A_B = {"pkg/a.py": FUNCTION.format("alpha"), "pkg/b.py": FUNCTION.format("beta_two")}


@pytest.mark.parametrize(
    "text",
    [
        "see pkg/b.py.",
        "see `./pkg/b.py`",
        "see b.py",
        "see pkg\\b.py",
        "beta_two does it",
        "BETA_TWO does it",
        "`beta_two`",
        "beta_two()",
        "pkg.b.beta_two",
        "b.beta_two",
        "x.beta_two(1)",
        "`.beta_two()`",
    ],
)
def test_a_file_is_named_by_its_path_its_symbols_and_their_aliases(text: str) -> None:
    assert sections(A_B, f"# S\n{text}\n") == {"pkg/b.py": ("S",), "pkg/a.py": ()}


@pytest.mark.parametrize("text", ["pkg/b.pyc", "xpkg/b.py", "my_beta_two", "beta_two_more", "other/b.py", "alphabet"])
def test_parts_of_longer_names_do_not_name_a_file(text: str) -> None:
    assert sections(A_B, f"# S\n{text}\n") == {"pkg/a.py": (), "pkg/b.py": ()}


def test_an_ordinary_word_names_no_file_but_puts_it_before_its_equals() -> None:
    # `alpha` and `run` are names; only the code-like mention of `beta_two` is a plain one.
    files = {**A_B, "pkg/c.py": FUNCTION.format("run")}
    assert sections(files, "# S\nThe run takes beta_two.\n") == {"pkg/b.py": ("S",), "pkg/c.py": (), "pkg/a.py": ()}


def test_a_name_that_many_files_have_names_none() -> None:
    files = {f"m{number}.py": FUNCTION.format("main_loop") for number in range(5)}
    assert set(sections(files, "# S\nmain_loop()\n").values()) == {()}


def test_a_bare_name_that_many_classes_share_names_none_of_them() -> None:
    def classes(count: int) -> dict[str, str]:
        return {"a.py": "".join(f"class C{n}:\n    def fetch(self):\n        return {n}\n\n" for n in range(count))}

    assert sections(classes(5), "# S\nCall `fetch()`.\n") == {"a.py": ("S",)}
    view = RepositoryView(build(classes(6)), "# S\nCall `fetch()`.\n")
    assert {hit.id for hit in view.search("C5.fetch").hits} == {"F0001.S0013"}
    assert [e.root_symbols for e in view.directory.query_index] == [tuple(f"C{n}.fetch" for n in range(6))]
    assert sections({**classes(6), "b.py": "X = 1\n"}, "# S\nCall `C2.fetch()`.\n")["a.py"] == ("S",)


def test_a_call_that_one_file_makes_names_it() -> None:
    files = {"a.py": "import json\n\ndef f():\n    return json.dumps(1)\n", "b.py": FUNCTION.format("g")}
    assert sections(files, "# S\nThe result of `dumps()`.\n") == {"a.py": ("S",), "b.py": ()}


def test_sections_take_turns_in_the_order_of_the_document() -> None:
    files = {f"{name}.py": FUNCTION.format(f"do_{name}") for name in "abcd"}
    text = "# One\ndo_d do_c\n# Two\ndo_b\n"
    # Round 1: One gives c (ties by path), Two gives b; round 2: One gives d. Then what is not named.
    assert order(files, text) == ["c.py", "b.py", "d.py", "a.py"]


def test_of_one_section_the_file_with_more_of_its_names_comes_first() -> None:
    files = {"a.py": FUNCTION.format("do_a"), "b.py": FUNCTION.format("do_b") + FUNCTION.format("also_b")}
    assert order(files, "# One\ndo_a do_b also_b\n") == ["b.py", "a.py"]


def test_cover_prefers_files_of_sections_that_nothing_covers_yet() -> None:
    files = {
        "a.py": FUNCTION.format("do_a") + FUNCTION.format("two_a"),
        "b.py": FUNCTION.format("do_b") + FUNCTION.format("two_b"),
        "c.py": FUNCTION.format("do_c"),
    }
    text = "# One\ndo_a do_b\n# Two\ntwo_a two_b\n# Three\ndo_c\n"
    # Gains: a and b 1/2 + 1/2 = 1, c 1/1 = 1: all tie, base order a. Then b is worth 1/4 + 1/4, c still 1.
    assert order(files, text, order="cover") == ["a.py", "c.py", "b.py"]
    assert order(files, text, order="sections") == ["a.py", "b.py", "c.py"]


def test_source_comes_before_configuration_and_related_files_before_others() -> None:
    files = {
        "a.py": FUNCTION.format("far"),
        "conf.toml": "[app]\nmode = 1\n",
        "b.py": FUNCTION.format("near"),
        "c.py": FUNCTION.format("do_c"),
    }
    graph = joined(build(files), relations=[("c.py::do_c", "calls", "b.py::near", None, [("c.py::do_c", 2)])])
    view = RepositoryView(graph, "# S\nCall do_c().\n")
    # F0001 a.py, F0002 b.py, F0003 c.py, F0004 conf.toml
    assert view.directory.order == ("F0003", "F0002", "F0001", "F0004")
    assert RepositoryView(graph, "# S\nCall do_c().\n", relations=False).directory.order[:2] == ("F0003", "F0001")


def test_a_row_is_one_line_of_four_cells_whatever_names_hold() -> None:
    files = {"a|b.py": FUNCTION.format("do_it"), "c\nd.py": "X = 1\n"}
    view = RepositoryView(build(files), "# A | B\ndo_it()\n")
    assert [row.count(" | ") for row in view.directory.text.splitlines()] == [3, 3, 3]
    assert "F0001 | a¦b.py | A ¦ B | 1 linked symbol: do_it\n" in view.directory.text
    assert view.directory.entries[0].path == "a|b.py"


def test_hints_show_what_q_names_first_and_a_class_for_its_members() -> None:
    source = "class Box:\n    def get(self):\n        return 1\n\n\n" + "".join(
        FUNCTION.format(f"f{number}") for number in range(6)
    )
    view = RepositoryView(build({"a.py": source}), "A `Box` and f5().")
    assert view.directory.entries[0].code_hints == "8 linked symbols: f5; Box; f0; f1; f2; ..."


def test_an_empty_requirements_text_names_nothing() -> None:
    assert order(A_B, "") == ["pkg/a.py", "pkg/b.py"]
