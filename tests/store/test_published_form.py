"""The published form of a repository graph: written, read and checked exactly (specification parts 1.2 to 1.8)."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebg import store
from ebg.errors import GraphError, UsageError
from ebg.view import RepositoryView
from tests.view.graphs import EX11_Q, build, ex11


def form() -> dict[str, Any]:
    return copy.deepcopy(store.publish(ex11(), input_id="sg_001", benchmark="specgap").to_json())


def test_the_keys_are_exactly_the_published_ones() -> None:
    graph = form()
    assert list(graph) == ["input_id", "benchmark", "evidence", "behaviors", "source_contexts", "edges"]
    # cfg.toml stands between api.py and other.py; evidence is in path order.
    assert graph["evidence"][2] == {
        "evidence_id": "E000003",
        "source_type": "code",
        "locator": {"path": "api.py", "symbol": "run", "line_start": 4, "line_end": 4},
        "content": "    return helper()\n",
    }
    assert graph["behaviors"][0] == {
        "behavior_id": "B0001",
        "artifact_kind": "source",
        "path": "api.py",
        "symbol": "run",
        "symbol_lines": [3, 4],
        "result_type": "return",
        "trigger_evidence_ids": [],
        "operation_evidence_ids": [],
        "result_evidence_ids": ["E000003"],
    }
    assert graph["source_contexts"][0] == {
        "artifact_kind": "source",
        "path": "api.py",
        "symbol": "run",
        "lines": [3, 4],
        "source": "def run():\n    return helper()\n",
    }
    run, helper = {"path": "api.py", "symbol": "run"}, {"path": "util.py", "symbol": "helper"}
    ids = {e["locator"]["path"]: e["evidence_id"] for e in graph["evidence"]}  # the last of each file
    assert graph["edges"] == [
        {"edge_id": "R0001", "from": run, "type": "calls", "to": helper, "via": None, "evidence_ids": ["E000003"]},
        {
            "edge_id": "R0002",
            "from": helper,
            "type": "feeds",
            "to": run,
            "via": "result",
            "evidence_ids": ["E000003", ids["util.py"]],
        },
    ]


def test_one_file_round_trip_keeps_everything(tmp_path: Path) -> None:
    graph = store.publish(ex11(), input_id="mine", benchmark="repository")
    store.save(graph, tmp_path / "graph.json")
    assert store.load(tmp_path / "graph.json") == graph
    text = (tmp_path / "graph.json").read_text()
    assert text.startswith('{\n  "input_id": "mine",\n')
    assert text.endswith("}\n")


def test_scopes_without_behaviors_have_no_place_and_ids_stay_contiguous() -> None:
    graph = ex11()
    dropped = type(graph)(
        files=graph.files.values(),
        scopes=graph.scopes.values(),
        evidence=graph.evidence,
        behaviors=[b for b in graph.behaviors if b.scope.symbol != "helper"],
        relations=graph.relations,
    )
    assert store.publish(dropped, input_id="x", benchmark="y").relations == ()


def test_the_set_has_the_files_of_the_release_and_reads_back(tmp_path: Path) -> None:
    graph = ex11()
    directory = RepositoryView(graph, EX11_Q).directory
    folder = store.save_set(
        graph, tmp_path, input_id="sg_001", benchmark="specgap", task_document=EX11_Q, directory=directory
    )
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()) == [
        "behavior_directories/sg_001/ranked_directory.json",
        "behavior_directories/sg_001/ranked_directory.txt",
        "behavior_graphs/sg_001/atomic_behaviors.json",
        "behavior_graphs/sg_001/behavior_edges.json",
        "behavior_graphs/sg_001/behavior_graph.json",
        "behavior_graphs/sg_001/build_manifest.json",
        "behavior_graphs/sg_001/l3_evidence.jsonl",
        "behavior_graphs/sg_001/task_document.md",
    ]
    assert store.load_set(folder) == store.publish(graph, input_id="sg_001", benchmark="specgap")
    manifest = json.loads((folder / "build_manifest.json").read_text())
    assert list(manifest) == ["schema_version", "method", "input_id", "benchmark", "counts", "outputs"]
    assert manifest["schema_version"] == 3
    assert manifest["counts"] == {
        "visible_repository_files": 4,
        "retained_production_artifacts": 4,
        "excluded_repository_files": 0,
        "l3_facts": len(graph.evidence),
        "behaviors": 4,
        "edges": 2,
        "symbols": 0,
        "graph_edges": 2,
        "trace_events": 0,
    }
    first = (folder / "l3_evidence.jsonl").read_text().split("\n")[0]
    assert first == (
        '{"evidence_id":"E000001","source_type":"code","locator":{"path":"api.py","symbol":"<module>",'
        '"line_start":1,"line_end":1},"content":"from util import helper\\n"}'
    )


def test_a_set_whose_files_disagree_is_refused(tmp_path: Path) -> None:
    folder = store.save_set(ex11(), tmp_path, input_id="a", benchmark="specgap")
    (folder / "behavior_edges.json").write_text('{"edges": []}')
    with pytest.raises(GraphError, match=r"behavior_edges\.json and behavior_graph\.json tell different things"):
        store.load_set(folder)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a\0b"])
def test_an_id_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="folder"):
        store.save_set(ex11(), tmp_path, input_id=name, benchmark="specgap")


def test_unchanged_files_are_not_written_again_and_no_temporary_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "graph.json"
    graph = store.publish(ex11(), input_id="a", benchmark="b")
    store.save(graph, file)
    before = file.stat().st_mtime_ns, file.stat().st_ino
    store.save(graph, file)
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before
    assert [item.name for item in tmp_path.iterdir()] == ["graph.json"]


def test_line_ends_and_odd_characters_survive(tmp_path: Path) -> None:
    graph = build({"a.py": "X = 'é\u2028日'\r\nY = 1\n"})
    form = store.publish(graph, input_id="ä", benchmark="x")
    store.save(form, tmp_path / "g.json")
    assert store.load(tmp_path / "g.json") == form
    assert "日" in (tmp_path / "g.json").read_text(encoding="utf-8")


# --- Checks --------------------------------------------------------------------------------------------------------

Change = Callable[[dict[str, Any]], object]
BREAKS: list[tuple[str, Change]] = [
    ("key 'edges' is missing", lambda g: g.pop("edges")),
    ("unknown key 'extra'", lambda g: g.update(extra=1)),
    ("'input_id' cannot be a number", lambda g: g.update(input_id=3)),
    ("id 'E000009' stands where 'E000001' is due", lambda g: g["evidence"][0].update(evidence_id="E000009")),
    ("content has 2 lines", lambda g: g["evidence"][0].update(content="a\nb\n")),
    ("no 1-based inclusive range", lambda g: g["evidence"][0]["locator"].update(line_start=0)),
    ("source_type is 'code'", lambda g: g["evidence"][0].update(source_type="trace")),
    ("unknown key 'turn'", lambda g: g["evidence"][0]["locator"].update(turn=1)),
    ("'line_end' cannot be true or false", lambda g: g["evidence"][0]["locator"].update(line_end=True)),
    ("evidence[1] is out of order", lambda g: g["evidence"][1]["locator"].update(path="A")),
    ("differs from its source context", lambda g: g["evidence"][2].update(content="    return other()\n")),
    ("there is no evidence 'E999999'", lambda g: g["behaviors"][0].update(operation_evidence_ids=["E999999"])),
    ("is a list of different ids", lambda g: g["behaviors"][0].update(result_evidence_ids=["E000003", "E000003"])),
    ("needs at least one id", lambda g: g["behaviors"][0].update(result_evidence_ids=[])),
    ("result_type is one of return", lambda g: g["behaviors"][0].update(result_type="explode")),
    ("belongs to api.py::<module>", lambda g: g["behaviors"][0].update(operation_evidence_ids=["E000001"])),
    ("lies outside symbol_lines 3-3", lambda g: g["behaviors"][0].update(symbol_lines=[3, 3])),
    ("symbol_lines is [first, last]", lambda g: g["behaviors"][0].update(symbol_lines=[4, 3])),
    ("no source context of api.py::run", lambda g: g["source_contexts"].pop(0)),
    ("source has 1 lines", lambda g: g["source_contexts"][0].update(source="def run():\n")),
    ("via is null for calls", lambda g: g["edges"][0].update(via="x")),
    ("via is null for calls and a name for feeds", lambda g: g["edges"][1].update(via=None)),
    ("api.py::nothing owns no behavior", lambda g: g["edges"][0]["from"].update(symbol="nothing")),
    ("type is one of calls, feeds", lambda g: g["edges"][0].update(type="imports")),
    ("edges[1] is out of order", lambda g: g["edges"].__setitem__(1, dict(g["edges"][0], edge_id="R0002"))),
    ("behaviors[0] is an object, not null", lambda g: g["behaviors"].__setitem__(0, None)),
]


@pytest.mark.parametrize(("message", "change"), BREAKS, ids=[message for message, _ in BREAKS])
def test_each_broken_rule_is_named(message: str, change: Change) -> None:
    graph = form()
    store.parse(graph)
    change(graph)
    with pytest.raises(GraphError) as caught:
        store.parse(graph)
    assert message in str(caught.value)


def test_all_problems_are_told_at_once() -> None:
    graph = form()
    graph["behaviors"][0]["result_type"] = "explode"
    graph["edges"][0]["type"] = "imports"
    graph["evidence"][0]["content"] = ""
    with pytest.raises(GraphError) as caught:
        store.parse(graph, where="g.json")
    assert str(caught.value).count("\n") == 4  # `imports` also needs a name in via
    assert str(caught.value).startswith("g.json is no graph in the published form:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no JSON"),
        ('{"a": 1, "a": 2}', "a key is given twice"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "the graph is an object, not a list"),
    ],
)
def test_files_that_are_no_graph_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(GraphError, match=message):
        store.load(tmp_path / "g.json")


def test_a_missing_or_undecodable_file_is_a_graph_error(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="cannot read"):
        store.load(tmp_path / "none.json")
    (tmp_path / "g.json").write_bytes(b"\xff")
    with pytest.raises(GraphError, match="not UTF-8"):
        store.load(tmp_path / "g.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150)
@given(part=st.sampled_from(["evidence", "behaviors", "source_contexts", "edges"]), value=JSON, data=st.data())
def test_no_value_anywhere_makes_anything_but_a_graph_error(part: str, value: object, data: st.DataObject) -> None:
    graph = form()
    row = graph[part][0]
    key = data.draw(st.sampled_from(sorted(row)))
    row[key] = value
    with contextlib.suppress(GraphError):
        store.parse(graph)
