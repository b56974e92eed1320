"""The writer: the loader reads back what it wrote, and nothing wrong or partial is ever written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import subsets
from agentmonbench.errors import UsageError
from agentmonbench.examples import Document, Example, FeedbackTraceGold
from ebg.trajectory.events import TraceEvent


@pytest.mark.parametrize("name", ["specgap", "silentswap", "feedbacktrace"])
def test_what_is_written_is_read_back(pairs: Any, tmp_path: Path, name: str) -> None:
    subsets.write(tmp_path, pairs[name])
    subset = subsets.load(name, tmp_path)
    assert subset.problems == ()
    assert list(subset) == [example for example, _ in pairs[name]]
    assert [json.loads(subset.gold_json(known)) for known in subset.ids] == [gold for _, gold in pairs[name]]


def test_the_files_are_those_of_the_release(pairs: Any, tmp_path: Path) -> None:
    subsets.write(tmp_path, [*pairs["specgap"][:1], *pairs["feedbacktrace"][:1]])
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert files == [
        "feedbacktrace/artifacts/hidden_gold/ft_001_long.json",
        "feedbacktrace/artifacts/visible_bundles/ft_001_long/input_manifest.json",
        "feedbacktrace/artifacts/visible_bundles/ft_001_long/trace/model_input.json",
        "samples.json",
        "specgap/artifacts/hidden_gold/sg_001.json",
        "specgap/artifacts/visible_bundles/sg_001/documents/3_document_after.md",
        "specgap/artifacts/visible_bundles/sg_001/input_manifest.json",
        "specgap/artifacts/visible_bundles/sg_001/repository/README",
        "specgap/artifacts/visible_bundles/sg_001/repository/conf/load.py",
        "specgap/artifacts/visible_bundles/sg_001/repository/conf/logo.bin",
    ]
    trace = json.loads((tmp_path / files[2]).read_text("utf-8"))
    assert trace["events"][0] == {
        "event_type": "user_prompt",
        "turn_number": 1,
        "content": "Rename the settings file.",
    }
    assert json.loads((tmp_path / "samples.json").read_text()) == {
        "specgap": ["sg_001"],
        "silentswap": [],
        "feedbacktrace": ["ft_001_long"],
    }


def test_examples_are_added_in_order(pairs: Any, tmp_path: Path) -> None:
    first, second = pairs["specgap"]
    subsets.write(tmp_path, [second])
    subsets.write(tmp_path, [first])
    assert subsets.load("specgap", tmp_path).ids == ("sg_002", "sg_001")


def test_gold_may_be_a_model(pairs: Any, tmp_path: Path) -> None:
    example, gold = pairs["feedbacktrace"][0]
    model = FeedbackTraceGold.model_validate(gold | {"annotator": "A"})
    subsets.write(tmp_path, [(example, model)])
    assert subsets.load("feedbacktrace", tmp_path).gold("ft_001_long") == model


def test_an_example_that_is_there_is_kept(pairs: Any, tmp_path: Path) -> None:
    example, gold = pairs["specgap"][0]
    subsets.write(tmp_path, [(example, gold)])
    changed = Example(id=example.id, subset="specgap", document=example.document, files={"only.py": b"x = 1\n"})
    with pytest.raises(UsageError, match=r"is in .* already"):
        subsets.write(tmp_path, [(changed, gold)])
    assert subsets.load("specgap", tmp_path)[0] == example
    subsets.write(tmp_path, [(changed, gold)], overwrite=True)
    assert list(subsets.load("specgap", tmp_path)[0].files) == ["only.py"]


def test_nothing_of_a_broken_example_is_written(pairs: Any, tmp_path: Path) -> None:
    example, gold = pairs["specgap"][0]
    assert example.document is not None
    escaping = Example(id="sg_009", subset="specgap", document=example.document, files={"../../../x.py": b""})
    with pytest.raises(subsets.BundleError, match="is not canonical"):
        subsets.write(tmp_path / "out", [(escaping, gold | {"input_id": "sg_009"})])
    with pytest.raises(subsets.BundleError, match=r"hidden_gold/sg_001\.json: conditions is empty"):
        subsets.write(tmp_path / "out", [(example, gold | {"conditions": []})])
    with pytest.raises(UsageError, match=r"'\.\./up' is no id"):
        subsets.write(tmp_path / "out", [(Example(id="../up", subset="specgap"), gold)])
    assert list(tmp_path.iterdir()) == []


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(contents=st.lists(text, min_size=1, max_size=4), document=text, blob=st.binary(max_size=20))
def test_any_text_and_any_bytes_survive(
    tmp_path_factory: pytest.TempPathFactory, pairs: Any, contents: list[str], document: str, blob: bytes
) -> None:
    root = tmp_path_factory.mktemp("written")
    session, gold = pairs["feedbacktrace"][0]
    events = tuple(TraceEvent("assistant_response", 1, each, f"e_{n}") for n, each in enumerate(contents))
    session = replace(session, events=events)
    repository, other_gold = pairs["specgap"][0]
    repository = replace(
        repository,
        document=Document(repository.document.path, document),
        files=MappingProxyType({"a.bin": blob, "b.txt": document.encode()}),
    )
    subsets.write(root, [(session, gold | {"evidence_ids": ["e_0"]}), (repository, other_gold)])
    assert list(subsets.load("feedbacktrace", root)) == [session]
    assert list(subsets.load("specgap", root)) == [repository]
