"""From a folder to proved swaps in the layout of the release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import subsets
from agentmonbench.errors import UsageError
from subsets.build import build_silentswap
from subsets.build._documents import sentences
from subsets.build._environment import requirements_of
from subsets.build._examples import from_documents, from_tests, varied
from subsets.build._sources import open_source, source_name
from subsets.build_command import main


def test_a_folder_is_read_as_it_is(shelf: Path):
    (shelf / ".git").mkdir()
    (shelf / ".git" / "config").write_text("secret")
    (shelf / "link.py").symlink_to("/etc/passwd")
    subject = open_source(str(shelf), shelf / "cache")
    assert list(subject.files) == ["README.md", "shelf.py", "tests/test_shelf.py"]
    assert (subject.name, subject.path, subject.suite) == ("shelf", ("",), ("tests",))


@pytest.mark.parametrize(("word", "reason"), [("pypi:toolz", "names no version"), ("nowhere", "is no folder")])
def test_what_is_no_source_is_refused(word, reason):
    with pytest.raises(UsageError, match=reason):
        source_name(word)


def test_requirements_name_the_extras_for_tests(shelf: Path):
    (shelf / "PKG-INFO").write_text("Name: shelf\nProvides-Extra: docs\nProvides-Extra: test\n")
    (shelf / "pyproject.toml").write_text('[dependency-groups]\ntest = ["pytest-mock>=3", {include-group = "x"}]\n')
    subject = open_source(str(shelf), shelf / "cache")
    assert requirements_of(subject, "pypi:shelf==1.0") == ["pytest-mock>=3", "shelf[test]==1.0"]
    assert requirements_of(subject, str(shelf)) == ["pytest-mock>=3"]


def test_examples_come_with_what_they_need():
    text = ">>> x = clean(' A ')\n>>> x.upper()\n'A'\n>>> unknown(x)\n1\n"
    found = [each.expression for each in from_documents({"page": text}, {"clean": "from shelf import clean"})]
    assert [(each.setup, each.text) for each in found] == [
        (("from shelf import clean", "x = clean(' A ')"), "x.upper()")
    ]


def test_tests_give_what_they_assert_about():
    text = (
        "import os, pytest\nfrom shelf import clean\n\n\n"
        "@pytest.mark.parametrize('text, want', [(' A', 'a'), ('b ', 'b')])\n"
        "def test_clean(text, want):\n    assert clean(text) == want\n\n\n"
        "def test_file(tmp_path):\n    assert clean(str(tmp_path)) == os.getcwd()\n"
    )
    found = list(from_tests({"test_m.py": text}, ["shelf"]))
    assert [(each.expression.setup, each.expression.text) for each in found] == [
        (("from shelf import clean", "text = ' A'", "want = 'a'"), "clean(text)"),
        (("from shelf import clean", "text = 'b '", "want = 'b'"), "clean(text)"),
    ]


def test_variations_depend_on_the_seed_alone():
    found = list(from_documents({"page": ">>> clean(' A ')\n"}, {"clean": "from shelf import clean"}))
    assert list(varied(found, 1)) == list(varied(found, 1))
    assert list(varied(found, 1)) != list(varied(found, 2))
    assert all(each.origin == "varied" and each.expression.text != "clean(' A ')" for each in varied(found, 1))


def test_sentences_are_prose_that_stands_there_once():
    text = (
        "# A heading is no sentence here\n\nThe first one counts from zero. The limit is three at most\nin total.\n\n"
        "```\nThis stands in a fence of code.\n```\n\n- One item of a list is prose.\n\n"
        "Said twice in the same words.\n\nSaid twice in the same words.\n"
    )
    found = list(sentences(text))
    assert [each.text for each in found] == [
        "The first one counts from zero.",
        "The limit is three at most\nin total.",
        "One item of a list is prose.",
    ]
    assert all(text[each.start : each.end] == each.text for each in found)


@pytest.mark.slow
def test_swaps_are_built_written_and_not_built_again(shelf: Path, tmp_path: Path, capsys):
    out = tmp_path / "out"
    assert main(["silentswap", str(shelf), "-o", str(out), "--count", "1", "--json"]) == 0
    (outcome,) = json.loads(capsys.readouterr().out)
    assert outcome["ids"] == ["ss_shelf_1"]
    assert outcome["counts"]["rewrites"] >= outcome["counts"]["documented"] >= outcome["counts"]["differing"] >= 5
    assert [problem for problem in subsets.check(out) if problem.level == "error"] == []
    subset = subsets.load("silentswap", out)
    gold = subset.gold("ss_shelf_1")
    swapped = subset.example("ss_shelf_1").files["shelf.py"].decode().splitlines()
    for swap in gold.swaps:
        (lines,) = swap.localization.line_ranges
        assert swap.gold_source == "machine"
        assert f"shelf.py now reads: {swapped[lines.start - 1].strip()}" in swap.evidence
    assert sorted(path.name for path in (out / "construction" / "ss_shelf_1" / "semantic").iterdir()) == [
        f"test_swap_{number}.py" for number in range(1, 6)
    ]
    again = build_silentswap([str(shelf)], out, count=1, say=pytest.fail)
    assert again[0].ids == ("ss_shelf_1",)


@pytest.mark.slow
def test_a_package_that_fails_its_own_tests_stops_nothing(shelf: Path, tmp_path: Path):
    broken = tmp_path / "broken"
    (broken / "tests").mkdir(parents=True)
    (broken / "broken.py").write_text("def f(x):\n    return x\n")
    (broken / "README.md").write_text("# Broken\n\n" + "It says what it does in many words. " * 20)
    (broken / "tests" / "test_broken.py").write_text("def test_f():\n    assert False\n")
    said: list[str] = []
    outcomes = build_silentswap([str(broken), str(shelf)], tmp_path / "out", count=1, say=said.append)
    assert [outcome.ids for outcome in outcomes] == [(), ("ss_shelf_1",)]
    assert outcomes[0].reason is not None
    assert "1 of its own 1 tests fail here" in outcomes[0].reason
