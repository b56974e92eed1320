"""Reliability figure 3: the same repository gives the same bytes, whatever does not belong to it.

    python benchmarks/determinism.py [PATH ...]

Each repository (default: click and networkx as installed here) is copied into two folders, its files created in
shuffled order. Every copy is built and viewed by fresh interpreters with three hash seeds and one and two processes: 12
runs, and one more from the facts that an earlier run left in a cache. Printed is the number of distinct SHA-256 of the
published graph, of the graph with all its detail (node-link), and of what a monitor would be shown: the directory under
both orders, two searches, and a read of every file with the lines remembered. The exit code is 0 only if each is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_PACKAGES = ("click", "networkx")
HASH_SEEDS = ("0", "1", "4294967295")
QUESTION = """# Usage
The `main()` function parses arguments and calls `run()`; see `core.py` and `Graph.add_edge`.

# Errors
An unknown option raises `UsageError`. A path of negative weight is refused, and the default is `None`.
"""
SUFFIXES = {".py", ".toml", ".cfg", ".json", ".j2", ".txt", ".yaml", ".yml", ".md"}


def main() -> int:
    """Run the figure for each repository and print its counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", metavar="PATH", nargs="*", type=Path)
    parser.add_argument("--one", nargs=3, metavar=("PATH", "JOBS", "CACHE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        path, jobs, cache = arguments.one
        print(json.dumps(fingerprints(Path(path), int(jobs), Path(cache) if cache else None)))
        return 0
    paths = arguments.paths or [path for name in DEFAULT_PACKAGES if (path := installed(name)) is not None]
    if not paths:
        parser.error(f"none of {', '.join(DEFAULT_PACKAGES)} is installed; name a PATH")
    same = [measure(path) for path in paths]  # every one is measured, also after one that failed
    return 0 if all(same) else 1


def installed(name: str) -> Path | None:
    """Return the folder of an installed package."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def measure(path: Path) -> bool:
    """Run every variation of one repository; print and return whether all gave the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        found = list(runs(path, Path(folder)))
    counts = {name: len({run[name] for run in found}) for name in found[0]}
    print(f"{path.name}: {len(found)} runs, distinct sha256: " + ", ".join(f"{n} {c}" for n, c in counts.items()))
    return set(counts.values()) == {1}


def runs(path: Path, folder: Path) -> Iterator[Mapping[str, str]]:
    """Yield the fingerprints of each run."""
    cache = folder / "cache"
    for number, place in enumerate(("a", "b/deeper")):
        # The last part of the path stays: it is the name of the package.
        copy = folder / place / path.name
        copy_shuffled(path, copy, seed=number)
        for hash_seed in HASH_SEEDS:
            for jobs in (1, 2):
                yield run(copy, jobs, "", hash_seed)
    run(copy, 1, str(cache), HASH_SEEDS[0])
    yield run(copy, 2, str(cache), HASH_SEEDS[1])


def run(copy: Path, jobs: int, cache: str, hash_seed: str) -> Mapping[str, str]:
    """Return the fingerprints that a fresh interpreter computes."""
    done = subprocess.run(
        [sys.executable, __file__, "--one", str(copy), str(jobs), cache],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    result: Mapping[str, str] = json.loads(done.stdout)
    return result


def copy_shuffled(source: Path, target: Path, *, seed: int) -> None:
    """Copy the text files of a folder in shuffled order, so that listings come in another order."""
    files = sorted(path for path in source.rglob("*") if path.is_file() and path.suffix in SUFFIXES)
    random.Random(seed).shuffle(files)
    for file in files:
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())


def fingerprints(path: Path, jobs: int, cache: Path | None) -> dict[str, str]:
    """Return the SHA-256 of each thing that a repository gives."""
    from ebg import store
    from ebg.repository import build
    from ebg.view import RepositoryView

    graph = build(path, jobs=jobs, cache=cache)
    with tempfile.TemporaryDirectory() as folder:
        published, detailed = Path(folder) / "graph.json", Path(folder) / "node-link.json"
        store.save(store.publish(graph, input_id=path.name, benchmark="repository"), published)
        store.node_link(graph, detailed)
        found = {"graph": published.read_bytes(), "detail": detailed.read_bytes()}
    texts = []
    for order in ("sections", "cover"):
        view = RepositoryView(graph, QUESTION, order=order)
        texts += [view.directory.text, view.search("default value").text, view.search("no-such-word option").text]
    shown: dict[str, set[int]] = {}
    for read_id in view.directory.order:
        unit = view.read([read_id], shown)
        texts.append(unit.text)
        for name, lines in unit.lines.items():
            shown.setdefault(name, set()).update(lines)
    found["view"] = "".join(texts).encode("utf-8", "surrogatepass")
    return {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}


if __name__ == "__main__":
    sys.exit(main())
