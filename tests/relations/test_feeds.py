"""Data supply: results, templates and state (specification part 3.3, ebg-method)."""

from __future__ import annotations

from ebg.repository._link_state import MOST_PAIRS


def evidence_lines(graph, row):
    return [graph.evidence_by_id[item].line_start for item in row.evidence]


def test_a_result_that_is_used_feeds_the_caller_from_all_its_returns_and_yields(graph):
    text = """\
def pick(x):
    if x:
        return 1
    return 2

def walk():
    yield pick(0)

def use():
    pick(1)
    value = pick(2)
    return list(walk())
"""
    built = graph(text)
    rows = [row for row in built.relations if row.type == "feeds"]
    assert [(row.source.symbol, row.target.symbol, row.via, evidence_lines(built, row)) for row in rows] == [
        ("pick", "use", "result", [3, 4, 11]),  # the call in line 10 uses nothing
        ("pick", "walk", "result", [3, 4, 7]),
        ("walk", "use", "result", [7, 12]),
    ]


def test_an_awaited_call_in_an_expression_statement_is_not_a_use(feeds):
    text = """
        async def work():
            return 1

        async def main():
            await work()

        async def more():
            return await work()
    """
    assert feeds(text) == ["work -> more via result"]


def test_a_template_feeds_who_renders_it(graph):
    built = graph(
        {
            "app/views.py": "def show(env):\n    return env.get_template('mail/hello.jinja2').render()\n",
            "app/templates/mail/hello.jinja2": "{% macro greet(n) %}\nHi {{ n }}\n{% endmacro %}\nBye\n",
            "app/templates/other.jinja2": "Other\n",
        }
    )
    rows = [(row.source.symbol, row.target.symbol, row.via, row.resolution) for row in built.relations]
    assert rows == [("<module>", "show", "result", "template"), ("greet", "show", "result", "template")]


def test_class_attributes_and_inherited_fields_feed_readers_through_self(feeds):
    text = """
        class Base:
            limit = 3
            def __init__(self):
                self.count = 0

        class Child(Base):
            def step(self):
                if self.count < self.limit:
                    self.count += 1
            def reset(this):
                this.count = 0
    """
    # `count` is written by Base.__init__, Child.step (which also reads it) and Child.reset; `limit` by the class body.
    assert feeds(text) == [
        "Base -> Child.step via limit",
        "Base.__init__ -> Child.step via count",
        "Child.reset -> Child.step via count",
    ]


def test_module_state_is_followed_through_global_and_imports(feeds):
    files = {
        "conf.py": "DEBUG = False\nCACHE = {}\n\ndef set_debug(value):\n    global DEBUG\n    DEBUG = value\n",
        "kit.py": "from conf import CACHE as STORE\n",
        "m.py": """
            import conf
            from kit import STORE

            def show():
                return conf.DEBUG

            def keep(key, value):
                STORE[key] = value

            def drop():
                STORE.clear()

            def local(CACHE):
                CACHE["a"] = 1
        """,
    }
    assert feeds(files) == [
        "conf.py::<module> -> drop via CACHE",
        "conf.py::<module> -> keep via CACHE",
        "conf.py::<module> -> show via DEBUG",
        "conf.py::set_debug -> show via DEBUG",
        "drop -> keep via CACHE",
        "keep -> drop via CACHE",
    ]


def test_several_supplies_between_two_scopes_are_one_relation(graph):
    text = """
        class Box:
            def fill(self):
                self.b = 1
                self.a = 2
                return 3

            def use(self):
                return self.fill() + self.a + self.b
    """
    (row,) = [row for row in graph(text).relations if row.type == "feeds"]
    assert (row.source.symbol, row.target.symbol, row.via) == ("Box.fill", "Box.use", "a | b | result")


def test_state_relations_are_bounded_and_leave_nobody_out(graph):
    # 40 methods that all write and read one field would give 40 * 40 - 40 = 1560 relations.
    methods = 40
    body = "".join(f"    def m{number:02}(self):\n        self.total += {number}\n" for number in range(methods))
    built = graph(f"class Big:\n    def __init__(self):\n        self.total = 0\n{body}")
    pairs = [(row.source.symbol, row.target.symbol) for row in built.relations]
    assert methods * (methods + 1) > MOST_PAIRS
    # The first writer, __init__, feeds all 40 readers; the 39 other writers feed the first reader, m00.
    assert sorted(pairs) == sorted(
        [("Big.__init__", f"Big.m{number:02}") for number in range(methods)]
        + [(f"Big.m{number:02}", "Big.m00") for number in range(1, methods)]
    )


def test_the_reference_knows_neither_bases_nor_class_bodies(feeds):
    text = """
        class Base:
            limit = 3
            def __init__(self):
                self.count = 0

        class Child(Base):
            def step(self):
                return self.count < self.limit
    """
    assert feeds(text, "reference") == []
