"""What a build costs beside parsing alone: lines, time, memory, and a hash of the graph.

    python -m benchmarks.build_graph PATH... [--rounds 5] [--jobs 1 2] [--warm] [--write]

Each round runs, one after the other and each in a process of its own, the parse alone (tree-sitter over every Python
file that the build admits, nothing done with the trees) and the build. Times are processor time. The parse counts
without, the build with the start of its interpreter and all imports, so the ratio is what a user pays. The machine may
be busy with other work: compare ratios of one run, not seconds of different runs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TypedDict

from ebg.model import RepositoryGraph


class Run(TypedDict):
    """What one process did."""

    cpu: float
    wall: float
    peak_mb: float
    files: int
    lines: int
    behaviors: int
    relations: int
    sha256: str


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.build_graph", description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1])
    parser.add_argument("--warm", action="store_true", help="also build again with a cache in which nothing changed")
    parser.add_argument("--write", action="store_true", help="also write the graph in the published form")
    parser.add_argument("--alone", choices=("parse", "build"), help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone is not None:
        one = _parse_alone if arguments.alone == "parse" else _build_alone
        print(json.dumps(one(arguments.paths[0], arguments)))
        return 0
    row = "{:<26} {:>6} {:>8} {:>5} {:>8} {:>8} {:>6} {:>7} {:>8} {:>9} {:>9}  {}"
    print(row.format("tree", "files", "lines", "jobs", "parse s", "build s", "ratio", "wall s", "peak MB", "behaviors",
                     "relations", "sha256"))  # fmt: skip
    same = True
    for path in arguments.paths:
        hashes = set()
        for jobs, warm in [(jobs, False) for jobs in arguments.jobs] + [(1, True)] * arguments.warm:
            runs = _rounds(path, jobs=jobs, warm=warm, arguments=arguments)
            ratio = statistics.median(built["cpu"] / parsed["cpu"] for parsed, built in runs)
            _, built = runs[-1]
            hashes |= {built["sha256"] for _, built in runs}
            print(
                row.format(
                    path.name[-26:],
                    built["files"],
                    built["lines"],
                    "warm" if warm else jobs,
                    f"{statistics.median(parsed['cpu'] for parsed, _ in runs):.2f}",
                    f"{statistics.median(built['cpu'] for _, built in runs):.2f}",
                    f"{ratio:.2f}",
                    f"{statistics.median(built['wall'] for _, built in runs):.2f}",
                    f"{built['peak_mb']:.0f}",
                    built["behaviors"],
                    built["relations"],
                    built["sha256"][:16],
                ),
                flush=True,
            )
        if len(hashes) > 1:
            print(f"{path.name}: {len(hashes)} different graphs")
            same = False
    return 0 if same else 1


def _rounds(path: Path, *, jobs: int, warm: bool, arguments: argparse.Namespace) -> list[tuple[Run, Run]]:
    options = ["--jobs", str(jobs), *(["--write"] if arguments.write else [])]
    with tempfile.TemporaryDirectory() as folder:
        if warm:
            options += ["--cache", folder]
            _alone("build", path, options)
        return [(_alone("parse", path, []), _alone("build", path, options)) for _ in range(arguments.rounds)]


def _alone(what: str, path: Path, options: list[str]) -> Run:
    command = [sys.executable, "-m", "benchmarks.build_graph", str(path), "--alone", what, *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: Run = json.loads(done.stdout)
    return result


def _parse_alone(path: Path, arguments: argparse.Namespace) -> Run:
    del arguments
    import tree_sitter_python
    from tree_sitter import Language, Parser

    import ebg

    # The files that a build admits, found by the same rules; that listing is not timed.
    graph = ebg.build(path)
    sources = [file.text.encode() for file in graph.files.values() if file.language == "python"]
    parser = Parser(Language(tree_sitter_python.language()))
    cpu, wall = time.process_time(), time.perf_counter()
    for source in sources:
        parser.parse(source)
    lines = sum(source.count(b"\n") for source in sources)
    return Run(
        cpu=time.process_time() - cpu, wall=time.perf_counter() - wall, peak_mb=_peak_mb(), files=len(sources),
        lines=lines, behaviors=0, relations=0, sha256="",
    )  # fmt: skip


def _build_alone(path: Path, arguments: argparse.Namespace) -> Run:
    wall = time.perf_counter()
    import ebg

    graph = ebg.build(path, jobs=arguments.jobs[0], cache=arguments.cache)
    if arguments.write:
        from ebg.store import publish, save

        with tempfile.TemporaryDirectory() as folder:
            save(publish(graph, input_id="graph", benchmark="specgap"), Path(folder) / "graph.json")
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(one.ru_utime + one.ru_stime for one in usage)
    peak, wall = _peak_mb(), time.perf_counter() - wall
    files = [file for file in graph.files.values() if file.language == "python"]
    return Run(
        cpu=cpu, wall=wall, peak_mb=peak, files=len(files), lines=sum(len(file.lines) for file in files),
        behaviors=len(graph.behaviors), relations=len(graph.relations), sha256=graph_sha256(graph),
    )  # fmt: skip


def _peak_mb() -> float:
    scale = 1024 if sys.platform == "linux" else 1024 * 1024
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / scale


def graph_sha256(graph: RepositoryGraph) -> str:
    """Return a hash of everything that a graph says."""
    digest = hashlib.sha256()
    for part in (
        graph.files.values(), graph.excluded, graph.scopes.values(), graph.evidence, graph.behaviors, graph.relations,
        graph.unresolved,
    ):  # fmt: skip
        for item in part:
            digest.update(repr(item).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "random")
    sys.exit(main())
