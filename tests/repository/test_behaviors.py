"""Behaviors: roles, guards, exclusive routes and what counts as an effect."""

from __future__ import annotations

import itertools
import textwrap

import pytest

import ebg
from ebg.model import RepositoryGraph

SCALE = """\
import math

LIMIT = 10

def scale(value, strict=False):
    if strict and value > LIMIT:
        raise ValueError("too big")
    if value > LIMIT:
        out = LIMIT
    else:
        out = math.floor(value)
    return out
"""

PICK = """\
def pick(x):
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

Row = tuple[str, int, list[int], list[int]]


def graph_of(text: str, **files: str) -> RepositoryGraph:
    sources = {"m.py": textwrap.dedent(text).encode()}
    return ebg.build(sources | {f"{name}.py": textwrap.dedent(source).encode() for name, source in files.items()})


def rows_of(text: str, symbol: str = "f", **files: str) -> list[Row]:
    """Return (result type, line of the result, first lines of condition and operation) of a scope's behaviors."""
    graph = graph_of(text, **files)
    line = {item.id: item.line_start for item in graph.evidence}
    return [
        (
            behavior.result_type,
            line[behavior.result[0]],
            [line[item] for item in behavior.condition],
            [line[item] for item in behavior.operation],
        )
        for behavior in graph.behaviors
        if behavior.scope == ("m.py", symbol)
    ]


def effects_of(text: str, symbol: str = "f", **files: str) -> list[tuple[str, int]]:
    """Return (result type, line) of the effects of a scope, `return` aside."""
    return [row[:2] for row in rows_of(text, symbol, **files) if row[0] != "return"]


def guards_of(text: str, line: int) -> list[str]:
    """Return the guards of the behaviors whose result is in `line`."""
    graph = graph_of(text)
    where = {item.id: item.line_start for item in graph.evidence}
    found = {tuple(guard.text for guard in item.guards) for item in graph.behaviors if where[item.result[0]] == line}
    assert len(found) == 1
    return list(found.pop())


# -- the worked examples ----------------------------------------------------------------------------------------------


def test_roles_and_exclusive_routes() -> None:
    # Specification part 11, Ex1 with T: guards on everything after the early exit in line 6.
    graph = ebg.build({"scale.py": SCALE.encode()})
    assert [(item.id, item.symbol, item.line_start, item.line_end) for item in graph.evidence] == [
        ("E000001", "<module>", 1, 1),
        ("E000002", "<module>", 3, 3),
        ("E000003", "scale", 5, 5),
        ("E000004", "scale", 6, 6),
        ("E000005", "scale", 7, 7),
        ("E000006", "scale", 8, 8),
        ("E000007", "scale", 9, 9),
        ("E000008", "scale", 10, 10),
        ("E000009", "scale", 11, 11),
        ("E000010", "scale", 12, 12),
    ]
    found = [
        (item.id, item.scope.symbol, item.result_type, item.condition, item.operation, item.result, item.lines)
        for item in graph.behaviors
    ]
    assert found == [
        ("B0001", "<module>", "state_write", (), (), ("E000002",), (1, 12)),
        ("B0002", "scale", "raise", ("E000004",), (), ("E000005",), (5, 12)),
        ("B0003", "scale", "external_call", ("E000006", "E000008"), (), ("E000009",), (5, 12)),
        ("B0004", "scale", "return", ("E000006",), ("E000007",), ("E000010",), (5, 12)),
        ("B0005", "scale", "return", ("E000006", "E000008"), ("E000009",), ("E000010",), (5, 12)),
    ]
    guards = [[(guard.text, guard.evidence) for guard in item.guards] for item in graph.behaviors]
    early = [("not (strict and value > LIMIT)", "E000004")]
    assert guards == [[], [], early, early, early]


def test_corrections_of_the_reference_rules() -> None:
    # Specification part 11, Ex2 with T.
    graph = ebg.build({"pick.py": PICK.encode()})
    number = {item.id: index for index, item in enumerate(graph.evidence, 1)}
    found = [
        (
            item.result_type,
            [number[one] for one in item.condition],
            [number[one] for one in item.operation],
            [number[one] for one in item.result],
            [guard.text for guard in item.guards],
        )
        for item in graph.behaviors
    ]
    assert found == [
        ("return", [2], [], [2], []),
        ("raise", [4, 6], [], [7], ["not x"]),
        ("output", [8, 12], [], [13], ["not x"]),
        ("return", [4], [3], [14], ["not x"]),
        ("return", [4], [3, 5], [14], ["not x"]),
    ]
    part = graph.behaviors[0].tests[0]
    assert graph.evidence_by_id[part.evidence].content[part.start : part.end] == "x"
    assert [item.tests for item in graph.behaviors[1:]] == [(), (), (), ()]


# -- definitions ------------------------------------------------------------------------------------------------------


def test_a_definition_that_always_runs_hides_what_was_before() -> None:
    assert rows_of(
        """\
        def f(a):
            x = a
            x = a + 1
            y = x
            return y
        """
    ) == [("return", 5, [], [3, 4])]


