"""What calls reach by the default rules (specification parts 3 and 10.4, ebg-method)."""

from __future__ import annotations

import pytest

# -- modules ----------------------------------------------------------------------------------------------------------


def test_names_and_imports_are_exact(calls):
    files = {
        "pkg/__init__.py": "",
        "pkg/calc.py": "def total(items):\n    return sum(items)\n",
        "pkg/app.py": """
            from pkg.calc import total
            import pkg.calc as c

            class Cart:
                def price(self):
                    return total(self.lines())

                def lines(self):
                    return c.total([])
        """,
    }
    assert calls(files) == [
        "pkg/app.py::Cart.lines -> pkg/calc.py::total (exact)",
        "pkg/app.py::Cart.price -> pkg/app.py::Cart.lines (exact)",
        "pkg/app.py::Cart.price -> pkg/calc.py::total (exact)",
    ]


def test_a_function_of_a_plainly_imported_submodule_is_reached(calls):
    files = {
        "a/__init__.py": "",
        "a/b.py": "def f():\n    return 1\n",
        "m.py": "import a.b\n\ndef g():\n    return a.b.f()\n",
    }
    assert calls(files) == ["g -> a/b.py::f (reexport)"]


def test_reexports_are_followed_through_chains_stars_and_aliases(calls):
    files = {
        "lib/top/__init__.py": "from .mid import *\nfrom .mid import hidden as shown\n",
        "lib/top/mid/__init__.py": 'from ._impl import run, _walk, hidden\n__all__ = ["run", "_walk"]\n',
        "lib/top/mid/_impl.py": "def run(): return 1\ndef _walk(): return 2\ndef hidden(): return 3\n",
        "m.py": """
            import top

            def go():
                top.run()
                top._walk()
                top.shown()
                top.hidden()
        """,
    }
    assert calls(files) == [
        "go -> lib/top/mid/_impl.py::_walk (reexport)",
        "go -> lib/top/mid/_impl.py::hidden (reexport)",
        "go -> lib/top/mid/_impl.py::run (reexport)",
    ]
    # `top.hidden` is not in `__all__` of the star import; the support of the one to `hidden` is `top.shown()` alone.


def test_star_imports_that_go_in_circles_end(calls):
    files = {
        "a.py": "from b import *\n\ndef f():\n    return g()\n",
        "b.py": "from a import *\n\ndef g():\n    return f() + nothing()\n",
    }
    assert calls(files) == ["a.py::f -> b.py::g (reexport)", "b.py::g -> a.py::f (reexport)"]


def test_imports_that_go_in_circles_end(calls):
    files = {"a.py": "from b import x\n", "b.py": "from a import x\n", "m.py": "from a import x\n\ndef f():\n    x()\n"}
    assert calls(files) == []


def test_relative_imports_go_by_path(calls):
    files = {
        "src/app/__init__.py": "",
        "src/app/util.py": "def helper():\n    return 1\n",
        "src/app/sub/__init__.py": "from ..util import helper\n\ndef f():\n    return helper()\n",
        "src/app/sub/deep.py": "from . import f\nfrom .. import util\n\ndef g():\n    return f() + util.helper()\n",
        "src/util.py": "def helper():\n    return 2\n",
    }
    assert calls(files) == [
        "src/app/sub/__init__.py::f -> src/app/util.py::helper (exact)",
        "src/app/sub/deep.py::g -> src/app/sub/__init__.py::f (exact)",
        "src/app/sub/deep.py::g -> src/app/util.py::helper (exact)",
    ]


def test_a_module_inside_a_package_does_not_hide_the_standard_library(calls):
    files = {
        "app/__init__.py": "",
        "app/json.py": "def loads(text):\n    return text\n",
        "app/main.py": "import json\n\ndef read(text):\n    return json.loads(text)\n",
    }
    assert calls(files) == []


def test_a_package_tree_learns_its_own_name_from_its_imports(calls):
    files = {
        "__init__.py": "",
        "core.py": "from shop.util import a\nfrom shop.more import b\n\ndef f():\n    return a() + b()\n",
        "util.py": "def a():\n    return 1\n",
        "more.py": "def b():\n    return 2\n",
    }
    assert calls(files) == ["core.py::f -> more.py::b (reexport)", "core.py::f -> util.py::a (reexport)"]


