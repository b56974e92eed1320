"""The commands on repositories: build, view, stats, verify. Each takes parsed arguments and returns the exit code."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ebg._terminal import print_json, print_text
from ebg.errors import UsageError

if TYPE_CHECKING:
    from ebg.model import RepositoryGraph
    from ebg.store import PublishedGraph
    from ebg.view import RepositoryView

__all__ = ["run_build", "run_stats", "run_verify", "run_view"]

_MAX_LISTED = 20


def run_build(arguments: argparse.Namespace) -> int:
    """Build a graph and write it."""
    from ebg import store

    graph = _graph(arguments)
    output: Path = arguments.output
    if arguments.format == "published":
        name = arguments.id or Path(arguments.path).resolve().name
        store.save(store.publish(graph, input_id=name, benchmark=arguments.benchmark), output)
    elif arguments.format == "node-link":
        store.node_link(graph, output)
    else:
        store.graphml(graph, output)
    if arguments.json:
        print_json({"output": str(output), **_count(graph)})
    else:
        print_text(f"{output}: {_sum_up(graph)}")
    return 0


def run_view(arguments: argparse.Namespace) -> int:
    """Show the directory, reads or a search of a repository."""
    from ebg.view import RepositoryView

    requirements = "" if arguments.requirements is None else _read(arguments.requirements)
    view = RepositoryView(
        _graph(arguments),
        requirements,
        order=arguments.order,
        behaviors="behaviors" not in arguments.without,
        relations="relations" not in arguments.without,
        guidance="guidance" not in arguments.without,
        hops=arguments.hops,
        max_neighbors=arguments.max_neighbors,
    )
    if arguments.search is not None:
        reply = view.search(arguments.search)
        hits = [{"id": h.id, "path": h.path, "symbols": list(h.symbols), "match": h.match} for h in reply.hits]
        _output(arguments, reply.text, {"total": reply.total, "hits": hits})
    if arguments.files:
        unit = view.read(_ids(view, arguments.files))
        lines = {path: sorted(numbers) for path, numbers in unit.lines.items()}
        form = {"text": unit.text, "lines": lines, "deferred": list(unit.deferred), "tokens": unit.tokens}
        _output(arguments, unit.text, form)
    if arguments.search is None and not arguments.files:
        name = Path(arguments.path).resolve().name
        directory = view.directory
        _output(arguments, directory.text, directory.to_json(input_id=name, benchmark="repository"))
    return 0


def run_stats(arguments: argparse.Namespace) -> int:
    """Count what is in a repository or a saved graph."""
    path = Path(arguments.path)
    if path.is_file() and path.suffix == ".json":
        from ebg import store

        counts: Mapping[str, object] = _count_published(store.load(path))
    else:
        counts = _count(_graph(arguments))
    if arguments.json:
        print_json(counts)
        return 0
    for name, value in counts.items():
        print_text(f"{name:<11} {_list_tally(value) if isinstance(value, Mapping) else value}")
    return 0


def run_verify(arguments: argparse.Namespace) -> int:
    """Rebuild a saved graph and compare."""
    from ebg import store

    problems = store.verify(arguments.graph, arguments.path, include=arguments.include, exclude=arguments.exclude)
    if arguments.json:
        print_json({"same": not problems, "differences": list(problems)})
    elif problems:
        print_text(
            "\n".join([f"{arguments.graph} differs from {arguments.path}:", *(f"  {item}" for item in problems)])
        )
    else:
        print_text(f"{arguments.graph} is what a rebuild of {arguments.path} gives.")
    return 1 if problems else 0


def _graph(arguments: argparse.Namespace) -> RepositoryGraph:
    from ebg.repository import build, user_cache_folder

    return build(
        arguments.path,
        include=arguments.include,
        exclude=arguments.exclude,
        jobs=arguments.jobs,
        cache=user_cache_folder() if arguments.cache else None,
    )


def _ids(view: RepositoryView, names: Sequence[str]) -> list[str]:
    """Return read ids; a path stands for the id of its file."""
    by_path = {entry.path: entry.read_id for entry in view.directory.query_index}
    return [by_path.get(name, name) for name in names]


def _count(graph: RepositoryGraph) -> dict[str, object]:
    return {
        "files": len(graph.files),
        "lines": sum(len(file.lines) for file in graph.files.values()),
        "languages": _tally(file.language for file in graph.files.values()),
        "partial": {file.path: file.note for file in graph.files.values() if file.note},
        "excluded": _tally(item.reason for item in graph.excluded),
        "scopes": _tally(scope.kind for scope in graph.scopes.values()),
        "evidence": len(graph.evidence),
        "behaviors": _tally(behavior.result_type for behavior in graph.behaviors),
        "relations": _tally(f"{relation.type} ({relation.resolution})" for relation in graph.relations),
        "unresolved": len(graph.unresolved),
    }


def _count_published(graph: PublishedGraph) -> dict[str, object]:
    return {
        "input_id": graph.input_id,
        "benchmark": graph.benchmark,
        "files": len({item.path for item in graph.evidence}),
        "scopes": len({item.scope for item in graph.behaviors}),
        "evidence": len(graph.evidence),
        "behaviors": _tally(item.result_type for item in graph.behaviors),
        "relations": _tally(item.type for item in graph.relations),
    }


def _tally(values: Iterable[str]) -> dict[str, int]:
    counts = Counter(values)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _list_tally(counts: Mapping[str, object]) -> str:
    rows = [f"{key} {count}" for key, count in counts.items()]
    more = [f"and {len(rows) - _MAX_LISTED} more"] if len(rows) > _MAX_LISTED else []
    return ", ".join([*rows[:_MAX_LISTED], *more]) or "-"


def _sum_up(graph: RepositoryGraph) -> str:
    return (
        f"{len(graph.files)} files, {len(graph.scopes)} scopes, {len(graph.evidence)} evidence, "
        f"{len(graph.behaviors)} behaviors, {len(graph.relations)} relations; "
        f"{len(graph.excluded)} files left out (`ebg stats` says why)"
    )


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as exc:
        raise UsageError(f"{path} is not UTF-8: {exc.reason} at byte {exc.start}") from exc
    except OSError as exc:
        raise UsageError(f"cannot read {path}: {exc.strerror}") from exc


def _output(arguments: argparse.Namespace, text: str, value: object) -> None:
    if arguments.json:
        print_json(value)
    else:
        print_text(text.removesuffix("\n"))
