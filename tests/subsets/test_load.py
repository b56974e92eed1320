"""Opening a subset: every source gives the same examples, and nothing is guessed."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest

import subsets
from agentmonbench.errors import DataError, UsageError
from agentmonbench.examples import FeedbackTraceGold, SilentSwapGold, SpecGapGold


def test_a_folder_made_by_hand_is_read(layout: Any) -> None:
    subset = subsets.load("specgap", layout.root)
    assert subset.ids == ("sg_001",)
    assert subset.problems == ()
    (example,) = subset
    assert example.document is not None
    assert example.document.path == "documents/3_document_after.md"
    assert example.document.text == "# Load\n\nText of pairs gives a mapping.\n"
    assert list(example.files) == ["conf/load.py", "conf/logo.bin"]
    assert example.files["conf/logo.bin"] == b"\x00\xff\xfe"
    gold = subset.gold("sg_001")
    assert isinstance(gold, SpecGapGold)
    assert gold.conditions[0].condition_id == "kc_001"


def test_a_session_made_by_hand_is_read(layout: Any) -> None:
    subset = subsets.load("feedbacktrace", layout.root)
    example = subset["ft_001_long"]
    assert (example.cutoff_turn, example.document, dict(example.files)) == (3, None, {})
    assert [(event.event_type, event.turn_number, event.evidence_id, event.tool_name) for event in example.events] == [
        ("user_prompt", 1, None, None),
        ("assistant_response", 1, "e_1_assistant_response_0", None),
        ("tool_exchange", 2, "e_1_tool_exchange_0", "sh"),
    ]
    gold = subset.gold("ft_001_long")
    assert isinstance(gold, FeedbackTraceGold)
    assert gold.evidence_ids == ("e_1_tool_exchange_0",)


def test_a_swapped_repository_made_by_hand_is_read(layout: Any) -> None:
    gold = subsets.load("silentswap", layout.root).gold("ss_001")
    assert isinstance(gold, SilentSwapGold)
    assert [swap.localization.line_ranges[0].start for swap in gold.swaps] == [1, 4, 5, 6, 7]


@pytest.mark.parametrize("tar_format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("subset", ["specgap", "silentswap", "feedbacktrace"])
def test_every_source_gives_the_same_examples(layout: Any, tmp_path: Path, subset: str, tar_format: int) -> None:
    archive = layout.pack(subset, tmp_path / "packed", tar_format)
    root = subsets.load(subset, layout.root)
    for source in (layout.root / subset, archive, archive.parent, str(archive)):
        other = subsets.load(subset, source)
        assert list(other) == list(root)
        assert other.gold(other.ids[0]) == root.gold(root.ids[0])
        assert other.fingerprint == root.fingerprint


def test_the_allow_list_says_which_examples_there_are_and_their_order(pairs: Any, tmp_path: Path) -> None:
    subsets.write(tmp_path, pairs["specgap"])
    assert subsets.load("specgap", tmp_path).ids == ("sg_001", "sg_002")
    (tmp_path / "samples.json").write_text('{"specgap": ["sg_002"]}')
    subset = subsets.load("specgap", tmp_path)
    assert subset.ids == ("sg_002",)
    assert [(note.file, note.level) for note in subset.notes] == [("visible_bundles/sg_001", "note")]
    assert "sg_001" not in subset
    (tmp_path / "samples.json").write_text('{"specgap": ["sg_002", "sg_001"]}')
    assert subsets.load("specgap", tmp_path).ids == ("sg_002", "sg_001")


def test_without_a_list_the_ids_are_sorted_and_strays_are_noted(layout: Any) -> None:
    layout.put("specgap/artifacts/visible_bundles/.cache/x", "")
    layout.put("specgap/artifacts/visible_bundles/notes.txt", "")
    layout.put("specgap/artifacts/hidden_gold/readme.txt", "")
    layout.put("specgap/artifacts/preparation/sg_001.json", "{}")
    subset = subsets.load("specgap", layout.root)
    assert subset.ids == ("sg_001",)
    assert [note.file for note in subset.notes] == [
        "visible_bundles/.cache",
        "visible_bundles/notes.txt",
        "hidden_gold/readme.txt",
    ]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"silentswap": []}', "has no array of ids under 'specgap'"),
        ('{"specgap": ["sg_001", "sg_001"]}', "lists 'sg_001' 2 times"),
        ('{"specgap": ["../../etc"]}', "'../../etc' is no id"),
        ('{"specgap": []}', "holds no example"),
        ("{", "is not JSON"),
    ],
)
def test_a_broken_allow_list_stops_the_source(layout: Any, text: str, rule: str) -> None:
    layout.put("samples.json", text)
    with pytest.raises(DataError, match=rule):
        subsets.load("specgap", layout.root)


def test_ids_and_limit_keep_the_fixed_order(pairs: Any, tmp_path: Path) -> None:
    subsets.write(tmp_path, pairs["silentswap"])
    assert subsets.load("silentswap", tmp_path, limit=1).ids == ("ss_001",)
    assert subsets.load("silentswap", tmp_path, limit=9).ids == ("ss_001", "ss_002")
    assert subsets.load("silentswap", tmp_path, ids=["ss_002", "ss_001"]).ids == ("ss_001", "ss_002")
    assert subsets.load("silentswap", tmp_path, ids=["ss_002"], limit=1).ids == ("ss_002",)


def test_wrong_names_list_the_right_ones(layout: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'specgaps'.*specgap, silentswap, feedbacktrace"):
        subsets.load("specgaps", layout.root)
    with pytest.raises(UsageError, match=r"'sg_01'; did you mean 'sg_001'\? Valid ids: sg_001"):
        subsets.load("specgap", layout.root, ids=["sg_01"])
    with pytest.raises(UsageError, match=r"unknown specgap example 'x'.*Valid ids: sg_001"):
        subsets.load("specgap", layout.root).gold("x")
    with pytest.raises(UsageError, match="limit is 0"):
        subsets.load("specgap", layout.root, limit=0)
    with pytest.raises(UsageError, match=r"does not exist\. A source is 'sample', a folder"):
        subsets.load("specgap", tmp_path / "nowhere")
    with pytest.raises(UsageError, match="holds no specgap: it has neither specgap/artifacts nor"):
        subsets.load("specgap", tmp_path)
    with pytest.raises(UsageError, match="is a file of another kind"):
        subsets.load("specgap", layout.put("data.zip", ""))


def test_the_fingerprint_sees_every_byte_of_the_selected_examples(pairs: Any, tmp_path: Path) -> None:
    subsets.write(tmp_path, pairs["specgap"])
    before = subsets.load("specgap", tmp_path)
    first = subsets.load("specgap", tmp_path, limit=1).fingerprint
    assert len(before.fingerprint) == 64
    assert first != before.fingerprint
    gold = tmp_path / "specgap/artifacts/hidden_gold/sg_002.json"
    gold.write_bytes(gold.read_bytes() + b" ")
    assert subsets.load("specgap", tmp_path).fingerprint != before.fingerprint
    assert subsets.load("specgap", tmp_path, limit=1).fingerprint == first


def test_a_position_and_an_id_name_the_same_example(layout: Any) -> None:
    subset = subsets.load("specgap", layout.root)
    assert subset[0] == subset["sg_001"] == subset.example("sg_001")
    assert len(subset) == 1


def test_a_folder_or_archive_of_another_subset_is_no_source(layout: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no specgap"):
        subsets.load("specgap", layout.root / "silentswap")
    with pytest.raises(UsageError, match=r"holds no specgap: nothing in it is below specgap/artifacts"):
        subsets.load("specgap", layout.pack("silentswap", tmp_path / "packed"))


def test_the_samples_are_read_although_installers_compile_them(
    pairs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subsets.write(tmp_path, pairs["specgap"])
    monkeypatch.setattr("subsets._sources.SAMPLES", tmp_path)
    compiled = tmp_path / "specgap/artifacts/visible_bundles/sg_001/repository/conf/__pycache__"
    compiled.mkdir()
    (compiled / "load.cpython-311.pyc").write_bytes(b"")
    assert subsets.load("specgap").problems == ()
    # In anybody else's data it is a file that the manifest does not name.
    assert [problem.rule for problem in subsets.load("specgap", tmp_path).problems] == ["is not named in visible_files"]


@pytest.mark.parametrize("name", ["specgap", "silentswap", "feedbacktrace"])
def test_the_bundled_samples_are_sound(name: str) -> None:
    subset = subsets.load(name)
    assert len(subset) >= 4
    assert subset.problems == ()