def test_a_function_imported_where_it_is_used_and_only_for_types_is_found(calls):
    files = {
        "db.py": "class Pool:\n    def get(self):\n        return 1\n",
        "m.py": """
            from __future__ import annotations
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                from db import Pool

            def use(pool: Pool | None):
                return pool.get()

            def make():
                from db import Pool
                return Pool().get()
        """,
    }
    assert calls(files) == [
        "make -> db.py::Pool (exact)",
        "make -> db.py::Pool.get (typed)",
        "use -> db.py::Pool.get (typed)",
    ]


# -- scopes -----------------------------------------------------------------------------------------------------------


def test_a_bare_name_in_a_method_never_means_a_member_of_the_class(calls):
    text = """
        class Box:
            def size(self):
                return 1

            def twice(self):
                return size() * 2
    """
    assert calls(text) == []


def test_nested_functions_see_the_functions_around_them(calls):
    text = """
        def outer():
            def first():
                return 1

            def second():
                return first()
            return second()
    """
    assert calls(text) == ["outer -> outer.second (nested)", "outer.second -> outer.first (exact)"]


def test_a_local_name_hides_the_global_one(calls):
    text = """
        def f():
            return 1

        def g(f):
            return f()

        def h():
            f = unknown()
            return f()
    """
    assert calls(text) == []


def test_the_last_assignment_before_the_call_counts(calls):
    text = """
        def a():
            return 1

        def b():
            return 2

        def f(flag):
            run = a
            run()
            if flag:
                run = b
            else:
                run()
            return run()
    """
    # The first call and the one in `else` mean `a`; after the `if` both are possible.
    assert calls(text) == ["f -> a (typed)"]


def test_an_ambiguous_call_makes_no_relation_and_is_listed(graph):
    text = """
        def a():
            return 1

        def b():
            return 2

        def f(flag):
            run = a if flag else b
            return run()
    """
    built = graph(text)
    assert [row for row in built.relations if row.source.symbol == "f"] == []
    (row,) = built.unresolved
    assert (str(row.scope), row.line, row.label) == ("m.py::f", 10, "run")
    assert [str(candidate) for candidate in row.candidates] == ["m.py::a", "m.py::b"]


def test_decorators_and_defaults_are_called_by_the_scope_around_the_definition(calls):
    text = """
        def mark(function):
            return function

        def default():
            return 1

        def outer():
            @mark
            def inner(value=default()):
                return value
            return inner
    """
    assert calls(text) == ["outer -> default (exact)", "outer -> mark (exact)"]


# -- classes ----------------------------------------------------------------------------------------------------------


def test_constructors_go_to_init_own_or_inherited_or_to_the_class(calls):
    text = """
        from dataclasses import dataclass

        class Base:
            def __init__(self, name):
                self.name = name

        class Child(Base):
            kind = "child"

        @dataclass
        class Point:
            x: int = 0

        @dataclass
        class Checked:
            x: int = 0
            def __post_init__(self):
                self.x += 1

        def make():
            return Child("a"), Point(), Checked()
    """
    assert calls(text) == [
        "make -> Base.__init__ (constructor)",
        "make -> Checked.__post_init__ (constructor)",
        "make -> Point (exact)",
    ]


def test_methods_are_found_in_c3_order_and_through_super(calls):
    text = """
        class A:
            def run(self):
                return "a"
            def stop(self):
                return 1

        class B(A):
            pass

        class C(A):
            def run(self):
                return super().run()

        class D(B, C):
            def go(self):
                return self.run() + self.stop()
            @classmethod
            def new(cls):
                return cls.make()
            @classmethod
            def make(cls):
                return 1
    """
    # The order of D is D, B, C, A.
    assert calls(text) == [
        "C.run -> A.run (inherited)",
        "D.go -> A.stop (inherited)",
        "D.go -> C.run (inherited)",
        "D.new -> D.make (exact)",
    ]


def test_bases_are_found_through_imports_and_subscripts(calls):
    files = {
        "base.py": "class Model:\n    def save(self):\n        return 1\n",
        "kit/__init__.py": "from base import Model as Base\n",
        "m.py": """
            import kit

            class Box(kit.Base[int]):
                def store(self):
                    return self.save()
        """,
    }
    assert calls(files) == ["Box.store -> base.py::Model.save (inherited)"]


@pytest.mark.parametrize(
    "bases",
    [
        "class A(B):\n    pass\nclass B(A):\n    pass",
        "class X:\n    pass\nclass A(X, B):\n    pass\nclass B(X):\n    pass",
    ],
)
def test_bases_that_python_refuses_do_no_harm(calls, bases):
    text = f"{bases}\n\ndef f():\n    A().missing()\n"
    assert [line for line in calls(text) if "missing" in line] == []


