"""Which files a build admits, what it says about the others, and that evidence is always the file's own lines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ebg
from ebg.errors import SourceError
from ebg.model import RepositoryGraph

CODE = b"def f(x):\n    return x\n"


def build(files: dict[str, bytes], **options: object) -> RepositoryGraph:
    return ebg.build({"keep.py": CODE, **files}, **options)  # type: ignore[arg-type]


def assert_evidence_is_its_lines(graph: RepositoryGraph) -> None:
    for item in graph.evidence:
        lines = graph.files[item.path].lines[item.line_start - 1 : item.line_end]
        assert "".join(lines) == item.content
        assert len(lines) == item.line_end - item.line_start + 1
        assert item.content


def reasons(graph: RepositoryGraph) -> dict[str, str]:
    return {item.path: item.reason for item in graph.excluded}


@pytest.mark.parametrize(
    "path",
    [
        "build/__init__.py", "build/step.py", "spec/reader.py", "ci/deploy.py", "patch/apply.py", "doc/parser.py",
        "testing/fake.py", "benchmarks/run.py", "ab_test.py", "docs/__init__.py", "test/client.py", "dist/rank.py",
        "coverage/report.py",
    ],
)  # fmt: skip
def test_production_code_stays_whatever_its_folder_is_called(path: str) -> None:
    assert path in build({path: CODE}).files


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        (".git/config", b"[core]\n", None),
        ("tests/helper.py", CODE, "test folder"),
        ("pkg/conftest.py", CODE, "test runner"),
        ("pkg/test_f.py", b"def test_f(): pass\n", "test module"),
        ("pkg/f_test.py", b"import unittest\n", "test module"),
        ("web/app.spec.js", b"it()\n", "test module"),
        ("README.md", b"# x\n", "documentation"),
        ("requirements-test.txt", b"pytest\n", "test requirements"),
        ("vendor/lib.py", CODE, "vendored code"),
        ("build/lib/keep.py", CODE, "build output"),
        ("dist/app.min.js", b"x\n", "build output"),
        ("poetry.lock", b"x\n", "lock file"),
        ("image.png", b"\x89PNG\0", "unknown kind of file"),
        ("nul.py", b"x = 1\0\n", "binary file"),
        ("latin.py", b"x = '\xe9'\n", "not utf-8 text: byte 0xe9 at offset 5"),
        ("cookie.py", b"# coding: rot13\nk = 1\n", "unknown encoding 'rot13'"),
        ("big.sql", b"-" * (16 * 1024 * 1024 + 1), "larger than 16777216 bytes"),
    ],
)
def test_each_file_left_out_has_a_reason(path: str, data: bytes, reason: str | None) -> None:
    graph = build({path: data})
    assert path not in graph.files
    if reason is None:
        assert reasons(graph) == {".git/": "version control folder"}
    else:
        assert reasons(graph) == {path: reason}


def test_docs_folder_with_documentation_is_left_out_whole() -> None:
    graph = build({"docs/index.rst": b"x\n", "docs/conf.py": b"x = 1\n", "test/test_a.py": CODE, "test/util.py": CODE})
    assert reasons(graph) == {
        "docs/conf.py": "documentation folder",
        "docs/index.rst": "documentation folder",
        "test/test_a.py": "test folder",
        "test/util.py": "test folder",
    }


def test_globs_override_the_rules() -> None:
    files = {"tests/helper.py": CODE, "tests/deep/er.py": CODE, "notes.md": b"# x\n", "gen/a_pb2.py": CODE}
    graph = build(files, include=["tests/**", "*.md"], exclude=["*_pb2.py"])
    assert sorted(graph.files) == ["keep.py", "notes.md", "tests/deep/er.py", "tests/helper.py"]
    assert reasons(graph) == {"gen/a_pb2.py": "excluded by a glob"}
    assert sorted(build(files, include=["tests/*.py"], exclude=["gen/"]).files) == ["keep.py", "tests/helper.py"]


def test_every_language_can_be_read() -> None:
    graph = build({"a.proto": b"syntax = 'proto3';\n\nmessage A {}\n", "q.sql": b"select 1\n"})
    assert graph.files["a.proto"].language == "protobuf"
    assert [
        (item.path, item.symbol, item.line_start, item.line_end) for item in graph.evidence if item.path != "keep.py"
    ] == [
        ("a.proto", "<module>", 1, 3),
        ("q.sql", "<module>", 1, 1),
    ]


def test_encodings_and_line_ends_are_kept() -> None:
    graph = build(
        {
            "bom.py": b"\xef\xbb\xbfx = 1\n",
            "latin.py": b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
            "mixed.py": b"a = 1\r\nb = 2\rc = 3\nd = 4",
            "names.py": "def größe(π):\n\treturn π\n".encode(),
        }
    )
    assert [line.encode() for line in graph.files["mixed.py"].lines] == [b"a = 1\r\n", b"b = 2\r", b"c = 3\n", b"d = 4"]
    assert graph.files["latin.py"].lines[1] == "x = 'é'\n"
    assert graph.files["bom.py"].text == "\ufeffx = 1\n"
    assert [(item.symbol, item.content) for item in graph.evidence if item.path == "mixed.py"] == [
        ("<module>", "a = 1\r\n"),
        ("<module>", "b = 2\r"),
        ("<module>", "c = 3\n"),
        ("<module>", "d = 4"),
    ]
    assert [item.symbol for item in graph.evidence if item.path == "names.py"] == ["größe", "größe"]
    assert_evidence_is_its_lines(graph)


def test_folders_links_and_pipes(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_bytes(CODE)
    (tmp_path / "pkg" / "loop").symlink_to(tmp_path)
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "pyvenv.cfg").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe.py")
    graph = ebg.build(tmp_path)
    assert list(graph.files) == ["pkg/a.py"]
    assert reasons(graph) == {
        "env/": "installed dependencies folder",
        "link.py": "symbolic link",
        "pipe.py": "not a regular file",
        "pkg/loop": "symbolic link",
    }
    assert [item.path for item in ebg.build(tmp_path / "pkg" / "a.py").evidence] == ["a.py", "a.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(CODE)
    (tmp_path / "b.py").write_bytes(CODE)
    (tmp_path / "b.py").chmod(0)
    assert reasons(ebg.build(tmp_path)) == {"b.py": "not readable: Permission denied"}


def test_nothing_to_build_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="the repository holds no file"):
        ebg.build(tmp_path)
    with pytest.raises(SourceError, match="neither a folder nor a file"):
        ebg.build(tmp_path / "missing")
    with pytest.raises(SourceError, match=r"no file of the repository is admitted; 1 left out, first 'a.md'"):
        ebg.build({"a.md": b"x"})
    with pytest.raises(SourceError, match="no relative path"):
        ebg.build({"../a.py": CODE})


def test_ids_follow_casefolded_paths() -> None:
    graph = ebg.build({"B.py": b"x = 1\n", "a.py": b"y = 1\n", "_c.py": b"z = 1\n"})
    assert [(item.id, item.path) for item in graph.evidence] == [
        ("E000001", "_c.py"),
        ("E000002", "a.py"),
        ("E000003", "B.py"),
    ]
    assert list(graph.files) == ["B.py", "_c.py", "a.py"]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + ")" * 5000 + "\n",
        "[" * 5000,
        "".join(" " * depth + "if x:\n" for depth in range(200)) + " " * 200 + "f()\n",
        "".join(" " * depth + "def f():\n" for depth in range(200)) + " " * 200 + "return 1\n",
        "x = " + "-" * 5000 + "1\n",
        "x = " + "a." * 5000 + "b\n",
        "f" + "()" * 5000 + "\n",
        "x = " + " + ".join(["a"] * 5000) + "\n",
        "if a: pass\n" + "elif b: pass\n" * 3000,
    ],
    ids=["parens", "open", "if", "def", "unary", "chain", "calls", "sum", "elif"],
)
def test_deep_nesting_needs_no_recursion(text: str) -> None:
    assert_evidence_is_its_lines(ebg.build({"deep.py": text.encode()}))


def test_one_very_long_line() -> None:
    graph = build({"long.py": b"x = '" + b"a" * (5 * 1024 * 1024) + b"'\n"})
    assert graph.files["long.py"].note == "not parsed: larger than 4194304 bytes"
    assert_evidence_is_its_lines(graph)
    assert reasons(build({"huge.py": b"x" * 50_000_000})) == {"huge.py": "larger than 16777216 bytes"}


PYTHON = st.lists(
    st.sampled_from(
        ["def f(x):", "class K:", "@d", "    ", "\t", "return x", "if a:", "else:", "elif b:", "try:", "except E as e:",
         "finally:", "for i in x:", "while a:", "with a as b:", "match x:", "case 1:", "x = 1", "x += 1", ";", "\n",
         "\r\n", "\r", "# c", "'", '"""', "(", ")", "\\", "\f", "lambda: 0", "yield", "raise", "é", "\ufeff", "x: int"]
    ),
    max_size=60,
).map("".join)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.one_of(PYTHON, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_any_text_gives_evidence_that_equals_its_lines(text: str) -> None:
    data = text.encode()
    graph = build(
        {"any.py": data, "any.js": data, "any.toml": data, "any.j2": data, "any.json": data, "any.yaml": data}
    )
    assert_evidence_is_its_lines(graph)
    assert [item.id for item in graph.evidence] == [f"E{number:06d}" for number in range(1, len(graph.evidence) + 1)]
