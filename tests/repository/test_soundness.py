"""Properties of graphs of any text and of this library."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import ebg
from tests.repository.soundness import problems_of
from tests.repository.test_build_files import PYTHON

_LINES = st.sampled_from(
    ["def f(x, y=1):", "class K(Base):", "@f", "async def g():", "return f(x)", "return self.a", "if a: return x",
     "if x:", "elif y:", "else:", "try:", "except E as e:", "finally:", "for i in x:", "while True:",
     "with f() as b:", "match x:", "case [a, *b]:", "case _:", "x = f(y)", "x, self.a = y", "x += 1",
     "self.a.append(x)", "print(x)", "raise E(x)", "yield x", "import os, other", "from any import f, K",
     "from other import *", "global x", "nonlocal y", "del x.a", "os.remove(x)", "other.f(K())",
     "[i for i in x if i]", "lambda q: q", "break", "continue", "pass", "assert x, y", "def h(): return 1", "x = (",
     ")", '"""', "# c", "x: int", "(y := f(x))", "K().f()", "super().f()"]
)  # fmt: skip
_PROGRAMS = st.lists(st.tuples(st.integers(0, 4), _LINES), max_size=30).map(
    lambda rows: "".join("    " * depth + line + "\n" for depth, line in rows)
)


@settings(max_examples=200, deadline=None)
@given(_PROGRAMS, st.one_of(_PROGRAMS, PYTHON))
def test_any_program_gives_a_sound_graph(first: str, second: str) -> None:
    files = {"keep.py": b"x = 1\n", "any.py": first.encode(), "other.py": second.encode()}
    assert list(problems_of(ebg.build(files))) == []
    assert list(problems_of(ebg.build(files, compat="reference"))) == []


def test_this_library_gives_a_sound_graph(root: Path) -> None:
    graph = ebg.build(root / "ebg")
    assert list(problems_of(graph)) == []
    assert len(graph.relations) > 500
