"""Search (specification part 7.4)."""

from __future__ import annotations

from ebg.view import Budgets, RepositoryView
from tests.view.graphs import build, joined

FILES = {
    "app/box.py": "class Box:\n    def get(self, key):\n        return self.items[key]\n\n"
    "    def put(self, key):\n        pass\n",
    "app/util.py": "def get(key):\n    # Falls back to the DEFAULT value.\n    return DEFAULT\n\n\n"
    "def drop():\n    pass\n",
    "web/box.lua": "function get(key) return items[key] end\n",
}


def hits(query: str) -> list[tuple[str, str]]:
    graph = joined(build(FILES), [("app/util.py::get", "return", [], [], [3])])
    return [(hit.id, hit.match) for hit in RepositoryView(graph, "").search(query).hits]


def test_ids_paths_symbols_behaviors_and_names_are_found_exactly() -> None:
    assert hits("F0003") == [("F0003", "id")]
    assert hits("F0001.S0003") == [("F0001.S0003", "id")]
    assert hits("app/util.py") == [("F0002", "path")]
    assert hits("Box.put") == [("F0001.S0004", "symbol")]
    assert hits("B0001") == [("F0002.S0002", "behavior")]
    assert hits("get")[:2] == [("F0002.S0002", "symbol"), ("F0001.S0003", "name")]


def test_keywords_may_stand_anywhere_in_a_file_and_lead_to_the_innermost_scope() -> None:
    assert hits("falls DEFAULT") == [("F0002.S0002", "text")]
    # Both words are in box.py, but in no single scope below the class.
    assert hits("items put") == [("F0001.S0002", "text")]
    assert hits("key return") == [("F0001.S0003", "text"), ("F0002.S0002", "text"), ("F0003", "text")]


def test_when_nothing_has_all_words_the_rarest_words_win_and_it_is_said() -> None:
    view = RepositoryView(build(FILES), "")
    reply = view.search("drop unknownword key")
    # `drop` is in one file, `key` in three.
    assert [(hit.path, hit.match) for hit in reply.hits] == [
        ("app/util.py", "part of the words"),
        ("app/box.py", "part of the words"),
        ("web/box.lua", "part of the words"),
    ]
    assert reply.text.startswith("No file has all of 'drop unknownword key'; 3 files have part of it")


def test_the_total_is_the_true_one() -> None:
    view = RepositoryView(build({f"m{n:02d}.py": "VALUE = 1\n" for n in range(20)}), "", budgets=Budgets(hits=12))
    reply = view.search("value")
    assert (len(reply.hits), reply.total) == (12, 20)
    assert reply.text.startswith("12 of 20 files match 'value'.\nF0001")


def test_no_hit_and_no_words() -> None:
    view = RepositoryView(build(FILES), "")
    for query in ("zzz", "   "):
        reply = view.search(query)
        assert (reply.hits, reply.total) == ((), 0)
    assert view.search("zzz").text == "No file matches 'zzz'.\n"
