"""The same graph with any number of processes and with any state of the cache."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import ebg
from ebg.errors import UsageError
from ebg.model import RepositoryGraph
from ebg.repository import _work
from ebg.repository._cache import FactsCache, facts_key, user_cache_folder
from ebg.repository._facts import FileFacts
from ebg.repository._file import file_facts

FILES = {
    **{
        f"pkg/m{number}.py": f"def f{number}(x):\n    if x:\n        return {number}\n    raise E(x)\n".encode()
        for number in range(9)
    },
    "pkg/__init__.py": b"from .m1 import f1\n",
    "a.toml": b"[x]\ny = 1\n",
    "t.j2": b"{{ a }}\n",
    "b.sql": b"select 1\n",
}


def everything(graph: RepositoryGraph) -> tuple[object, ...]:
    """Return all that a graph says, comparable by value."""
    return (
        list(graph.files.values()),
        graph.excluded,
        list(graph.scopes.values()),
        list(graph.evidence),
        list(graph.behaviors),
        list(graph.relations),
        list(graph.unresolved),
    )


def test_processes_make_the_same_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = everything(ebg.build(FILES))
    monkeypatch.setattr(_work, "BYTES_WORTH_A_PROCESS", 100)
    assert everything(ebg.build(FILES, jobs=3)) == alone


def test_a_process_that_dies_costs_nothing_but_time(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = everything(ebg.build(FILES))
    monkeypatch.setattr(_work, "BYTES_WORTH_A_PROCESS", 100)
    monkeypatch.setattr(_work, "_SERVE", "raise SystemExit(1)  # {size}")
    assert everything(ebg.build(FILES, jobs=2)) == alone


def test_jobs_must_be_positive() -> None:
    with pytest.raises(UsageError, match="jobs is 0"):
        ebg.build(FILES, jobs=0)


def test_the_hash_seed_changes_nothing(tmp_path: Path) -> None:
    for path, data in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    script = (
        "import ebg, sys; g = ebg.build(sys.argv[1]); print(list(g.evidence), list(g.behaviors), list(g.relations))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(ebg.__file__).parent.parent)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


def test_the_cache_changes_nothing_but_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = everything(ebg.build(FILES))
    assert everything(ebg.build(FILES, cache=tmp_path / "c")) == alone
    made: list[str] = []

    def counting(path: str, *arguments: str, compat: None = None) -> FileFacts:
        made.append(arguments[2])
        return file_facts(path, *arguments, compat=compat)  # type: ignore[arg-type]

    monkeypatch.setattr(_work, "file_facts", counting)
    assert everything(ebg.build(FILES, cache=tmp_path / "c")) == alone
    assert made == []
    changed = {**FILES, "b.sql": b"select 2\n", "copy.sql": b"select 2\n", "moved.toml": FILES["a.toml"]}
    graph = ebg.build(changed, cache=tmp_path / "c")
    assert made == ["select 2\n"]
    assert {"copy.sql", "moved.toml"} <= set(graph.files)
    assert graph.evidence_of_scope["moved.toml", "x.y"][0].content == "y = 1\n"  # type: ignore[index]


def test_links_are_kept_while_no_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"a.py": b"from b import g\ndef f():\n    return g()\n", "b.py": b"def g():\n    return 1\n"}
    alone = everything(ebg.build(files, cache=tmp_path))
    monkeypatch.setattr(_work, "link", lambda *_, **__: pytest.fail("linked again"))
    assert everything(ebg.build(files, cache=tmp_path)) == alone
    with pytest.raises(pytest.fail.Exception, match="linked again"):
        ebg.build({"a.py": files["a.py"], "c.py": files["b.py"]}, cache=tmp_path)


def test_reference_rules_are_cached_apart(tmp_path: Path) -> None:
    ebg.build(FILES, cache=tmp_path)
    cached = everything(ebg.build(FILES, cache=tmp_path, compat="reference"))
    assert cached == everything(ebg.build(FILES, compat="reference"))


def test_an_unusable_cache_does_not_stop_a_build(tmp_path: Path) -> None:
    alone = everything(ebg.build(FILES))
    (tmp_path / "file").write_bytes(b"")
    assert everything(ebg.build(FILES, cache=tmp_path / "file" / "below")) == alone
    (tmp_path / "facts.sqlite3").write_bytes(b"no database" * 1000)
    assert everything(ebg.build(FILES, cache=tmp_path)) == alone
    assert everything(ebg.build(FILES, cache=tmp_path)) == alone


def test_entries_that_are_no_facts_are_not_loaded(tmp_path: Path) -> None:
    key = facts_key("x", "source", "text", None)
    with FactsCache(tmp_path) as cache:
        cache.put({key: FileFacts("", "source", "text")})
        assert cache.get([key], FileFacts) == {key: FileFacts("", "source", "text")}
    with sqlite3.connect(tmp_path / "facts.sqlite3") as connection:
        connection.execute("UPDATE facts SET value = ?", (b"cos\nsystem\n(S'exit 1'\ntR.",))
    connection.close()
    with FactsCache(tmp_path) as cache:
        assert cache.get([key], FileFacts) == {}


def test_the_cache_drops_what_was_unused_for_longest(tmp_path: Path) -> None:
    keys = [facts_key(str(number), "source", "text", None) for number in range(10)]
    big = FileFacts("", "source", "text", note="x" * 10_000)
    with FactsCache(tmp_path, max_bytes=60_000) as cache:
        for number, key in enumerate(keys[:5]):
            cache._today = number
            cache.put({key: big})
        cache._today = 9
        assert set(cache.get([keys[0]], FileFacts)) == {keys[0]}  # used today, so it stays
        cache.put({keys[5]: big})
        # Six entries of 10 kB exceed the limit: the two unused for longest go, which leaves less than 45 kB.
        assert set(cache.get(keys, FileFacts)) == {keys[0], keys[3], keys[4], keys[5]}


def test_two_processes_share_a_cache(tmp_path: Path) -> None:
    first, second = FactsCache(tmp_path), FactsCache(tmp_path)
    key = facts_key("x", "source", "text", None)
    first.put({key: FileFacts("", "source", "text")})
    assert set(second.get([key], FileFacts)) == {key}
    second.put({key: FileFacts("", "source", "text", note="again")})
    assert first.get([key], FileFacts)[key].note == "again"
    with first, second:
        pass


def test_the_user_cache_folder_follows_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert user_cache_folder() == Path("/somewhere/ebg")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/u")
    assert user_cache_folder() == Path("/home/u/.cache/ebg")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert user_cache_folder() == Path("/home/u/Library/Caches/ebg")