def test_an_abstract_method_leads_to_its_only_implementation(calls):
    text = """
        class Store:
            def save(self):
                raise NotImplementedError

        class Disk(Store):
            def save(self):
                return 1

        def keep(store: Store):
            store.save()
    """
    assert calls(text) == ["keep -> Disk.save (typed)", "keep -> Store.save (typed)"]


def test_reading_or_setting_a_property_calls_it_and_a_cached_one_only_feeds(calls, feeds):
    text = """
        from functools import cached_property

        class Box:
            @property
            def size(self):
                return 1
            @size.setter
            def size(self, value):
                self._size = value
            @cached_property
            def table(self):
                return {}
            def use(self):
                self.size = 2
                return self.table

        def look(box: Box):
            return box.size + len(box.table)
    """
    assert calls(text) == ["Box.use -> Box.size (typed)", "look -> Box.size (typed)"]
    assert feeds(text) == [
        "Box.size -> look via result",
        "Box.table -> Box.use via result",
        "Box.table -> look via result",
    ]


# -- types ------------------------------------------------------------------------------------------------------------

ENGINE = """
class Engine:
    def __init__(self):
        self.on = False
    def start(self):
        self.on = True
    def part(self) -> "Part":
        return Part()

class Part:
    def check(self):
        return 1
"""


@pytest.mark.parametrize(
    "body",
    [
        "def f():\n    e = Engine()\n    e.start()",
        "def f(e: Engine):\n    e.start()",
        'def f(e: "Engine | None" = None):\n    e.start()',
        "from typing import Optional\ndef f(e: Optional[Engine]):\n    e.start()",
        "def make() -> Engine: ...\ndef f():\n    make().start()",
        "def make():\n    return Engine()\ndef f():\n    e = make()\n    e.start()",
        "def f(es: list[Engine]):\n    for e in es:\n        e.start()",
        "def f(es: dict[str, Engine]):\n    for _, e in es.items():\n        e.start()",
        "def f(es: dict[str, Engine]):\n    es['a'].start()",
        "def f(es: list[Engine]):\n    return [e.start() for e in es]",
        "def f(e):\n    if isinstance(e, Engine):\n        e.start()",
        "def f(e):\n    assert isinstance(e, Engine)\n    e.start()",
        "def f(x):\n    if (e := Engine()):\n        e.start()",
        "def f(e=None):\n    if e is None:\n        e = Engine()\n    e.start()",
        "from contextlib import contextmanager\n@contextmanager\ndef on():\n    yield Engine()\n"
        "def f():\n    with on() as e:\n        e.start()",
        "import typing as t\ndef f(x):\n    t.cast(Engine, x).start()",
        "def f():\n    start = Engine().start\n    start()",
        "def f():\n    a, b = 1, Engine()\n    b.start()",
        'from typing import Union\nAnyEngine = Union[int, "Engine"]\ndef f(e: AnyEngine):\n    e.start()',
    ],
)
def test_unique_types_of_locals_are_followed(calls, body):
    assert [line for line in calls(f"{ENGINE}\n{body}\n") if "Engine.start" in line] == ["f -> Engine.start (typed)"]


def test_attributes_have_the_types_that_any_method_gives_them(calls):
    text = (
        ENGINE
        + """
class Car:
    spare: Engine
    def __init__(self, radio: Part):
        self.radio = radio
    def build(self):
        self.engine = Engine()
    def go(self):
        self.engine.start()
        self.spare.part().check()
        self.radio.check()
"""
    )
    assert [line for line in calls(text) if line.startswith("Car.go")] == [
        "Car.go -> Engine.part (typed)",
        "Car.go -> Engine.start (typed)",
        "Car.go -> Part.check (typed)",
    ]


def test_a_property_with_a_setter_has_the_type_of_its_getter(calls):
    text = (
        ENGINE
        + """
class Car:
    @property
    def engine(self) -> Engine:
        return self._engine
    @engine.setter
    def engine(self, value):
        self._engine = value
    def go(self):
        self.engine.start()
"""
    )
    assert "Car.go -> Engine.start (typed)" in calls(text)


def test_calling_what_is_an_object_or_any_function_makes_nothing(calls):
    text = """
        from collections.abc import Callable

        class Job:
            def __call__(self):
                return 1

        def sure(job: Job):
            job()

        def unsure(job: Job | Callable):
            job()
    """
    assert calls(text) == ["sure -> Job.__call__ (typed)"]


