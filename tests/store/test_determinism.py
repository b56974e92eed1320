"""The same repository gives the same bytes, whatever the hash seed, the folder and the order of its files."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import ebg
from ebg import store
from ebg.view import RepositoryView

QUESTION = "# Views\n`RepositoryView.read` refers back.\n# Store\n`save()` and `load()`.\n"

SCRIPT = """
import json, sys
from pathlib import Path
from tests.store.test_determinism import fingerprints
print(json.dumps(fingerprints(Path(sys.argv[1]))))
"""


def fingerprints(source: Path | dict[str, bytes]) -> list[str]:
    """Return the hashes of graph, directory, search and reads."""
    graph = ebg.build(source)
    form = json.dumps(store.publish(graph, input_id="x", benchmark="y").to_json())
    view = RepositoryView(graph, QUESTION)
    unit = view.read(list(view.directory.order[:6]))
    texts = [form, view.directory.text, view.search("read lines").text, unit.text]
    return [hashlib.sha256(text.encode()).hexdigest() for text in texts]


def test_the_order_of_files_does_not_matter(root: Path) -> None:
    files = {path.name: path.read_bytes() for path in sorted((root / "ebg" / "view").glob("*.py"))}
    shuffled = list(files.items())
    random.Random(7).shuffle(shuffled)
    assert fingerprints(dict(shuffled)) == fingerprints(files)


def test_hash_seed_and_folder_do_not_matter(root: Path, tmp_path: Path) -> None:
    copies = [tmp_path / "a" / "view", tmp_path / "somewhere" / "else" / "view"]
    for copy in copies:
        shutil.copytree(root / "ebg" / "view", copy)
    found = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(copy)],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for copy, seed in zip(copies, ("1", "2"), strict=True)
    ]
    assert found[0] == found[1]
    assert json.loads(found[0]) == fingerprints(root / "ebg" / "view")
