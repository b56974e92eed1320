"""Saving, loading, checking and exporting graphs.

`save` and `load` use the published form in one file (specification part 1.7): what others can read. `save_set` and
`load_set` use the folder of files of the release. `verify` rebuilds from the source and compares. `node_link` and
`graphml` are for other graph tools; they are not read back.

All writing is atomic, and a file whose bytes would stay the same is not touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ebg import _files
from ebg._published import PublishedGraph, SourceContext, publish
from ebg._published_reading import parse
from ebg.errors import GraphError, UsageError
from ebg.model import RepositoryGraph

if TYPE_CHECKING:
    from ebg.trajectory import TrajectoryGraph
    from ebg.view import Directory

__all__ = [
    "PublishedGraph",
    "SourceContext",
    "graphml",
    "load",
    "load_set",
    "node_link",
    "parse",
    "publish",
    "save",
    "save_set",
    "verify",
]

_SCHEMA_VERSIONS = {"repository": 3, "trajectory": 4}
_OUTPUTS = {
    "evidence": "l3_evidence.jsonl",
    "behaviors": "atomic_behaviors.json",
    "edges": "behavior_edges.json",
    "graph": "behavior_graph.json",
}
_MAX_DIFFERENCES = 50
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def save(graph: PublishedGraph, file: str | Path) -> None:
    """Write a graph to one file in the published form; `publish` makes that form of a `RepositoryGraph`."""
    _files.write_text(Path(file), _files.json_text(graph.to_json()))


def load(file: str | Path) -> PublishedGraph:
    """Read a repository graph from one file in the published form.

    Raises:
        GraphError: when the file cannot be read or breaks a rule; all problems are listed.
    """
    return parse(_files.read_json(Path(file)), where=str(file))


# --- The folder of the release -------------------------------------------------------------------------------------


def save_set(
    graph: RepositoryGraph | TrajectoryGraph,
    root: str | Path,
    *,
    input_id: str,
    benchmark: str,
    task_document: str | None = None,
    directory: Directory | None = None,
) -> Path:
    """Write all files of one example as the release has them; return the folder of the graph.

    Args:
        graph: the graph of a repository or of a session.
        root: gets `behavior_graphs/<input_id>/` and, with a directory, `behavior_directories/<input_id>/`.
        input_id: name of the example; also the name of the folders.
        benchmark: `specgap`, `silentswap` or `feedbacktrace`.
        task_document: Q, for a repository.
        directory: the ranked directory of a view.

    Raises:
        UsageError: when `input_id` cannot be the name of a folder.
    """
    if input_id in ("", ".", "..") or any(char in input_id for char in "/\\\0"):
        raise UsageError(f"input_id {input_id!r} cannot be the name of a folder")
    folder = Path(root) / "behavior_graphs" / input_id
    kind = "repository" if isinstance(graph, RepositoryGraph) else "trajectory"
    form = _to_json(graph, input_id, benchmark)
    evidence, behaviors, edges = form["evidence"], form["behaviors"], form["edges"]
    counts = _counts(graph, len(evidence), len(behaviors), len(edges))
    manifest = {
        "schema_version": _SCHEMA_VERSIONS[kind],
        "method": "ebg",
        "input_id": input_id,
        "benchmark": benchmark,
        "counts": counts,
        "outputs": dict(_OUTPUTS),
    }
    head = {"input_id": input_id, "benchmark": benchmark}
    _files.write_text(folder / _OUTPUTS["evidence"], _files.json_lines(evidence))
    _files.write_text(folder / _OUTPUTS["behaviors"], _files.json_text({**head, "behaviors": behaviors}))
    _files.write_text(folder / _OUTPUTS["edges"], _files.json_text({**head, "edges": edges}))
    _files.write_text(folder / _OUTPUTS["graph"], _files.json_text(form))
    if task_document is not None:
        _files.write_text(folder / "task_document.md", task_document)
    if directory is not None:
        ranked = Path(root) / "behavior_directories" / input_id
        _files.write_text(
            ranked / "ranked_directory.json",
            _files.json_text(directory.to_json(input_id=input_id, benchmark=benchmark)),
        )
        _files.write_text(ranked / "ranked_directory.txt", directory.text)
    # The manifest comes last: a folder that has one is complete.
    _files.write_text(folder / "build_manifest.json", _files.json_text(manifest))
    return folder


def load_set(folder: str | Path) -> PublishedGraph:
    """Read the repository graph of a folder of the release, and check that its files agree.

    Raises:
        GraphError: when a file is missing, breaks a rule, or tells something else than `behavior_graph.json`.
    """
    folder = Path(folder)
    graph = load(folder / _OUTPUTS["graph"])
    lines = _files.read_text(folder / _OUTPUTS["evidence"]).split("\n")
    parts: Sequence[tuple[str, object, object]] = (
        ("evidence", [_files.parse_json(line, _OUTPUTS["evidence"]) for line in lines if line], graph.evidence_json()),
        ("behaviors", _rows(_files.read_json(folder / _OUTPUTS["behaviors"]), "behaviors"), graph.behaviors_json()),
        ("edges", _rows(_files.read_json(folder / _OUTPUTS["edges"]), "edges"), graph.edges_json()),
    )
    wrong = [_OUTPUTS[name] for name, found, expected in parts if found != expected]
    if wrong:
        raise GraphError(f"{folder}: {', '.join(wrong)} and {_OUTPUTS['graph']} tell different things")
    return graph


def _rows(value: object, key: str) -> object:
    # Both a bare list and an object with its head are in use.
    return value.get(key) if isinstance(value, dict) else value


def _to_json(graph: RepositoryGraph | TrajectoryGraph, input_id: str, benchmark: str) -> dict[str, list[object]]:
    form: Mapping[str, object]
    if isinstance(graph, RepositoryGraph):
        form = publish(graph, input_id=input_id, benchmark=benchmark).to_json()
    else:
        from ebg.trajectory import to_published

        form = {**to_published(graph, strict=True), "input_id": input_id, "benchmark": benchmark}
    return dict(form)  # type: ignore[arg-type]  # lists under every key but the two names, which nobody takes apart


def _counts(graph: RepositoryGraph | TrajectoryGraph, evidence: int, behaviors: int, edges: int) -> Mapping[str, int]:
    files = excluded = events = 0
    if isinstance(graph, RepositoryGraph):
        files, excluded = len(graph.files), len(graph.excluded)
    else:
        events = len(graph.evidence)
    return {
        "visible_repository_files": files + excluded,
        "retained_production_artifacts": files,
        "excluded_repository_files": excluded,
        "l3_facts": evidence,
        "behaviors": behaviors,
        "edges": edges,
        "symbols": 0,  # the release has no symbol nodes
        "graph_edges": edges,
        "trace_events": events,
    }


# --- Verification --------------------------------------------------------------------------------------------------


def verify(
    graph: RepositoryGraph | PublishedGraph | str | Path,
    source: str | Path | Mapping[str, bytes],
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
) -> tuple[str, ...]:
    """Rebuild a graph from its source and say what differs; an empty answer means that it is the same.

    Every evidence is also compared with its lines in the source, whatever graph it came with.

    Args:
        graph: a graph, or a file in the published form.
        source: what it was built from, as for `ebg.build`.
        include: as for `ebg.build`.
        exclude: as for `ebg.build`.

    Raises:
        GraphError: when the file breaks a rule of the form.
        SourceError: when the source cannot be read.
    """
    from ebg.repository import build

    form = load(graph) if isinstance(graph, str | Path) else graph
    if isinstance(form, RepositoryGraph):
        form = publish(form, input_id="", benchmark="")
    rebuilt = build(source, include=include, exclude=exclude)
    expected = publish(rebuilt, input_id=form.input_id, benchmark=form.benchmark)
    found = [*_compare_with_lines(form, rebuilt), *_compare(form, expected)]
    found = list(dict.fromkeys(found))
    more = len(found) - _MAX_DIFFERENCES
    return (*found[:_MAX_DIFFERENCES], f"and {more} more differences") if more > 0 else tuple(found)


def _compare_with_lines(form: PublishedGraph, rebuilt: RepositoryGraph) -> Iterable[str]:
    for item in form.evidence:
        file = rebuilt.files.get(item.path)
        if file is None:
            yield f"{item.id}: the source has no file {item.path}"
        elif "".join(file.lines[item.line_start - 1 : item.line_end]) != item.content:
            yield f"{item.id}: {item.path} lines {item.line_start}-{item.line_end} read differently in the source"


def _compare(form: PublishedGraph, expected: PublishedGraph) -> Iterable[str]:
    parts: Sequence[tuple[str, Sequence[Mapping[str, object]], Sequence[Mapping[str, object]]]] = (
        ("evidence", form.evidence_json(), expected.evidence_json()),
        ("behavior", form.behaviors_json(), expected.behaviors_json()),
        ("edge", form.edges_json(), expected.edges_json()),
    )
    for name, have, want in parts:
        if len(have) != len(want):
            yield f"{len(have)} {name} records, but a rebuild gives {len(want)}"
        for one, other in zip(have, want, strict=False):
            keys = [key for key in one if one[key] != other[key]]
            if keys:
                yield f"{one[f'{name}_id']}: {', '.join(keys)} differ from a rebuild"


# --- Other tools ---------------------------------------------------------------------------------------------------


def node_link(graph: RepositoryGraph, file: str | Path) -> None:
    """Write the graph with all its detail as networkx node-link JSON."""
    import networkx as nx

    data = nx.node_link_data(graph.to_networkx("evidence"), edges="edges")
    _files.write_text(Path(file), _files.json_text(data))


def graphml(graph: RepositoryGraph, file: str | Path) -> None:
    """Write the graph with all its detail as GraphML; sequences become text, since GraphML knows no lists."""
    import networkx as nx

    full = graph.to_networkx("evidence")
    flat: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node, values in full.nodes(data=True):
        flat.add_node(_xml(node), **{key: _scalar(value) for key, value in values.items()})
    for number, (source, target, key, values) in enumerate(full.edges(keys=True, data=True)):
        scalars = {name: _scalar(value) for name, value in values.items()}
        flat.add_edge(_xml(source), _xml(target), key=f"e{number}", relation=key, **scalars)
    _files.write_text(Path(file), "\n".join(nx.generate_graphml(flat)) + "\n")


def _scalar(value: object) -> str | int:
    if isinstance(value, int):
        return value
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " ".join(",".join(map(str, item)) if isinstance(item, tuple) else _xml(str(item)) for item in value)
    return _xml(str(value))


def _xml(text: str) -> str:
    """Replace what XML cannot hold."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
