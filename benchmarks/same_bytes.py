"""Reliability figure 3: how many different graphs and views one repository gives. It must be one of each.

    python -m benchmarks.same_bytes PATH... [--requirements DOC.md]

Each tree is copied to two folders, the second time in the opposite order of files, and built in fresh interpreters with
three hash seeds and with one and two processes; every run prints a hash of the graph, of its published form and of the
view of it (directory, and a read of its first six files).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.build_graph import graph_sha256

_SEEDS = ("0", "1", "4242")
_NAMES = ("graph", "published form", "view")


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.same_bytes", description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--requirements", type=Path, help="Q of the view; by default the names of the files")
    parser.add_argument("--alone", type=int, metavar="JOBS", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone is not None:
        print(json.dumps(_hashes(arguments.paths[0], arguments.requirements, arguments.alone)))
        return 0
    print(f"{'tree':<28} {'runs':>4}  distinct {', '.join(_NAMES)}")
    worst = 0
    for path in arguments.paths:
        found = _runs(path, arguments.requirements)
        distinct = [len(set(column)) for column in zip(*found, strict=True)]
        worst = max(worst, *distinct)
        print(
            f"{path.name[-28:]:<28} {len(found):>4}  {', '.join(map(str, distinct))}   {found[0][0][:16]}", flush=True
        )
    print(f"figure 3: {worst}")
    return 0 if worst == 1 else 1


def _runs(path: Path, requirements: Path | None) -> list[list[str]]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(2):
            copy = Path(folder) / f"copy{number}" / path.name
            files = sorted((file for file in path.rglob("*") if file.is_file()), reverse=bool(number))
            for file in files:
                target = copy / file.relative_to(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
            for seed in _SEEDS:
                for jobs in (1, 2):
                    command = [sys.executable, "-m", "benchmarks.same_bytes", str(copy), "--alone", str(jobs)]
                    if requirements is not None:
                        command += ["--requirements", str(requirements.resolve())]
                    environment = {**os.environ, "PYTHONHASHSEED": seed}
                    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
                    found.append(json.loads(done.stdout))
    return found


def _hashes(path: Path, requirements: Path | None, jobs: int) -> list[str]:
    import ebg
    from ebg.store import publish
    from ebg.view import RepositoryView

    graph = ebg.build(path, jobs=jobs)
    text = requirements.read_text() if requirements is not None else "\n".join(f"- {name}" for name in graph.files)
    view = RepositoryView(graph, text)
    unit = view.read([entry.read_id for entry in view.directory.entries[:6]])
    published = json.dumps(publish(graph, input_id="graph", benchmark="specgap").to_json())
    return [
        graph_sha256(graph),
        hashlib.sha256(published.encode()).hexdigest(),
        hashlib.sha256((view.directory.text + unit.text).encode()).hexdigest(),
    ]


if __name__ == "__main__":
    sys.exit(main())
