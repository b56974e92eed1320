"""Tables of a Python file: statements, scopes, names and the lines of evidence."""

from __future__ import annotations

import pytest

from ebg.repository._syntax import AUGMENT, DEFINITION, LOAD, STORE, PythonSyntax, read_python

PICK = b"""def pick(x):
    if x: return 1
    total = 0
    for part in x:
        total += part
        if part < 0:
            raise ValueError(part)
    # note
    try:
        y = int(x)
    except TypeError:
        y = None
    finally:
        log(x)
    return total
"""


def evidence_of(text: str) -> list[tuple[str, int, int]]:
    return read_python(text.encode()).evidence


def guards_of(syntax: PythonSyntax, row: int) -> list[tuple[str, int, str]]:
    """Return the controls around a row, innermost first: (kind, line, branch label without its row)."""
    found = []
    branch = syntax.statements.branch[row]
    while branch >= 0:
        control, label, parent, _ = syntax.branches[branch]
        found.append((syntax.statements.kind[control], syntax.statements.first[control], label.split()[0]))
        branch = parent
    return found


def test_statements_on_one_line_share_one_evidence() -> None:
    # Specification part 11, Ex2: every line but the comment is its own evidence, line 2 holds two statements.
    lines = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15]
    assert read_python(PICK).evidence == [("pick", line, line) for line in lines]


def test_rows_know_the_branches_around_them() -> None:
    syntax = read_python(PICK)
    row_of_line = {line: row for row, line in enumerate(syntax.statements.first)}
    assert guards_of(syntax, row_of_line[7]) == [("if", 6, "body"), ("for", 4, "body")]
    assert guards_of(syntax, row_of_line[12]) == [("try", 9, "except")]
    assert guards_of(syntax, row_of_line[14]) == [("try", 9, "finally")]
    assert guards_of(syntax, row_of_line[15]) == []


def test_elif_is_an_if_inside_else() -> None:
    syntax = read_python(b"if a:\n  b\nelif c:\n  d\nelse:\n  e\n")
    row_of_line = {line: row for row, line in enumerate(syntax.statements.first)}
    assert guards_of(syntax, row_of_line[4]) == [("elif", 3, "body"), ("if", 1, "else")]
    assert guards_of(syntax, row_of_line[6]) == [("elif", 3, "else"), ("if", 1, "else")]


def test_header_runs_to_the_line_before_the_body() -> None:
    text = "def f(\n    a,  # first\n    b,\n):\n    # why\n    return a\n"
    assert evidence_of(text) == [("f", 1, 5), ("f", 6, 6)]


def test_header_with_the_body_on_its_last_line() -> None:
    assert evidence_of("def f(\n    a): return a\n") == [("f", 1, 2), ("f", 2, 2)]


def test_decorators_are_evidence_of_the_definition() -> None:
    text = "@cache\n@retry(3)\nclass K:\n    @property\n    def f(self):\n        return 1\n"
    assert evidence_of(text) == [("K", 1, 1), ("K", 2, 2), ("K", 3, 3), ("K.f", 4, 4), ("K.f", 5, 5), ("K.f", 6, 6)]
    scopes = [
        (scope.symbol, scope.kind, scope.first_line, scope.last_line) for scope in read_python(text.encode()).scopes
    ]
    assert scopes == [("<module>", "module", 1, 6), ("K", "class", 1, 6), ("K.f", "method", 4, 6)]


def test_gap_between_clauses_holds_comments() -> None:
    text = "if a:\n    b\n# when not\nelse:\n    c\n\ntry:\n    d\n\nexcept E:\n    f\n"
    assert evidence_of(text) == [
        ("<module>", 1, 1),
        ("<module>", 2, 2),
        ("<module>", 3, 4),
        ("<module>", 5, 5),
        ("<module>", 7, 7),
        ("<module>", 8, 8),
        ("<module>", 9, 10),
        ("<module>", 11, 11),
    ]


def test_match_header_includes_the_first_case_line() -> None:
    text = "match v:\n    case 1:\n        a\n    case _:\n        b\n"
    assert [row[1:] for row in evidence_of(text)] == [(1, 2), (2, 2), (3, 3), (4, 4), (5, 5)]


def test_overloads_are_left_out() -> None:
    text = "@typing.overload\ndef f(x: int) -> int:\n    return x\n\ndef f(x):\n    return x\n"
    assert evidence_of(text) == [("f", 5, 5), ("f", 6, 6)]


def test_trailing_comments_do_not_belong_to_a_definition() -> None:
    syntax = read_python(b"def f():\n    return 1\n    # the end\n\nx = 1\n")
    assert [(scope.symbol, scope.first_line, scope.last_line) for scope in syntax.scopes] == [
        ("<module>", 1, 5),
        ("f", 1, 2),
    ]


def test_names_have_roles_and_attributes_are_not_names() -> None:
    syntax = read_python(b"def f(a, *b):\n    c = d.e(g=a)\n    c += 1\n    return [h for h, k in b]\n")
    names = [(syntax.source[start:end].decode(), role) for start, end, role in syntax.names]
    assert names == [
        ("f", DEFINITION), ("a", STORE), ("b", STORE),
        ("c", STORE), ("d", LOAD), ("a", LOAD),
        ("c", AUGMENT),
        ("h", LOAD), ("h", STORE), ("k", STORE), ("b", LOAD),
    ]  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end(newline: str) -> None:
    text = "def f(x):\n    if x:\n        return 1\n    return 2\n".replace("\n", newline)
    assert evidence_of(text) == [("f", 1, 1), ("f", 2, 2), ("f", 3, 3), ("f", 4, 4)]


def test_broken_code_still_gives_the_scopes_that_parse() -> None:
    text = "def good():\n    return 1\n\ndef bad(x):\n    x = = 2\n\ndef also_good():\n    return 3\n"
    syntax = read_python(text.encode())
    symbols = {scope.symbol for scope in syntax.scopes}
    assert symbols == {"<module>", "good", "bad", "also_good"}
    assert syntax.error_line == 5


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        ("def bad(:\n    x = 2\n", 4),
        ("x = f(1,\n", 4),
        ("y = [\n    1,\n", 4),
        ("def bad():\n    return {1: (2\n", 5),
        ("z = 1)\n", 4),
    ],
)
def test_open_brackets_do_not_swallow_what_follows(broken: str, line: int) -> None:
    text = f"def good(a):\n    return '(' + a\n\n{broken}\nclass Also:\n    def good(self):\n        return 3\n"
    syntax = read_python(text.encode())
    symbols = {scope.symbol for scope in syntax.scopes}
    assert {"good", "Also", "Also.good"} <= symbols <= {"<module>", "good", "bad", "Also", "Also.good"}
    assert syntax.error_line == line


def test_a_file_in_which_nothing_parses_is_one_evidence() -> None:
    assert evidence_of(")))\n((\n") == [("<module>", 1, 2)]
    assert evidence_of("\n  \n") == []
