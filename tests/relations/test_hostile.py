"""Code that refers to itself in every way, deep and wide code: linking ends, and soon."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ebg
from ebg.repository._names import name_facts
from ebg.repository._syntax import read_python

CIRCLES = [
    "rows = []\nrows.extend(rows)\nfor row in rows:\n    row.run()\n",
    "table = {}\ntable['a'] = table['b']\ntable['b'] = table['a']\ntable['a']()\n",
    "a = []\nb = []\na.append(b)\nb.append(a)\na.extend(b)\nb.extend(a)\na[0][0][0].run()\n",
    "t = {}\nt.update(t)\nt['x']['y']()\n",
    "class A(A):\n    pass\nA().run()\n",
    "class A(A.B):\n    class B(A):\n        pass\nA.B().run()\n",
    "class A(B.x):\n    x = 1\nclass B(A.y):\n    y = A\nA().x.y()\n",
    "x = x.y\ny = x\nx = y()\nx()()()\n",
    "def f():\n    return f()\nf()()\n",
    "def f():\n    return g()\ndef g():\n    return f()\nf().x.y()\n",
    "def f(a=f()):\n    return a\nf()()\n",
    "def f(a):\n    return f(a)(f)\nf(f)(f(f))\n",
    "f = lambda g=None: f(f)\nf()()\n",
    "@f\ndef f():\n    return f\nf()\n",
    "@f.g\nclass f:\n    @f\n    def g(self):\n        return self.g\nf().g()()\n",
    "class A:\n    @property\n    def a(self) -> 'A.a':\n        return self.a.a\nA().a.a.a()\n",
    "class A:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return next(self)\n"
    "for a in A():\n    a()\n",
    "class A:\n    def __enter__(self):\n        return self.__enter__()\nwith A() as a:\n    a()\n",
    "class A:\n    def __call__(self):\n        return self()\nA()()()\n",
    "X = 'X'\ndef f(x: X | list[X]) -> 'f':\n    return x\nf(1)()\n",
    "import m\nfrom m import *\nfrom m import m as m\nm.m.m()\n",
    "global x\nx = x\nnonlocal y\ny()\nself.x.y()\nsuper().x()\n",
    "def f():\n    nonlocal x\n    global f\n    f()\n    x()\n",
    "f(*f, **f)\nf(f=f)\n[f for f in f]()\n(f := f)()\n",
    "for x in x.y[x]:\n    x[x](x)\n",
]


@pytest.mark.parametrize("text", CIRCLES)
def test_circles_end(text):
    graph = ebg.build({"m.py": text.encode(), "n.py": b"from m import *\nimport m\nm.f().x()\n"})
    known = set(graph.evidence_by_id)
    assert all(set(row.evidence) <= known and row.evidence for row in graph.relations)


def test_many_alternatives_and_long_chains_stay_cheap():
    functions = "".join(f"def f{number}():\n    return f{number + 1}()\n" for number in range(400))
    choices = "x = None\n" + "".join(f"if a:\n    x = f{number}\n" for number in range(400)) + "x()()\n"
    chain = "y = x\n" + "y = y.a\n" * 400 + "y()\n"
    deep = "f0(" * 150 + ")" * 150 + "\n"
    table = "t = {}\n" + "".join(f"t[{number}] = t[{number + 1}]\nt.update(t)\n" for number in range(60)) + "t[0]()\n"
    graph = ebg.build({"m.py": (functions + choices + chain + deep + table).encode()})
    assert sum(row.type == "calls" for row in graph.relations) >= 399


def test_long_ways_from_file_to_file_end():
    stars = {f"s{number}.py": f"from s{number + 1} import *\n" for number in range(1500)}
    names = {f"n{number}.py": f"from n{number + 1} import run\n" for number in range(1500)}
    bases = "class C0:\n    def run(self):\n        return 1\n"
    bases += "".join(f"class C{number}(C{number - 1}):\n    pass\n" for number in range(1, 1500))
    hint = "list[" * 55 + "C0" + "]" * 55
    main = "from s0 import *\nfrom n0 import run\nfrom c import *\n"
    main += f"def f(x: {hint}):\n    run()\n    go()\n    C1499().run()\n    x.run()\n"
    ends = {
        "s1500.py": "def go():\n    return 1\n",
        "n1500.py": "def run():\n    return 1\n",
        "c.py": bases,
        "m.py": main,
    }
    graph = ebg.build({path: text.encode() for path, text in {**stars, **names, **ends}.items()})
    assert len(graph.files) == 3004


VOCABULARY = """
a b f self cls A B x . ( ) [ ] { } : , = == -> * ** @ | + += if else for in while with as try except return yield
def class lambda import from global nonlocal del await async not None 1 'a' super isinstance list dict
append update get property staticmethod match case raise
"""
WORDS = st.sampled_from(VOCABULARY.split())
LINES = st.lists(st.tuples(st.integers(0, 4), st.lists(WORDS, max_size=8)), max_size=14)


@given(st.lists(LINES, min_size=1, max_size=3))
@settings(max_examples=150, deadline=None)
def test_any_text_gives_relations_whose_supports_exist(files):
    source = {
        f"{'abf'[number]}.py": "\n".join("    " * depth + " ".join(words) for depth, words in lines).encode()
        for number, lines in enumerate(files)
    }
    for compat in (None, "reference"):
        graph = ebg.build(source, compat=compat)
        ids = [item.id for item in graph.evidence]
        for row in graph.relations:
            assert row.evidence
            assert list(row.evidence) == sorted(set(row.evidence))
            assert set(row.evidence) <= set(ids)
            assert row.source in graph.scopes
            assert row.target in graph.scopes
        assert [(row.source, row.type, row.target) for row in graph.relations] == sorted(
            {(row.source, row.type, row.target) for row in graph.relations}
        )


@given(LINES)
@settings(max_examples=60, deadline=None)
def test_facts_about_names_pickle_and_compare_by_value(lines):
    source = "\n".join("    " * depth + " ".join(words) for depth, words in lines).encode()
    facts = name_facts(read_python(source))
    assert pickle.loads(pickle.dumps(facts, 5)) == facts
    assert name_facts(read_python(source)) == facts