def test_loop_bodies_do_not_flood() -> None:
    assert rows_of(
        """\
        def f(items):
            best = None
            for item in items:
                note(item)
                best = item
                other = 1
            return best
        """
    ) == [("return", 7, [3], [2]), ("return", 7, [3], [5])]


def test_definitions_reach_around_a_loop() -> None:
    assert rows_of(
        """\
        def f(items):
            previous = None
            for item in items:
                yield previous
                previous = item
        """
    ) == [("yield", 4, [3], [2, 5])]


def test_an_endless_loop_always_runs() -> None:
    assert rows_of(
        """\
        def f(read):
            while True:
                data = read()
                if data:
                    break
            return data
        """
    ) == [("return", 6, [2], [3])]


def test_a_block_that_leaves_defines_nothing_for_what_follows() -> None:
    assert rows_of(
        """\
        def f(a):
            x = 1
            if a:
                x = 2
                return None
            return x
        """
    ) == [("return", 5, [3], []), ("return", 6, [], [2])]


def test_a_try_that_succeeds_or_is_handled() -> None:
    assert rows_of(
        """\
        def f(text):
            value = None
            try:
                value = int(text)
            except ValueError:
                value = 0
            except TypeError as error:
                raise Wrong(error)
            return value
        """
    ) == [
        ("raise", 8, [3, 7], []),
        ("return", 9, [3], [4]),
        ("return", 9, [3, 5], [6]),
    ]


def test_a_try_body_reaches_its_handlers_and_what_comes_finally() -> None:
    rows = rows_of(
        """\
        def f(path):
            handle = None
            try:
                handle = start(path)
                run(handle)
            except OSError:
                raise Failed(handle)
            finally:
                print(handle)
        """
    )
    assert rows == [("raise", 7, [3, 6], [2, 4]), ("output", 9, [3, 8], [2, 4])]


def test_targets_of_every_form_are_definitions() -> None:
    assert rows_of(
        """\
        def f(data):
            (first, *rest), third = data
            if (n := len(rest)) > 1:
                return first, n
            match data:
                case [head, *_]:
                    return head
                case {"k": value}:
                    return value
            with open(third) as handle:
                return handle
        """
    ) == [
        ("return", 4, [3], [2]),
        ("return", 7, [5, 6], []),
        ("return", 9, [5, 8], []),
        ("external_call", 10, [], [2]),
        ("return", 11, [10], [2]),
    ]


def test_parameters_end_the_search() -> None:
    # `limit` of the module is not what the function returns.
    assert rows_of("limit = 1\ndef f(limit):\n    if limit:\n        limit = 2\n    return limit\n") == [
        ("return", 5, [3], []),
        ("return", 5, [3], [4]),
    ]


def test_changes_of_a_value_are_operations_on_it() -> None:
    assert rows_of(
        """\
        def f(rows):
            found = []
            seen = {}
            for row in rows:
                found.append(row)
                seen[row] = 1
            return found
        """
    ) == [
        ("state_write", 6, [4], [3]),
        ("return", 7, [4], [2]),
        ("return", 7, [4], [2, 5]),
    ]


def test_attributes_are_followed_through_self() -> None:
    assert rows_of(
        """\
        class K:
            def f(self, a):
                self.x = a + 1
                self.y = 2
                return self.x
        """,
        "K.f",
    ) == [("state_write", 3, [], []), ("state_write", 4, [], []), ("return", 5, [], [3])]


def test_names_of_comprehensions_and_lambdas_stay_inside() -> None:
    assert rows_of(
        """\
        def f(rows):
            x = 1
            key = lambda x: x
            return [x for x in rows], key
        """
    ) == [("return", 4, [], [3])]


# -- conditions and guards --------------------------------------------------------------------------------------------


def test_clauses_on_one_line_keep_their_condition() -> None:
    graph = graph_of("def f(a):\n    try: return a()\n    except E: return 1\n    for b in a: yield b\n")
    parts = [
        graph.evidence_by_id[part.evidence].content[part.start : part.end]
        for behavior in graph.behaviors
        for part in behavior.tests
    ]
    assert sorted(parts) == ["except E", "for b in a", "try"]


def test_a_comment_before_else_does_not_change_roles() -> None:
    assert rows_of("def f(a):\n    if a:\n        x = 1\n    # note\n    else:\n        x = 2\n    return x\n") == [
        ("return", 7, [2], [3]),
        ("return", 7, [2, 4], [6]),
    ]


@pytest.mark.parametrize(
    ("test", "guard"),
    [
        ("a", "not a"),
        ("not a", "a"),
        ("a.b", "not a.b"),
        ("g(a)", "not g(a)"),
        ("a and b", "not (a and b)"),
        ("not a or b", "not (not a or b)"),
        ("(a <\n        b)", "not (a < b)"),
    ],
)
def test_text_of_a_guard(test: str, guard: str) -> None:
    text = f"def f(a, b):\n    if {test}:\n        return 1\n    return 2\n"
    assert guards_of(text, 4 + test.count("\n")) == [guard]


