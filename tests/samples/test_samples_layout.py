"""The bundled samples are what their sources say, in the release layout."""

from __future__ import annotations

import ast
import json
import re

import pytest
from construction._samples import SAMPLES, build_all
from construction._sources import all_sources


@pytest.fixture(scope="module")
def built():
    return build_all()


def test_rebuilding_gives_the_same_bytes(built):
    on_disk = {
        path.relative_to(SAMPLES).as_posix(): path.read_bytes()
        for path in sorted(SAMPLES.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    made = {path: content for path, content in on_disk.items() if path != "README.md"}
    assert sorted(made) == sorted(built)
    assert [path for path in built if made[path] != built[path]] == []


def test_every_manifest_lists_exactly_its_files(built):
    manifests = [path for path in built if path.endswith("/input_manifest.json")]
    assert manifests
    for path in manifests:
        root = path.removesuffix("input_manifest.json")
        manifest = json.loads(built[path])
        assert manifest["input_id"] == root.split("/")[-2]
        assert manifest["benchmark"] == root.split("/")[0]
        others = {other.removeprefix(root) for other in built if other.startswith(root) and other != path}
        assert set(manifest["visible_files"]) == others
        assert len(manifest["visible_files"]) == len(others)


def test_no_file_names_the_machine_that_made_it(built):
    pattern = re.compile(rb"/(?:root|work|Users|var/folders)/|/tmp/(?:session|sample)-")
    assert [path for path, content in built.items() if pattern.search(content)] == []


def test_the_list_of_ids_is_complete(built):
    ids = json.loads(built["samples.json"])
    assert list(ids) == ["specgap", "silentswap", "feedbacktrace"]
    for subset, names in ids.items():
        pattern = {"specgap": r"sg_\d{3}", "silentswap": r"ss_\d{3}", "feedbacktrace": r"ft_\d{3}_long"}[subset]
        assert names == sorted(names)
        assert all(re.fullmatch(pattern, name) for name in names)
        for name in names:
            assert f"{subset}/artifacts/visible_bundles/{name}/input_manifest.json" in built


@pytest.mark.parametrize("source", all_sources(), ids=lambda source: source.name)
def test_packages_are_small_and_documented(source):
    code = {path: text for path, text in source.files.items() if path.startswith(f"{source.name}/")}
    assert len(code) >= 4
    assert 60 <= sum(len(text.splitlines()) for text in code.values()) <= 400
    assert all(ast.get_docstring(ast.parse(text)) for path, text in code.items() if path.endswith(".py"))
    assert 3000 <= len(source.document) <= 8000
    assert any(path.startswith("tests/test_") for path in source.files)