@pytest.mark.parametrize("annotation", ["", ": Path"])
def test_the_class_of_a_parameter_is_taken_from_calls_only_if_they_agree_and_nothing_else_is_declared(
    calls, annotation
):
    text = (
        "from pathlib import Path\n"
        + ENGINE
        + f"""
def start(it{annotation}):
    it.start()

def one():
    start(Engine())
"""
    )
    expected = [] if annotation else ["start -> Engine.start (typed)"]
    assert [line for line in calls(text) if "Engine.start" in line] == expected
    assert [line for line in calls(text + "\ndef two(x):\n    start(x)\n") if "Engine.start" in line] == []


def test_a_method_that_raises_not_implemented_in_a_branch_is_not_abstract(calls):
    text = """
        class Base:
            def run(self, kind):
                if kind:
                    raise NotImplementedError(kind)

        class Child(Base):
            def run(self, kind):
                return kind

        def f(base: Base):
            base.run(1)
    """
    assert calls(text) == ["f -> Base.run (typed)"]


def test_an_unknown_receiver_makes_nothing(graph):
    text = ENGINE + "\ndef f(e, g=helper()):\n    e.start()\n    g.start()\n    h.start()\n"
    built = graph(text)
    assert [row for row in built.relations if row.source.symbol == "f"] == []
    assert built.unresolved == ()


def test_two_types_of_a_receiver_are_ambiguous(graph):
    text = ENGINE + "\nclass Lamp:\n    def start(self):\n        return 1\n\ndef f(e: Engine | Lamp):\n    e.start()\n"
    built = graph(text)
    assert [row for row in built.relations if row.source.symbol == "f"] == []
    assert [(row.label, len(row.candidates)) for row in built.unresolved] == [("e.start", 2)]


# -- functions as values ----------------------------------------------------------------------------------------------


def test_functions_are_followed_through_arguments_containers_and_partial(calls):
    text = """
        from functools import partial

        def job():
            return 1

        def other():
            return 2

        def run(task, *, again=None):
            task()
            again()

        TABLE = {"a": job}
        TABLE["b"] = other
        HOOKS = []
        HOOKS.append(job)

        def main():
            run(job, again=other)
            TABLE["b"]()
            for hook in HOOKS:
                hook()
            later = partial(other, 1)
            later()
            sorted([1], key=job)
    """
    assert calls(text) == [
        "main -> job (typed)",
        "main -> other (typed)",
        "main -> run (exact)",
        "run -> job (typed)",
        "run -> other (typed)",
    ]


def test_a_call_of_a_decorated_function_reaches_it_and_its_wrapper(calls):
    text = """
        import functools

        def checked(function):
            @functools.wraps(function)
            def wrapper(*args):
                return function(*args)
            return wrapper

        def plain(function):
            return function

        @checked
        def save():
            return 1

        @checked
        @plain
        def load():
            return 2

        def main():
            save()
            load()
    """
    assert [line for line in calls(text) if not line.startswith("<module>")] == [
        "checked.wrapper -> load (typed)",
        "checked.wrapper -> save (typed)",
        "main -> checked.wrapper (typed)",
        "main -> load (exact)",
        "main -> save (exact)",
    ]


def test_with_for_and_raise_call_by_protocol(calls):
    text = """
        class Lock:
            def __enter__(self):
                return self
            def __exit__(self, *error):
                return None

        class Walk:
            def __iter__(self):
                return self
            def __next__(self):
                return 1

        class Stop(Exception):
            def __init__(self):
                self.code = 1

        def f(walk: Walk):
            with Lock():
                for step in walk:
                    raise Stop
    """
    assert calls(text) == [
        "f -> Lock (exact)",
        "f -> Lock.__enter__ (typed)",
        "f -> Lock.__exit__ (typed)",
        "f -> Stop.__init__ (constructor)",
        "f -> Walk.__iter__ (typed)",
        "f -> Walk.__next__ (typed)",
    ]


# -- supports ---------------------------------------------------------------------------------------------------------


def test_each_place_of_a_call_supports_the_relation(graph):
    text = """\
def f():
    return 1

def g():
    f()
    if f():
        return [
            f(),
        ]
"""
    built = graph(text)
    (row,) = [row for row in built.relations if row.type == "calls"]
    lines = [(built.evidence_by_id[item].line_start, built.evidence_by_id[item].line_end) for item in row.evidence]
    assert lines == [(5, 5), (6, 6), (7, 9)]
