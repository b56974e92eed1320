"""Configuration, templates, notebooks, stubs and other languages."""

from __future__ import annotations

import json

import pytest

import ebg
from ebg.model import RepositoryGraph

Row = tuple[str, int, int]


def evidence_of(graph: RepositoryGraph) -> list[Row]:
    return [(item.symbol, item.line_start, item.line_end) for item in graph.evidence]


def items_of(path: str, text: str) -> list[Row]:
    return evidence_of(ebg.build({path: text.encode()}))


def test_configuration_and_template() -> None:
    # Specification part 11, Ex5: the same in R and T.
    graph = ebg.build(
        {
            "settings.toml": b"[db]\nhost = 'x'\nport = 5432\n",
            "templates/mail.jinja2": b"{% macro greet(n) %}\nHi {{ n }}\n{% endmacro %}\n",
        }
    )
    assert evidence_of(graph) == [
        ("db.host", 2, 2), ("db.port", 3, 3), ("greet", 1, 1), ("greet", 2, 2), ("greet", 3, 3),
    ]  # fmt: skip
    found = [
        (item.id, item.scope.symbol, item.kind, item.result_type, item.result, item.lines) for item in graph.behaviors
    ]
    assert found == [
        ("B0001", "db.host", "configuration", "state_write", ("E000001",), (2, 2)),
        ("B0002", "db.port", "configuration", "state_write", ("E000002",), (3, 3)),
        ("B0003", "greet", "runtime_template", "output", ("E000004",), (1, 3)),
    ]


def test_toml_values_of_several_lines() -> None:
    text = 'x = [\n 1,\n  "a = 2",\n]\n\n[tool."b c"]\n# note\ny.z = """\nk = 3\n"""\n\n[[arr]]\nq = 1\n'
    # The closing bracket in line 4 is trimmed, `k = 3` is inside a string, blank lines and comments end an item.
    assert items_of("a.toml", text) == [("x", 1, 3), ('tool."b c".y.z', 8, 10), ("arr.q", 13, 13)]


def test_yaml_keys_with_a_value_on_their_line() -> None:
    text = "a: 1\nb:\n  c: 2\n  d: |\n    x: 3\n  'e':\n    - f: http://g\n    - h\n# end\n---\ni: 4\n"
    assert items_of("a.yml", text) == [("a", 1, 1), ("b.c", 3, 3), ("b.d", 4, 5), ("b.e.f", 7, 8), ("i", 11, 11)]


def test_json_takes_the_least_indented_keys() -> None:
    text = '{\n  "a": {\n    "b": 1\n  },\n  "c": [\n    1\n  ]\n}\n'
    assert items_of("a.json", text) == [("a", 2, 3), ("c", 5, 6)]
    assert items_of("b.json", '{"a": 1}\n') == [("<module>", 1, 1)]


def test_ini_and_requirements() -> None:
    assert items_of("a.cfg", "[s]\nk = v\n  more\n\n; c\n[t]\nz: 1\n") == [("s.k", 2, 3), ("t.z", 7, 7)]
    text = "# c\nflask[async]>=1 \\\n  --hash=sha256:1\n-r x.txt\ndjango\n"
    assert items_of("requirements.txt", text) == [("flask[async]", 2, 3), ("django", 5, 5)]


def test_a_key_given_twice_has_two_spans() -> None:
    graph = ebg.build({"a.ini": b"[s]\nk = 1\nk = 2\n"})
    assert graph.scopes["a.ini", "s.k"].spans == ((2, 2), (3, 3))  # type: ignore[index]
    assert [item.lines for item in graph.behaviors] == [(2, 2), (3, 3)]


def test_blocks_of_templates_nest() -> None:
    text = "<p>\n{% block a %}{{ x }}\n{% block b %}\nb\n{% endblock %}\n{# note #}\n{% endblock %}\n\n</p>\n"
    graph = ebg.build({"views/page.html": text.encode()})
    assert [(item.symbol, item.line_start) for item in graph.evidence] == [
        ("<module>", 1), ("a", 2), ("a.b", 3), ("a.b", 4), ("a.b", 5), ("a", 6), ("a", 7), ("<module>", 9),
    ]  # fmt: skip
    line = {item.id: item.line_start for item in graph.evidence}
    assert sorted(line[item.result[0]] for item in graph.behaviors) == [1, 2, 4, 9]
    assert [(scope.symbol, scope.spans) for scope in graph.scopes.values()] == [
        ("<module>", ((1, 9),)),
        ("a", ((2, 7),)),
        ("a.b", ((3, 5),)),
    ]


def test_html_is_a_template_by_place_or_content() -> None:
    graph = ebg.build({"a.html": b"<p>{{ x }}</p>\n", "b.html": b"<p>x</p>\n", "templates/c.html": b"<p>x</p>\n"})
    assert sorted(graph.files) == ["a.html", "templates/c.html"]


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# hi"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "x = 1"]},
        {"cell_type": "code", "source": "%%bash\nls\n"},
        {"cell_type": "code", "source": "def f():\n    return x\n"},
    ]
}


def test_code_cells_of_notebooks() -> None:
    graph = ebg.build({"n.ipynb": json.dumps(NOTEBOOK).encode()})
    assert graph.files["n.ipynb"].language == "notebook"
    assert graph.files["n.ipynb"].text == (
        "# %% cell 2\n# %matplotlib inline\nx = 1\n"
        "# %% cell 3\n# %%bash\n# ls\n"
        "# %% cell 4\ndef f():\n    return x\n"
    )  # fmt: skip
    assert evidence_of(graph) == [("<module>", 3, 3), ("f", 8, 8), ("f", 9, 9)]


@pytest.mark.parametrize("data", [b"{}", b"[]", b"not json", b'{"cells": [{"cell_type": "code"}]}', b"[" * 100_000])
def test_broken_notebooks_are_noted(data: bytes) -> None:
    graph = ebg.build({"keep.py": b"x = 1\n", "n.ipynb": data})
    assert [item.path for item in graph.excluded] == ["n.ipynb"]
    assert graph.excluded[0].reason.startswith("not a notebook: ")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.toml", "a" + " " * 200_000 + "b"),
        ("a.toml", "[" + " " * 200_000),
        ("a.yaml", "a" + " " * 200_000 + "b"),
        ("a.yaml", "- " * 100_000),
        ("a.ini", "a" + " " * 200_000),
        ("a.json", '"' + "\\" * 200_000),
        ("requirements.txt", "a" * 200_000 + "["),
        ("a.j2", "{% x %}" * 30_000 + "y"),
        ("a.py", "from ." + " " * 200_000 + "x"),
        ("a.py", "import a" + " " * 200_000 + "(\n"),
    ],
)
def test_hostile_lines_cost_no_more_than_their_length(path: str, line: str) -> None:
    ebg.build({path: line.encode()})  # quadratic patterns would take minutes
