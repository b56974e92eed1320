"""The `ebg` command: build, look at, count and check graphs.

Results go to stdout, talk to stderr. Exit codes: 0 done, 1 it could not be done or a check failed, 2 a wrong command
line. Nothing but argparse is imported before a command runs, so `--help` is instant.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ebg.errors import EbgError, UsageError

if TYPE_CHECKING:
    from ebg.model import RepositoryGraph
    from ebg.store import PublishedGraph
    from ebg.view import RepositoryView

__all__ = ["main"]

# Control characters of terminals, and the marks that reorder text: a file's name or content must not steer a terminal.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MAX_LISTED = 20


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        argv: arguments without the program's name; None takes those of the process.
    """
    arguments = _parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        code = run(arguments)
        sys.stdout.flush()
    except UsageError as exc:
        return _fail(exc, 2)
    except EbgError as exc:
        return _fail(exc, 1)
    except BrokenPipeError:  # the reader (`head`) has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # so that the interpreter's last flush finds a place
        return 0
    except OSError as exc:
        return _fail(f"{exc.filename}: {exc.strerror}" if exc.filename else exc, 1)
    except KeyboardInterrupt:
        return _fail("stopped", 130)
    return code


# --- Commands ------------------------------------------------------------------------------------------------------


def _build(arguments: argparse.Namespace) -> int:
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
        _print_json({"output": str(output), **_count(graph)})
    else:
        _print(f"{output}: {_sum_up(graph)}")
    return 0


def _view(arguments: argparse.Namespace) -> int:
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


def _stats(arguments: argparse.Namespace) -> int:
    path = Path(arguments.path)
    if path.is_file() and path.suffix == ".json":
        from ebg import store

        counts: Mapping[str, object] = _count_published(store.load(path))
    else:
        counts = _count(_graph(arguments))
    if arguments.json:
        _print_json(counts)
        return 0
    for name, value in counts.items():
        _print(f"{name:<11} {_list_tally(value) if isinstance(value, Mapping) else value}")
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    from ebg import store

    problems = store.verify(arguments.graph, arguments.path, include=arguments.include, exclude=arguments.exclude)
    if arguments.json:
        _print_json({"same": not problems, "differences": list(problems)})
    elif problems:
        _print("\n".join([f"{arguments.graph} differs from {arguments.path}:", *(f"  {item}" for item in problems)]))
    else:
        _print(f"{arguments.graph} is what a rebuild of {arguments.path} gives.")
    return 1 if problems else 0


# --- Work that commands share --------------------------------------------------------------------------------------


def _graph(arguments: argparse.Namespace) -> RepositoryGraph:
    from ebg.repository import build

    return build(arguments.path, include=arguments.include, exclude=arguments.exclude)


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
        _print_json(value)
    else:
        _print(text.removesuffix("\n"))


def _print(text: str) -> None:
    sys.stdout.write(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text) + "\n")


def _print_json(value: object) -> None:
    # Escaped to ASCII, so a terminal is safe and any program reads it.
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _fail(problem: object, code: int) -> int:
    sys.stderr.write(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", f"ebg: {problem}") + "\n")
    return code


# --- Command line --------------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ebg",
        description="Evidence-grounded behavior graphs of Python repositories, built without any model.",
        epilog="examples:\n  ebg build src -o graph.json\n  ebg view src --requirements README.md --files F0001",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    build = _command(
        commands,
        "build",
        _build,
        "build the graph of a repository and write it",
        "ebg build src -o graph.json\n  ebg build src -o graph.graphml --format graphml --exclude 'vendor/**'",
    )
    _source(build)
    build.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write the graph")
    build.add_argument(
        "--format",
        choices=("published", "node-link", "graphml"),
        default="published",
        help="published: the exchange form of the benchmark, the only one that is read back (default)",
    )
    build.add_argument("--id", metavar="NAME", help="input_id of the published form (default: name of the folder)")
    build.add_argument(
        "--benchmark",
        metavar="NAME",
        default="repository",
        help="benchmark of the published form (default: repository)",
    )

    view = _command(
        commands,
        "view",
        _view,
        "show a repository as a monitor sees it",
        "ebg view src --requirements README.md\n  ebg view src --requirements README.md --files F0003 src/app.py",
    )
    _source(view)
    view.add_argument("--requirements", metavar="FILE", help="the text that says what the code should do")
    view.add_argument("--files", metavar="ID", nargs="+", default=[], help="read these ids or paths")
    view.add_argument("--search", metavar="WORDS", help="search ids, paths, symbols and source")
    view.add_argument("--hops", type=int, choices=(1, 2, 3), default=1, help="how far neighbours reach (default: 1)")
    view.add_argument("--max-neighbors", metavar="N", type=int, help="neighbours that a scope brings in (default: all)")
    view.add_argument(
        "--order", choices=("sections", "cover"), default="sections", help="how files are dealt out (default: sections)"
    )
    view.add_argument(
        "--without",
        choices=("behaviors", "relations", "guidance"),
        action="append",
        default=[],
        help="leave out a part, as the paper's ablations do",
    )

    stats = _command(
        commands,
        "stats",
        _stats,
        "count what is in a repository or a saved graph",
        "ebg stats src\n  ebg stats graph.json --json",
    )
    _source(stats, "folder, file, or graph in the published form (.json)")

    verify = _command(
        commands,
        "verify",
        _verify,
        "rebuild a saved graph from its source and compare",
        "ebg verify graph.json src\n  ebg verify graph.json src --exclude 'vendor/**'",
    )
    verify.add_argument("graph", metavar="GRAPH", help="graph in the published form")
    _source(verify)
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    examples: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"examples:\n  {examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print JSON for scripts")
    parser.set_defaults(run=run)
    return parser


def _source(parser: argparse.ArgumentParser, path_help: str = "folder or file") -> None:
    parser.add_argument("path", metavar="PATH", help=path_help)
    parser.add_argument(
        "--include", metavar="GLOB", action="append", default=[], help="take files that the rules leave out"
    )
    parser.add_argument("--exclude", metavar="GLOB", action="append", default=[], help="leave out more files")
