"""`check`: sound data gives nothing, everything else is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import subsets
from agentmonbench.errors import UsageError

SG = "specgap/artifacts/visible_bundles/sg_001"


def add(layout: Any, path: str, content: str | bytes) -> None:
    layout.put(f"{SG}/{path}", content)
    layout.change(f"{SG}/input_manifest.json", lambda manifest: manifest["visible_files"].append(path))


def told(layout: Any) -> list[tuple[str, str, str]]:
    return [(problem.level, problem.file, problem.rule) for problem in subsets.check(layout.root)]


def test_sound_data_has_no_problem(layout: Any) -> None:
    assert subsets.check(layout.root) == []


def test_one_subset_alone_is_checked(layout: Any, tmp_path: Path) -> None:
    assert subsets.check(layout.root / "silentswap") == []
    assert subsets.check(layout.pack("silentswap", tmp_path / "packed")) == []


def test_a_source_without_any_subset_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds none of the subsets: specgap, silentswap, feedbacktrace"):
        subsets.check(tmp_path)
    with pytest.raises(UsageError, match="does not exist"):
        subsets.check(tmp_path / "nowhere")


def test_broken_rules_are_listed_for_all_subsets(layout: Any) -> None:
    layout.put(f"{SG}/repository/new.py", "")
    (layout.root / "feedbacktrace/artifacts/hidden_gold/ft_001_long.json").unlink()
    layout.put("silentswap/artifacts/visible_bundles/notes.txt", "")
    assert told(layout) == [
        ("error", "visible_bundles/sg_001/repository/new.py", "is not named in visible_files"),
        ("note", "visible_bundles/notes.txt", "is ignored: it is no example"),
        ("error", "hidden_gold/ft_001_long.json", "is missing"),
    ]


def test_deleted_text_that_can_still_be_read_is_a_leak(layout: Any) -> None:
    # The deleted span has six words, so it is looked for as a whole, whatever the case and the punctuation.
    add(layout, "repository/README.md", "Notes.\n\nEMPTY text\n gives an *empty* mapping!\n")
    add(layout, "repository/other.md", "Empty text gives an empty list.\n")
    assert told(layout) == [
        (
            "error",
            "visible_bundles/sg_001/repository/README.md",
            "still says the deleted condition 'kc_001': 'empty text gives an empty mapping'",
        )
    ]


def test_long_deleted_text_is_looked_for_by_ten_words(layout: Any) -> None:
    text = "one two three four five six seven eight nine ten eleven twelve"

    def edit(gold: Any) -> None:
        gold["formal_reference"]["deleted_parts"][0]["deleted_spans"] = [{"exact_text": text}]

    layout.change("specgap/artifacts/hidden_gold/sg_001.json", edit)
    add(layout, "repository/nine.md", "two three four five six seven eight nine ten")
    assert told(layout) == []
    add(layout, "repository/ten.md", "two three four five six seven eight nine ten eleven")
    assert [file for _, file, _ in told(layout)] == ["visible_bundles/sg_001/repository/ten.md"]


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("repository/.git/HEAD", ".git"),
        ("repository/conf/__pycache__/load.cpython-311.pyc", "__pycache__"),
        ("repository/conf/load.pyc", "load.pyc"),
        ("repository/conf.egg-info/PKG-INFO", "conf.egg-info"),
        ("repository/docs/_build/index.html", "_build"),
    ],
)
def test_leftovers_are_errors(layout: Any, path: str, part: str) -> None:
    add(layout, path, "x")
    rule = f"has no place in a bundle: {part!r} is a leftover of tools or history"
    assert told(layout) == [("error", f"visible_bundles/sg_001/{path}", rule)]


def test_gold_that_points_outside_is_a_note(layout: Any) -> None:
    def edit(gold: Any) -> None:
        item = gold["formal_reference"]["code_mappings"]["comparison_items"][0]
        item["condition_by_condition"]["evidence"][0]["locations"][0]["file_path"] = "gone.py"
        item["holistic_alignment"]["evidence"][0]["locations"][0]["line_ranges"] = [{"start": 7, "end": 8}]

    layout.change("specgap/artifacts/hidden_gold/sg_001.json", edit)
    layout.change("silentswap/artifacts/hidden_gold/ss_001.json", lambda g: g.update(source_line_counts=COUNTS))
    assert told(layout) == [
        ("note", "hidden_gold/sg_001.json", "'kc_001' is mapped to 'gone.py', which is not in the repository"),
        ("note", "hidden_gold/sg_001.json", "'kc_001' is mapped to lines past the end of 'conf/load.py'"),
        (
            "note",
            "hidden_gold/ss_001.json",
            "source_line_counts says 9 lines for 'conf/load.py', which has 7",
        ),
    ]


COUNTS = {"conf/load.py": 9}