def test_every_early_exit_guards_what_follows_in_its_block_and_inside() -> None:
    text = """\
def f(items, lock):
    assert items, "none"
    with lock:
        if lock.closed:
            raise Closed
    for item in items:
        if item.bad:
            continue
        elif item.last:
            break
        print(item)
    if len(items) > 3:
        note()
    else:
        return None
    return items
"""
    assert guards_of(text, 11) == ["items", "not lock.closed", "not item.bad", "not item.last"]
    assert guards_of(text, 16) == ["items", "not lock.closed", "len(items) > 3"]


def test_an_exit_after_a_branch_that_stays_is_no_guard() -> None:
    assert guards_of("def f(a, b):\n    if a:\n        note()\n    elif b:\n        return 1\n    return 2\n", 6) == []


# -- routes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tests", "split"), [(3, 3), (4, 4), (10, 4), (20, 3), (40, 2)])
def test_routes_are_bounded(tests: int, split: int) -> None:
    lines = "".join(f"    if a[{number}]:\n        x = x + {number}\n" for number in range(tests))
    rows = rows_of(f"def f(a):\n    x = 0\n{lines}    return x\n")
    # The tests nearest the return are split; those before stay joined in every route.
    last = 2 + 2 * tests
    near = range(last - 2 * (split - 1), last + 1, 2)
    chosen = [list(lines) for count in range(split + 1) for lines in itertools.combinations(near, count)]
    far = [*range(2, near[0], 2)]
    assert len(rows) == 2**split
    assert sorted(row[3] for row in rows) == sorted(far + one for one in chosen)


def test_long_functions_cost_no_square() -> None:
    lines = "".join(
        f"    if a == {number}:\n        return b[{number}]\n    c[{number}] = a\n" for number in range(2000)
    )
    graph = graph_of(f"def f(a, b):\n    c = {{}}\n{lines}    return c\n")
    assert max(len(item.guards) for item in graph.behaviors) == 32
    assert max(len(item.operation) for item in graph.behaviors) == 64
    assert len(graph.behaviors) == 4001


# -- effects ----------------------------------------------------------------------------------------------------------


def test_calls_are_classed_by_what_they_resolve_to() -> None:
    assert effects_of(
        """\
        import os
        import logging
        from pathlib import Path
        from pkg.calc import total
        from .near import helper

        def f(name: str, items, connection):
            os.remove(name)
            name.replace("a", "b")
            "x".replace("a", "b")
            total(items)
            helper(items)
            items.append(1)
            connection.execute("select 1")
            Path(name).replace("b")
            path = Path(name)
            path.rename("c")
            text = "abc"
            text.remove("a")
            print(name)
            logging.info(name)
            open(name)
            local = []
            local.remove(1)
            g()

        def g():
            return 1
        """,
        **{"pkg/calc": "def total(x): return x\n"},
    ) == [
        ("external_call", 8),
        ("external_call", 14),
        ("external_call", 15),
        ("external_call", 16),
        ("external_call", 17),
        ("output", 20),
        ("output", 21),
        ("external_call", 22),
    ]


def test_the_project_is_found_below_other_roots() -> None:
    text = b"from app.b import g\nimport app.b\nimport apple\ndef f():\n    g()\n    app.b.g()\n    apple.g()\n"
    files = {
        "backend/app/__init__.py": b"",
        "backend/app/a.py": text,
        "backend/app/b.py": b"def g():\n    return 1\n",
    }
    graph = ebg.build(files)
    lines = [graph.evidence_by_id[item.result[0]].line_start for item in graph.behaviors if item.scope.symbol == "f"]
    assert lines == [7]


def test_writes_of_state() -> None:
    text = """\
        LIMIT: int
        COUNT: int = 0
        NAMES = []
        class K:
            kind: str
            size = 1
            def f(self, x):
                global COUNT
                self.a, self.b = x
                self.items.append(x)
                self.update(x)
                COUNT += 1
                NAMES.append(x)
                local = []
                local.append(x)
                def inner():
                    nonlocal local
                    local = None
                del self.a
            def update(self, x):
                pass
        """
    assert effects_of(text, "<module>") == [("state_write", 2), ("state_write", 3)]
    assert effects_of(text, "K") == [("state_write", 6)]
    assert effects_of(text, "K.f") == [("state_write", line) for line in (9, 10, 12, 13, 19)]
    assert effects_of(text, "K.f.inner") == [("state_write", 18)]


def test_yields_and_python_2() -> None:
    assert effects_of("def f(a):\n    x = yield a\n    g = lambda: (yield)\n    yield from a\n") == [
        ("yield", 2),
        ("yield", 4),
    ]
    assert effects_of("def f(a):\n    print 'x', a\n") == [("output", 2)]


def test_scopes_without_effects_exist() -> None:
    graph = graph_of("def f(a):\n    if a:\n        pass\n")
    assert ("m.py", "f") in graph.scopes
    assert list(graph.behaviors) == []
