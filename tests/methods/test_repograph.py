"""The method `repograph` (specification ebg-method.md, part 8)."""

from __future__ import annotations

import pytest

from agentmonbench import methods
from agentmonbench.examples import Document, Example
from agentmonbench.methods._namegraph import build_name_graph


def open_files(**files: bytes) -> methods.Workspace:
    named = {name.replace("__", "/") + ".py": data for name, data in files.items()}
    return methods.get("repograph").open(Example("sg_1", "specgap", document=Document("d.md", "t"), files=named))


def test_the_index_lists_definitions(example: Example) -> None:
    workspace = methods.get("repograph").open(example)
    assert workspace.index_text.split("\n") == [
        "Read ID | Definition | Kind | File | Lines",
        "S0001 | run | function | app/api.py | 4-8",
        "S0002 | Runner | class | app/api.py | 11-13",
        "S0003 | Runner.run_all | function | app/api.py | 12-13",
        "S0004 | logged | function | app/util.py | 1-2",
        "S0005 | helper | function | app/util.py | 5-6",
    ]
    assert workspace.max_read_ids == 32
    assert list(workspace.leading_files) == ["app/api.py", "app/util.py"]


def test_a_read_shows_the_definition_its_calls_and_what_is_around(example: Example) -> None:
    workspace = methods.get("repograph").open(example)
    reply = workspace.read(["S0005"])
    assert reply.text.split("\n") == [
        "## app/util.py::helper@5-6 [definition helper]",
        "5 | def helper(name):",
        "6 |     return name.strip()",
        "",
        "## app/api.py::run@8-8 [call helper]",
        "8 |     return util.helper(name)",
        "",
        "## app/api.py::run@4-8 [function run]",
        "4 | @util.logged",
        "5 | def run(name):",
        "6 |     if not name:",
        '7 |         raise ValueError("empty")',
        "8 |     return util.helper(name)",
    ]
    assert workspace.shown.lines == {"app/util.py": {5, 6}, "app/api.py": {4, 5, 6, 7, 8}}


def test_search_takes_names_first_then_words(example: Example) -> None:
    workspace = methods.get("repograph").open(example)
    assert workspace.search("run_all").ids == ("S0003",)
    assert workspace.search("Runner.run_all").ids == ("S0003",)
    assert workspace.search("app/util.py").ids == ("S0004", "S0005")
    assert workspace.search("run api").ids == ("S0001", "S0002", "S0003")
    assert workspace.search("strip").text == "hits: 0"


def test_builtins_and_methods_of_containers_are_not_followed() -> None:
    graph = build_name_graph([("a.py", b"def get(x):\n    return x\n\n\ndef use(d):\n    return d.get(1) + len(d)\n")])
    assert graph.calls == {}


@pytest.mark.parametrize(
    "source",
    [
        b"def old():\n    print 'x'\n    try:\n        pass\n    except ValueError, e:\n        raise e\n",
        b"def broken(:\n    return 1\n\n\ndef fine():\n    return 2\n",
        b"\xef\xbb\xbfdef bom():\n    return 1\r\n",
        b"def mac():\r    return 1\r",
        b"def nul():\n    return '\x00'\n",
        b"x = " + b"(" * 5_000 + b"1" + b")" * 5_000 + b"\n\n\ndef deep():\n    return x\n",
        b"class A:\n" + b"".join(b" " * n + b"def f%d():\n" % n for n in range(1, 90)) + b" " * 91 + b"pass\n",
        b"",
    ],
)
def test_python_that_ast_refuses_is_read(source: bytes) -> None:
    workspace = open_files(odd=source, good=b"def good():\n    return 1\n")
    listed = workspace.search("good").ids
    assert len(listed) >= 1
    rows = [row for row in workspace.index_text.split("\n")[1:] if not row.startswith("(")]  # the rest is "not listed"
    for row in rows:
        identity, _, _, path, lines = row.split(" | ")
        assert workspace.read([identity]).error is None
        start, end = map(int, lines.split("-"))
        assert workspace.shown.covers(path, start, end)


def test_lines_of_the_graph_are_lines_of_the_files() -> None:
    # A form feed and a lone carriage return inside a string: both count as in the file's own lines.
    workspace = open_files(ff=b"A = 1\n\x0c\n\ndef late():\n    return A\n")
    assert "late | function | ff.py | 4-5" in workspace.index_text


def test_a_definition_that_does_not_fit_is_cut() -> None:
    body = b"".join(b"    v%d = '%s'\n" % (number, b"y" * 1_000) for number in range(300))
    workspace = open_files(big=b"def big():\n" + body + b"\n\ndef small():\n    return 1\n")
    reply = workspace.read(["S0001", "S0002"])
    assert len(reply.text) <= 65_536 * 3
    assert reply.text.startswith("## big.py::big@1-")
    last = max(line for line in workspace.shown.lines["big.py"] if line <= 301)
    assert 150 < last < 301
    assert f"## big.py::big@1-{last} [definition big]\n" in reply.text


def test_it_does_not_apply_to_sessions() -> None:
    assert not methods.get("repograph").supports(Example("ft_1", "feedbacktrace"))
