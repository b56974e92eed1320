"""Rebuild and compare, and the forms for other graph tools."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

import ebg
from ebg import store
from ebg.errors import SourceError
from tests.view.graphs import EX11_FILES, build, ex11

SOURCE = {path: text.encode() for path, text in EX11_FILES.items()}


def test_a_graph_of_its_source_verifies(tmp_path: Path) -> None:
    graph = build(EX11_FILES)
    store.save(store.publish(graph, input_id="a", benchmark="b"), tmp_path / "g.json")
    assert store.verify(tmp_path / "g.json", SOURCE) == ()
    assert store.verify(graph, SOURCE) == ()


def test_a_real_package_keeps_everything_and_verifies(root: Path, tmp_path: Path) -> None:
    graph = ebg.build(root / "ebg" / "view")
    form = store.publish(graph, input_id="view", benchmark="repository")
    store.save(form, tmp_path / "g.json")
    assert store.load(tmp_path / "g.json") == form
    assert len(form.behaviors) == len(graph.behaviors) > 100
    assert form.source_contexts
    assert store.verify(tmp_path / "g.json", root / "ebg" / "view") == ()


def test_a_changed_line_is_found() -> None:
    changed = {**SOURCE, "util.py": b"def helper():\n    return 2\n"}
    problems = store.verify(ebg.build(SOURCE), changed)
    assert problems[0] == "E000008: util.py lines 2-2 read differently in the source"
    assert "E000008: content differ from a rebuild" in problems


def test_a_missing_file_is_found() -> None:
    missing = {path: data for path, data in SOURCE.items() if path != "util.py"}
    problems = store.verify(ebg.build(SOURCE), missing)
    assert "E000007: the source has no file util.py" in problems
    assert "8 evidence records, but a rebuild gives 6" in problems


def test_a_source_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        store.verify(ebg.build(SOURCE), tmp_path / "none")


def test_node_link_reads_back_as_the_same_networkx_graph(tmp_path: Path) -> None:
    graph = ex11()
    store.node_link(graph, tmp_path / "g.json")
    read = nx.node_link_graph(json.loads((tmp_path / "g.json").read_text()), edges="edges")
    expected = graph.to_networkx("evidence")
    assert set(read.nodes) == set(expected.nodes)
    assert set(read.edges(keys=True)) == set(expected.edges(keys=True))


def test_graphml_reads_back_with_the_same_nodes_and_relations(tmp_path: Path) -> None:
    graph = ex11()
    store.graphml(graph, tmp_path / "g.graphml")
    read = nx.read_graphml(tmp_path / "g.graphml")
    expected = graph.to_networkx("evidence")
    assert set(read.nodes) == set(expected.nodes)
    assert sorted((s, t, d["relation"]) for s, t, d in read.edges(data=True)) == sorted(expected.edges(keys=True))


def test_graphml_replaces_what_xml_cannot_hold(tmp_path: Path) -> None:
    store.graphml(build({"a\x01b.py": "X = 1\n"}), tmp_path / "g.graphml")
    assert "a\ufffdb.py::<module>" in nx.read_graphml(tmp_path / "g.graphml").nodes
