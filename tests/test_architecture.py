"""The rules between the rooms: imports point one way, the library stays small, and imports stay quick."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# What each room may import of the project; nothing else of the project.
ROOMS = {
    "ebg": set(),
    "agentmonbench": {"ebg"},
    "subsets": {"ebg", "agentmonbench"},
    "judges": {"ebg", "agentmonbench"},
    "worlds": {"ebg", "agentmonbench"},
    "experiments": {"ebg", "agentmonbench", "subsets", "judges", "worlds"},
}
EBG_MAY_IMPORT = {"networkx", "tree_sitter", "tree_sitter_python", "tree_sitter_javascript"}
HEAVY = ("litellm", "datasets", "pandas", "pyarrow", "scipy", "numpy", "matplotlib", "networkx", "huggingface_hub")


def _modules(root: Path, room: str) -> Iterator[Path]:
    return (path for path in sorted((root / room).rglob("*.py")) if "samples" not in path.relative_to(root).parts)


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module or ""


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(root: Path, room: str) -> None:
    allowed = ROOMS[room] | {room}
    wrong = [
        f"{path.relative_to(root)} imports {name}"
        for path in _modules(root, room)
        for name in _imported(path)
        if name.split(".")[0] in ROOMS and name.split(".")[0] not in allowed
    ]
    assert wrong == []


def test_ebg_imports_only_its_libraries(root: Path) -> None:
    known = set(sys.stdlib_module_names) | EBG_MAY_IMPORT | {"ebg"}
    optional = {
        "zstandard",
        "tiktoken",
        "pandas",
        "pyarrow",
        "datasets",
    }  # used when a reader needs them, never required
    wrong = [
        f"{path.relative_to(root)} imports {name}"
        for path in _modules(root, "ebg")
        for name in _imported(path)
        if name.split(".")[0] not in known | optional
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "module", ["ebg", "agentmonbench", "subsets", "ebg.cli", "agentmonbench.cli", "experiments.main"]
)
def test_imports_stay_light(root: Path, module: str) -> None:
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_every_room_is_typed(root: Path) -> None:
    assert [room for room in ROOMS if (root / room).is_dir() and not (root / room / "py.typed").exists()] == []
