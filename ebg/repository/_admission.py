"""Which files belong to the graph, and why the others do not.

Rules in the order in which they are asked; the first that holds decides. `exclude` globs come before all of them and
`include` globs before all but the last three, which say that there is nothing to read.

| rule | leaves out |
|---|---|
| folder of tools | version control, caches, environments, dependencies, editors, hosted CI: see `TOOL_FOLDERS` |
| test folder | `tests`, `__tests__`, `testdata`...; `test` only if some module below it is named like a test |
| documentation folder | `doc`, `docs`... with documentation files and without `__init__.py`; a docusaurus site |
| vendored code | `vendor`, `third_party` |
| build output | `build`, `dist`, `coverage` that hold no source, or what setuptools puts there; `htmlcov` |
| test runner, lock file, site or CI file | by name: see `TOOL_FILES` |
| test module | named like a test and, for Python, using a test framework or defining `test...` or `...Test...` |
| documentation | `.md`, `.rst`, `.txt`... but for requirements |
| unknown kind | anything whose name says neither source, template, executable nor configuration |
| too large | more than `MAX_FILE_BYTES` |
| binary | a NUL byte in the first 8,192 bytes |
| not text | bytes that the encoding does not allow |

So code in packages called `build`, `spec`, `ci`, `patch`, `doc`, `testing` or `benchmarks` stays, and so does
`ab_test.py`: a name alone decides only where nothing else carries it (specification part 10.2, weaknesses 9 and 10).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from ebg.model import ArtifactKind

__all__ = ["HEAD_BYTES", "MAX_FILE_BYTES", "Admitted", "Layout", "classify", "tool_folder"]

HEAD_BYTES = 8192
MAX_FILE_BYTES = 16 * 1024 * 1024
"""The largest hand-written source files known are below 2 MB; above this a file is data."""

TOOL_FOLDERS = {
    "version control": ".bzr .git .hg .jj .svn _darcs cvs",
    "cache": "__pycache__ .cache .eggs .hypothesis .ipynb_checkpoints .mypy_cache .nox .pytest_cache .ruff_cache .tox",
    "installed dependencies": ".bundle .venv bower_components node_modules",
    "editor settings": ".idea .vs .vscode",
    "CI settings": ".azure-pipelines .buildkite .ci .circleci .github .gitlab .travis",
}
TOOL_FILES = {
    "test runner": "conftest.py noxfile.py pytest.ini runtests.py runtests.sh run_tests.py run_tests.sh tox.ini",
    "lock file": "cargo.lock composer.lock gemfile.lock package-lock.json pdm.lock pipfile.lock pnpm-lock.yaml"
    " poetry.lock uv.lock yarn.lock",
    "CI settings": ".codecov.yml .coveragerc .gitlab-ci.yml .pre-commit-config.yaml .travis.yml appveyor.yml"
    " azure-pipelines.yml codecov.yml",
    "documentation site": ".readthedocs.yaml .readthedocs.yml docusaurus.config.js mkdocs.yml readthedocs.yml",
}

_FOLDER_REASONS = {name: f"{reason} folder" for reason, names in TOOL_FOLDERS.items() for name in names.split()}
_FILE_REASONS = {name: reason for reason, names in TOOL_FILES.items() for name in names.split()}
_TEST_FOLDERS = frozenset(["__tests__", "test_data", "test_resources", "testdata", "test-data", "tests"])
_MAYBE_TEST_FOLDERS = frozenset(["test"])
_DOC_FOLDERS = frozenset(["doc", "docs", "docs_src", "docs-build", "docs-src", "documentation"])
_VENDOR_FOLDERS = frozenset(["third-party", "third_party", "vendor"])
_OUTPUT_FOLDERS = frozenset(["build", "coverage", "dist"])
_UNSURE = _MAYBE_TEST_FOLDERS | _DOC_FOLDERS | _OUTPUT_FOLDERS
_SETUPTOOLS_OUTPUT = re.compile(r"(?:lib|bdist\..*|lib\..*|temp\..*|scripts-.*)\Z")

_DOCUMENTATION = frozenset([".adoc", ".markdown", ".md", ".rest", ".rst", ".txt"])
_TEST_NAME = re.compile(r"test_.*|.*[-_]tests?\.[^.]*|.*\.(?:test|spec)\.[^.]*|tests\.py", re.IGNORECASE | re.DOTALL)
_TEST_CONTENT = re.compile(
    rb"\b(?:pytest|unittest|nose|hypothesis|doctest)\b|^[ \t]*(?:async[ \t]+)?def[ \t]+test|^[ \t]*class[ \t]+\w*Test",
    re.MULTILINE,
)
_TEST_REQUIREMENTS = re.compile(
    r"(?:tests?[-_])?requirements?[-_.]tests?(?:ing)?\b|tests?[-_]requirements", re.IGNORECASE
)
_TEMPLATE_MARK = re.compile(rb"\{\{|\{%|<%|\$\{[^}\n]*\}")

LANGUAGES = {
    ".bash": "shell", ".bat": "batch", ".c": "c", ".cc": "cpp", ".cfg": "ini", ".cjs": "javascript", ".clj": "clojure",
    ".cmd": "batch", ".conf": "ini", ".cpp": "cpp", ".cs": "csharp", ".cu": "cuda", ".dart": "dart", ".erl": "erlang",
    ".ex": "elixir", ".exs": "elixir", ".f90": "fortran", ".fish": "shell", ".fs": "fsharp", ".go": "go",
    ".gql": "graphql", ".graphql": "graphql", ".groovy": "groovy", ".h": "c", ".hbs": "handlebars", ".hpp": "cpp",
    ".hrl": "erlang", ".hs": "haskell", ".html": "html", ".ini": "ini", ".ipynb": "notebook", ".j2": "jinja",
    ".java": "java", ".jinja": "jinja", ".jinja2": "jinja", ".jl": "julia", ".js": "javascript", ".json": "json",
    ".jsx": "javascript", ".kt": "kotlin", ".kts": "kotlin", ".lua": "lua", ".m": "objective-c", ".mjs": "javascript",
    ".ml": "ocaml", ".mm": "objective-c", ".mustache": "mustache", ".nim": "nim", ".php": "php", ".pl": "perl",
    ".pm": "perl", ".properties": "ini", ".proto": "protobuf", ".ps1": "powershell", ".pxd": "cython",
    ".pxi": "cython", ".py": "python", ".pyi": "python-stub", ".pyw": "python", ".pyx": "cython", ".r": "r",
    ".rb": "ruby", ".rs": "rust", ".scala": "scala", ".sh": "shell", ".sol": "solidity", ".sql": "sql",
    ".svelte": "svelte", ".swift": "swift", ".tf": "terraform", ".thrift": "thrift", ".tmpl": "template",
    ".toml": "toml", ".tpl": "template", ".ts": "typescript", ".tsx": "typescript", ".vue": "vue", ".yaml": "yaml",
    ".yml": "yaml", ".zig": "zig", ".zsh": "shell",
}  # fmt: skip
_TEMPLATES = frozenset([".hbs", ".j2", ".jinja", ".jinja2", ".mustache", ".tmpl", ".tpl"])
_EXECUTABLES = frozenset([".bash", ".bat", ".cmd", ".fish", ".ps1", ".sh", ".zsh"])
_CONFIGURATION = frozenset([".cfg", ".conf", ".ini", ".json", ".properties", ".toml", ".yaml", ".yml"])
_NAMED_EXECUTABLES = {"dockerfile": "dockerfile", "justfile": "make", "makefile": "make", "procfile": "procfile"}
_BUNDLE_SUFFIXES = frozenset([".js", ".mjs", ".cjs", ".html"])


class Admitted(NamedTuple):
    """What an admitted file is."""

    kind: ArtifactKind
    language: str


class Layout:
    """What the names of all files say about folders: which hold tests, documentation or build output."""

    def __init__(self, paths: Iterable[str]) -> None:
        below: dict[str, list[PurePosixPath]] = {}
        sites = set()
        for path in paths:
            folder, _, name = path.rpartition("/")
            if folder and name.startswith("docusaurus.config."):
                sites.add(folder)
            if _UNSURE.isdisjoint(folder.casefold().split("/")):
                continue
            for parent in PurePosixPath(path).parents:
                if parent.name.casefold() in _UNSURE:
                    below.setdefault(str(parent), []).append(PurePosixPath(path))
        self._reasons = dict.fromkeys(sites, "documentation site")
        for folder, files in below.items():
            reason = _folder_reason(PurePosixPath(folder), files)
            if reason is not None:
                self._reasons[folder] = reason
        self._known: dict[str, str | None] = {"": None, ".": None}

    def reason(self, folder: str) -> str | None:
        """Return why files of `folder` (the part of a path before its last `/`) are left out, or None."""
        if folder not in self._known:
            outer, _, name = folder.rpartition("/")
            self._known[folder] = (
                self.reason_of_name(folder, name) or self.reason(outer)
                if outer
                else (self.reason_of_name(folder, name))
            )
        return self._known[folder]

    def reason_of_name(self, folder: str, name: str) -> str | None:
        """Return why files directly in `folder` are left out, outer folders aside."""
        low = name.casefold()
        if low in _TEST_FOLDERS:
            return "test folder"
        if low in _VENDOR_FOLDERS:
            return "vendored code"
        if low == "htmlcov":
            return "build output"
        return tool_folder(name) or self._reasons.get(folder)


def tool_folder(name: str) -> str | None:
    """Return why a folder of this name is never entered, or None."""
    low = name.casefold()
    if low.endswith((".egg-info", ".dist-info")):
        return "package metadata folder"
    return _FOLDER_REASONS.get(low)


def _folder_reason(folder: PurePosixPath, files: list[PurePosixPath]) -> str | None:
    name = folder.name.casefold()
    if name in _MAYBE_TEST_FOLDERS:
        return "test folder" if any(_TEST_NAME.fullmatch(file.name) for file in files) else None
    if any(file.name == "__init__.py" and file.parent == folder for file in files):
        return None
    if name in _DOC_FOLDERS:
        documents = any(file.suffix.casefold() in _DOCUMENTATION or file.name == "conf.py" for file in files)
        return "documentation folder" if documents else None
    parts = {file.relative_to(folder).parts[0] for file in files if file.parent != folder}
    made = name == "build" and any(_SETUPTOOLS_OUTPUT.match(part) for part in parts)
    return "build output" if made or not any(_is_written_source(file) for file in files) else None


def _is_written_source(path: PurePosixPath) -> bool:
    suffix = path.suffix.casefold()
    return suffix in LANGUAGES and suffix not in _BUNDLE_SUFFIXES | _CONFIGURATION


def classify(path: str, data: bytes, layout: Layout, *, included: bool) -> Admitted | str:
    """Return what a file is, or the reason why it is left out.

    Args:
        path: relative path with forward slashes.
        data: the whole file.
        layout: of all paths of the repository.
        included: whether an `include` glob names the file.
    """
    reason = None if included else _left_out(path, data, layout)
    if reason is not None:
        return reason
    admitted = _kind(path, data)
    if admitted is None:
        if not included:
            return "unknown kind of file"
        admitted = Admitted("source", "text")
    if len(data) > MAX_FILE_BYTES:
        return f"larger than {MAX_FILE_BYTES} bytes"
    if b"\0" in data[:HEAD_BYTES]:
        return "binary file"
    return admitted


def _left_out(path: str, data: bytes, layout: Layout) -> str | None:
    folder, _, name = path.rpartition("/")
    reason = layout.reason(folder) or _FILE_REASONS.get(name.casefold())
    if reason is not None:
        return reason
    if _is_requirements(path):
        return "test requirements" if _TEST_REQUIREMENTS.match(name) else None
    if _TEST_NAME.fullmatch(name) and (not name.endswith((".py", ".pyw")) or _TEST_CONTENT.search(data)):
        return "test module"
    if _suffix(name) in _DOCUMENTATION:
        return "documentation"
    return None


def _is_requirements(path: str) -> bool:
    *folders, name = path.casefold().split("/")
    suffix = _suffix(name)
    return suffix in ("", ".in", ".txt") and (name.startswith("requirements") or "requirements" in folders)


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.casefold()


def _kind(path: str, data: bytes) -> Admitted | None:  # noqa: PLR0911  # a table of cases, one return each
    name = path.rpartition("/")[2].casefold()
    suffix = _suffix(name)
    if _is_requirements(path):
        return Admitted("configuration", "requirements")
    if suffix in _CONFIGURATION:
        return Admitted("configuration", LANGUAGES[suffix])
    if suffix in _TEMPLATES:
        return Admitted("runtime_template", LANGUAGES[suffix])
    if suffix == ".html":
        folders = path.casefold().split("/")[:-1]
        is_template = "templates" in folders or "views" in folders or _TEMPLATE_MARK.search(data[:HEAD_BYTES])
        return Admitted("runtime_template", "html") if is_template else None
    if suffix in _EXECUTABLES:
        return Admitted("executable", LANGUAGES[suffix])
    if suffix in LANGUAGES:
        return Admitted("source", LANGUAGES[suffix])
    if name in _NAMED_EXECUTABLES:
        return Admitted("executable", _NAMED_EXECUTABLES[name])
    if not suffix and data.startswith(b"#!"):
        return Admitted("executable", "python" if b"python" in data.split(b"\n", 1)[0] else "shell")
    return None
