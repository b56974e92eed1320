"""Hugging Face `datasets`, offline: rows and folders lose nothing, and gold is a config of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import subsets
from agentmonbench.errors import UsageError

datasets = pytest.importorskip("datasets")

NAMES = ["specgap", "silentswap", "feedbacktrace"]


@pytest.fixture
def release(pairs: Any, tmp_path: Path) -> Path:
    for name in NAMES:
        subsets.write(tmp_path / "release", pairs[name])
    return tmp_path / "release"


def read_back(folder: Path, config: str) -> Any:
    return datasets.load_dataset(str(folder), config, split="test", cache_dir=str(folder.parent / "cache"))


@pytest.mark.parametrize("name", NAMES)
def test_a_dataset_has_the_full_visible_rows_and_no_gold(release: Path, name: str) -> None:
    subset = subsets.load(name, release)
    rows = subsets.to_datasets(subset)
    assert rows.column_names == ["id", "subset", "document", "files", "events", "cutoff_turn"]
    assert [subsets.from_row(row) for row in rows] == list(subset)


def test_an_exported_folder_is_read_back_with_nothing_lost(release: Path, tmp_path: Path) -> None:
    folder = tmp_path / "exported"
    for name in NAMES:
        assert subsets.export(subsets.load(name, release), folder) == folder
    assert sorted(datasets.get_dataset_config_names(str(folder))) == sorted([*NAMES, *(f"{n}_gold" for n in NAMES)])
    for name in NAMES:
        subset = subsets.load(name, release)
        rows = read_back(folder, name)
        assert "gold" not in rows.column_names
        assert [subsets.from_row(row) for row in rows] == list(subset)
        gold = read_back(folder, f"{name}_gold")
        assert gold["id"][:] == list(subset.ids)
        files = [release / name / "artifacts/hidden_gold" / f"{known}.json" for known in subset.ids]
        assert [text.encode() for text in gold["gold"][:]] == [file.read_bytes() for file in files]


def test_bytes_that_are_no_text_survive(release: Path) -> None:
    row = subsets.to_datasets(subsets.load("specgap", release))[0]
    assert [(file["path"], file["text"], file["bytes"]) for file in row["files"]][0::2] == [
        ("README", "Größe\r\n", None),
        ("conf/logo.bin", None, b"\x00\xff\xfe"),
    ]


def test_explicit_nulls_and_unknown_keys_of_gold_survive(layout: Any, tmp_path: Path) -> None:
    def edit(gold: Any) -> None:
        gold.update(annotator={"name": "A", "age": None}, source_sample_id=None)

    layout.change("specgap/artifacts/hidden_gold/sg_001.json", edit)
    folder = subsets.export(subsets.load("specgap", layout.root), tmp_path / "exported")
    gold = json.loads(read_back(folder, "specgap_gold")[0]["gold"])
    assert gold["annotator"] == {"name": "A", "age": None}
    assert "source_sample_id" in gold


def test_the_card_says_where_the_data_is_from_and_names_no_path(release: Path, tmp_path: Path) -> None:
    subset = subsets.load("specgap", release)
    folder = subsets.export(subset, tmp_path / "exported")
    card = (folder / "README.md").read_text("utf-8")
    assert card.startswith("---\npretty_name: AgentMonBench\nlicense: unknown\nconfigs:\n- config_name: specgap\n")
    assert f"| `specgap`, `specgap_gold` | 2 | a local copy | `{subset.fingerprint}` |" in card
    assert str(tmp_path) not in card


def test_nothing_is_overwritten_unasked(release: Path, tmp_path: Path) -> None:
    subset = subsets.load("specgap", release)
    folder = subsets.export(subset, tmp_path / "exported")
    with pytest.raises(UsageError, match="exists already"):
        subsets.export(subset, folder)
    subsets.export(subsets.load("specgap", release, limit=1), folder, overwrite=True)
    assert len(read_back(folder, "specgap")) == 1


def test_broken_examples_are_all_named_and_nothing_is_written(release: Path, tmp_path: Path) -> None:
    for known in ("sg_001", "sg_002"):
        (release / "specgap/artifacts/hidden_gold" / f"{known}.json").unlink()
    subset = subsets.load("specgap", release)
    for convert in (subsets.to_datasets, lambda broken: subsets.export(broken, tmp_path / "exported")):
        with pytest.raises(subsets.BundleError) as caught:
            convert(subset)
        assert [problem.example for problem in caught.value.problems] == ["sg_001", "sg_002"]
    assert not (tmp_path / "exported").exists()
