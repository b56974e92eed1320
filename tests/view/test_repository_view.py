"""The directory, reads and ablations of a repository view."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebg.errors import UsageError
from ebg.tokens import estimate
from ebg.view import Budgets, RepositoryView
from tests.view.graphs import EX11_Q, assert_faithful, build, ex11, joined, printed

SHOP = {
    "shop/cart.py": '''"""Carts."""
from shop.prices import total

LIMIT = 10


class Cart:
    """A cart of items.

    It holds items
    until they are paid,
    and then
    forgets them.
    """

    currency = "EUR"

    def __init__(self):
        self.items = []

    def add(self, item):
        # More would not fit.
        if len(self.items) >= LIMIT:
            raise ValueError("full")
        self.items.append(item)

    def price(self):
        return total(self.items)
''',
    "shop/prices.py": "def total(items):\n    if not items:\n        return 0\n\n    return sum(items)\n",
    "shop/report.py": "from shop.prices import total\n\n\ndef report(carts):\n    lines = []\n    for cart in carts:\n"
    "        lines.append(total(cart.items))\n    header = 'Report'\n    return [header, *lines]\n",
    "web/page.lua": "function show(cart)\n  return cart.items\nend\n",
}
SHOP_Q = "# Carts\n`Cart.add` refuses more than `LIMIT` items.\n\n# Prices\nThe `total()` of nothing is 0.\n"


def shop(**options: object) -> RepositoryView:
    return RepositoryView(build(SHOP), SHOP_Q, **options)  # type: ignore[arg-type]


# --- Ex11 ----------------------------------------------------------------------------------------------------------


def test_ex11_directory() -> None:
    directory = RepositoryView(ex11(), EX11_Q).directory
    assert directory.text == (
        "Read ID | File | Related document sections | Code hints\n"
        "F0001 | api.py | Usage | 1 linked symbol: run\n"
        "F0004 | util.py | - | 1 linked symbol: helper\n"
        "F0003 | other.py | - | 1 linked symbol: misc\n"
        "F0002 | cfg.toml | - | 1 linked symbol: app.mode\n"
    )
    assert directory.order == ("F0001", "F0004", "F0003", "F0002")
    assert directory.token_count == estimate(directory.text)


def test_ex11_directory_json_has_exactly_the_published_keys() -> None:
    form = RepositoryView(ex11(), EX11_Q).directory.to_json(input_id="x", benchmark="specgap")
    assert list(form) == [
        "input_id",
        "benchmark",
        "directory_type",
        "token_budget",
        "token_count",
        "entries",
        "query_index",
    ]
    assert (form["directory_type"], form["token_budget"]) == ("repo", 3072)
    assert form["entries"][0] == {  # type: ignore[index]
        "read_id": "F0001",
        "path": "api.py",
        "related_document_sections": ["Usage"],
        "code_hints": "1 linked symbol: run",
    }
    assert form["query_index"][3] == {  # type: ignore[index]
        "read_id": "F0004",
        "path": "util.py",
        "root_symbols": ["helper"],
    }


def test_ex11_read_shows_root_and_neighbour_once() -> None:
    unit = RepositoryView(ex11(), EX11_Q).read(["F0001"])
    assert unit.text == (
        "# F0001 api.py (4 lines)\n"
        '## api.py::run@3-4 Doc "Usage"\n'
        "3 | def run():\n"
        "4 |     return helper()\n"
        "> run@4 calls util.py::helper@1-2\n"
        "1 | def helper():\n"
        "2 |     return 1\n"
    )
    assert unit.lines == {"api.py": {3, 4}, "util.py": {1, 2}}
    assert (unit.deferred, unit.tokens) == ((), estimate(unit.text))


def test_a_heading_inside_a_fence_makes_no_section() -> None:
    fenced = EX11_Q + "\n```sh\n# run\nrun\n```\n"
    view = RepositoryView(ex11(), fenced)
    assert view.directory.entries[0].related_document_sections == ("Usage",)


# --- Reads ---------------------------------------------------------------------------------------------------------


def test_a_unit_shows_seeds_their_behaviors_and_where_neighbours_use_them() -> None:
    unit = shop().read(["F0002"])
    assert unit.text == (
        "# F0002 shop/prices.py (5 lines)\n"
        '## shop/prices.py::total@1-5 Doc "Prices"\n'
        "1 | def total(items):\n"
        "2 |     if not items:\n"
        "3 |         return 0\n"
        "5 |     return sum(items)\n"
        "= return@3 if 2 | return@5 unless 2\n"
        "< shop/cart.py::Cart.price@28 calls total@1-5\n"
        "28 |         return total(self.items)\n"
        # Only the call and the test that leads to it: the rest of `report` has no part in it.
        "< shop/report.py::report@7 calls total@1-5\n"
        "6 |     for cart in carts:\n"
        "7 |         lines.append(total(cart.items))\n"
    )


def test_nothing_is_printed_twice_over_units_and_rounds() -> None:
    view = shop()
    shown: dict[str, set[int]] = {}
    for ids in (["F0001", "F0002"], ["F0002"], ["F0001.S0004"], ["F0003", "F0004", "F0001"], ["F0003", "F0001"]):
        unit = view.read(ids, shown)
        assert_faithful(view.graph, unit)
        for path, numbers in unit.lines.items():
            assert not numbers & shown.get(path, set())
            shown.setdefault(path, set()).update(numbers)
    # Everything but blank lines was shown in the end.
    assert shown == {
        path: {number for number, line in enumerate(text.split("\n"), start=1) if line.strip()}
        for path, text in SHOP.items()
    }


def test_reading_again_goes_on_with_the_rest_and_refers_back() -> None:
    view = shop()
    first = view.read(["F0002"])
    again = view.read(["F0002"], first.lines)
    assert again.text == "# F0002 shop/prices.py (5 lines)\nAll of it was shown above.\n"
    report = view.read(["F0003"], first.lines)
    assert [number for number, _ in printed(report.text)] == [4, 5, 8, 9]
    assert "... 6-7 shown above\n" in report.text


def test_a_scope_is_read_whole_by_its_own_id() -> None:
    unit = shop().read(["F0001.S0002"])
    # The class runs from 7 to 28; 9, 15, 17, 20 and 26 are blank.
    assert [number for number, _ in printed(unit.text)] == [n for n in range(7, 29) if n not in (9, 15, 17, 20, 26)]


def test_a_seed_of_which_more_can_be_read_has_its_id() -> None:
    graph = build({"a.py": 'def f():\n    """One.\n\n    Two.\n    Three.\n    """\n    return 1\n'})
    unit = RepositoryView(graph, "Call `f()`.").read(["F0001"])
    # A docstring of five lines is cut after four, of which one is blank.
    assert "## a.py::f@1-5,7 [F0001.S0002]\n1 | def f():\n" in unit.text
    assert unit.ids == ("F0001.S0002",)
    assert RepositoryView(graph, "").read(["F0001.S0002"], unit.lines).lines == {"a.py": {6}}


def test_what_is_left_of_a_small_file_is_shown_at_once_without_its_imports() -> None:
    unit = shop().read(["F0001"])
    assert unit.text.endswith(
        "## shop/cart.py::<module>@4\n"
        "< <module>@4 feeds(LIMIT) Cart.add@23\n"
        "4 | LIMIT = 10\n"
        "< Cart.__init__@19 feeds(items) Cart.add@23,25\n"
        "19 |         self.items = []\n"
        "> Cart.add@25 feeds(items) Cart.price@28\n"
        "28 |         return total(self.items)\n"
        # The rest: line 2 is an import, 12 to 14 are the end of a long docstring.
        "## shop/cart.py@1,7-11,15-18,20,26-27\n"
        '1 | """Carts."""\n'
        "... 4 shown above\n"
        "7 | class Cart:\n"
        '8 |     """A cart of items.\n'
        "10 |     It holds items\n"
        "11 |     until they are paid,\n"
        "...\n"
        '16 |     currency = "EUR"\n'
        "18 |     def __init__(self):\n"
        "... 19,21-25 shown above\n"
        "27 |     def price(self):\n"
    )


def test_the_outline_names_what_was_not_shown_of_a_larger_file() -> None:
    source = (
        big_file(3, 40)["big.py"]
        + "class Tool:\n"
        + "".join(f"    def use_{n}(self):\n        return {n}\n\n" for n in range(3))
    )
    unit = RepositoryView(build({"big.py": source}), "Call `work_001()`.").read(["F0001"])
    # 43 lines a function; the members of the hidden class come with it.
    assert unit.text.endswith(
        "More of big.py: F0001.S0002 work_000@1-42, F0001.S0004 work_002@87-128, F0001.S0005 Tool@130-138\n"
    )
    assert unit.ids == ("F0001.S0002", "F0001.S0004", "F0001.S0005")


def test_other_languages_are_numbered_source() -> None:
    unit = shop().read(["F0004"])
    assert printed(unit.text) == [
        (1, "function show(cart)"),
        (2, "  return cart.items"),
        (3, "end"),
    ]


def test_a_broken_file_is_readable_to_its_end() -> None:
    graph = build({"a.py": "def ok():\n    return 1\n\ndef broken(:\n    ???\n"})
    view = RepositoryView(graph, "Call `ok()`.")
    first = view.read(["F0001"])
    rest = view.read(["F0001"], first.lines)
    assert {n for unit in (first, rest) for n in unit.lines.get("a.py", ())} == {1, 2, 4, 5}


def test_unknown_ids_are_refused_with_what_exists() -> None:
    view = shop()
    for wrong in ("F0009", "F0001.S0099", "shop/cart.py", "F1", ""):
        with pytest.raises(UsageError, match=r"unknown id .*F0001 to F0004"):
            view.read([wrong])
    with pytest.raises(UsageError, match="at least one id"):
        view.read([])


# --- Budgets -------------------------------------------------------------------------------------------------------


def big_file(functions: int, statements: int) -> Mapping[str, str]:
    body = "".join(f"    value = step({number}) + 1000000\n" for number in range(statements))
    return {"big.py": "".join(f"def work_{n:03d}(x):\n{body}    return value\n\n" for n in range(functions))}


def read_to_the_end(view: RepositoryView, ids: list[str], limit: int = 60) -> list[set[int]]:
    shown: dict[str, set[int]] = {}
    rounds = []
    while ids and len(rounds) < limit:
        unit = view.read(ids, shown)
        assert unit.tokens <= view.budgets.read
        assert_faithful(view.graph, unit)
        assert unit.lines
        for path, numbers in unit.lines.items():
            assert not numbers & shown.get(path, set())
            shown.setdefault(path, set()).update(numbers)
        rounds.append(set(unit.lines.get("big.py", ())))
        ids = list(unit.deferred)
    assert not ids
    return rounds


def test_an_oversized_root_is_cut_and_goes_on() -> None:
    graph = build(big_file(1, 400))
    view = RepositoryView(graph, "Call `work_000()`.", budgets=Budgets(read=2000, unit=2000))
    rounds = read_to_the_end(view, ["F0001"])
    assert len(rounds) > 2
    assert set().union(*rounds) == set(range(1, 403))


def test_an_oversized_root_is_sliced_by_its_behaviors_first() -> None:
    graph = joined(build(big_file(1, 400)), [("big.py::work_000", "return", [], [401], [402])])
    view = RepositoryView(graph, "Call `work_000()`.", budgets=Budgets(read=2000, unit=2000))
    unit = view.read(["F0001"])
    assert unit.lines == {"big.py": {1, 401, 402}}
    assert unit.deferred == ("F0001",)


def test_a_read_is_never_empty_whatever_the_budget() -> None:
    view = RepositoryView(build(big_file(2, 3)), "Call `work_000()`.", budgets=Budgets(read=1, unit=1))
    shown: dict[str, set[int]] = {}
    rounds = 0
    while len(shown.get("big.py", ())) < 10:  # two functions of five lines
        unit = view.read(["F0001"], shown)
        assert unit.lines
        shown.setdefault("big.py", set()).update(unit.lines["big.py"])
        rounds += 1
    assert rounds == 10


def test_a_very_long_line_is_cut_and_says_so() -> None:
    view = RepositoryView(build({"a.py": f"X = '{'y' * 5000}'\n"}), "")
    text = view.read(["F0001"]).text
    assert f"1 | X = '{'y' * 1995} [3006 more characters]\n" in text


def test_seeds_without_room_show_their_signature() -> None:
    graph = build(big_file(4, 40))
    names = ", ".join(f"`work_{n:03d}()`" for n in range(4))
    view = RepositoryView(graph, f"Call {names}.", budgets=Budgets(read=1500, unit=1500))
    unit = view.read(["F0001"])
    # 43 lines a function and a blank one: the signatures stand at 1, 44, 87 and 130.
    assert unit.lines["big.py"] >= {1, 44, 87, 130}
    assert not unit.lines["big.py"] >= set(range(130, 172))
    assert unit.deferred == ("F0001",)


def test_ids_that_do_not_fit_are_deferred_whole() -> None:
    graph = build({**big_file(1, 60), "small.py": "def small():\n    return 1\n"})
    view = RepositoryView(graph, "", budgets=Budgets(read=700, unit=700))
    unit = view.read(["F0002", "F0001"])
    assert unit.deferred == ("F0001",)
    assert unit.lines == {"small.py": {1, 2}}
    assert unit.text.endswith("Read again to go on: F0001\n")


def test_all_neighbours_are_kept_unless_asked() -> None:
    callers = "".join(f"def use_{n:02d}():\n    return helper({n})\n\n" for n in range(30))
    graph = build({"lib.py": "def helper(x):\n    return x\n", "use.py": f"from lib import helper\n\n{callers}"})
    relations = [
        (f"use.py::use_{n:02d}", "calls", "lib.py::helper", None, [(f"use.py::use_{n:02d}", 4 + 3 * n)])
        for n in range(30)
    ]
    graph = joined(graph, relations=relations)
    unit = RepositoryView(graph, "Call `helper()`.").read(["F0001"])
    assert unit.text.count(" calls helper@1-2") == 30
    assert len(unit.lines["use.py"]) == 30
    unit = RepositoryView(graph, "Call `helper()`.", max_neighbors=4).read(["F0001"])
    assert unit.text.count(" calls helper@1-2") == 4


def test_hops_reach_further() -> None:
    graph = build({"a.py": "def a():\n    b()\n", "b.py": "def b():\n    c()\n", "c.py": "def c():\n    return d()\n",
                   "d.py": "def d():\n    return 1\n"})  # fmt: skip
    relations = [
        (f"{one}.py::{one}", "calls", f"{two}.py::{two}", None, [(f"{one}.py::{one}", 2)])
        for one, two in ("ab", "bc", "cd")
    ]
    graph = joined(graph, relations=relations)
    for hops, files in ((1, {"a.py", "b.py"}), (2, {"a.py", "b.py", "c.py"}), (3, {"a.py", "b.py", "c.py", "d.py"})):
        view = RepositoryView(graph, "Call `a()`.", hops=hops)  # type: ignore[arg-type]
        assert set(view.read(["F0001"]).lines) == files


def test_the_directory_ends_before_the_first_row_that_does_not_fit() -> None:
    view = shop(budgets=Budgets(index=60))
    assert view.directory.token_count <= 60
    assert 0 < len(view.directory.entries) < 4
    assert len(view.directory.query_index) == len(view.directory.order) == 4


@pytest.mark.parametrize(
    "options", [{"order": "best"}, {"hops": 0}, {"hops": 4}, {"max_neighbors": -1}], ids=lambda o: next(iter(o))
)
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        shop(**options)


# --- Ablations -----------------------------------------------------------------------------------------------------


def test_without_behaviors_the_same_lines_are_listed_by_evidence() -> None:
    full, without = shop().read(["F0002", "F0001"]), shop(behaviors=False).read(["F0002", "F0001"])
    assert without.lines == full.lines
    assert without.text != full.text
    assert "\n= return@3 if 2 | return@5 unless 2\n" in full.text
    assert "\n= " not in without.text
    assert without.text.count("[E0000") > 5


def test_without_relations_behaviors_are_a_flat_list_without_neighbours() -> None:
    unit = shop(relations=False).read(["F0002"])
    assert unit.text == (
        "# F0002 shop/prices.py (5 lines)\n"
        '## shop/prices.py::total@1-5 Doc "Prices"\n'
        # B0001 to B0006 are those of cart.py: LIMIT, currency, __init__, two of add, price.
        "B0007 return\n"
        "condition:\n"
        "2 |     if not items:\n"
        "result:\n"
        "3 |         return 0\n"
        "B0008 return\n"
        "result:\n"
        "5 |     return sum(items)\n"
        "other lines:\n"
        "1 | def total(items):\n"
    )
    # Without relations nothing is near the files that Q names.
    assert shop(relations=False).directory.order == ("F0001", "F0002", "F0003", "F0004")


def test_evidence_that_shares_a_line_prints_it_once() -> None:
    graph = build({"a.py": "def f(x):\n    match x:\n        case 1:\n            return 1\n"})
    unit = RepositoryView(graph, "Call `f()`.", relations=False).read(["F0001"])
    assert_faithful(graph, unit)
    assert unit.lines == {"a.py": {1, 2, 3, 4}}


def test_without_guidance_files_are_in_path_order_and_read_from_their_first_scope() -> None:
    view = shop(guidance=False)
    assert view.directory.text == (
        "Read ID | File\nF0001 | shop/cart.py\nF0002 | shop/prices.py\nF0003 | shop/report.py\nF0004 | web/page.lua\n"
    )
    unit = view.read(["F0001"])
    assert unit.text.startswith("# F0001 shop/cart.py (28 lines)\n## shop/cart.py::Cart@7-")
    assert "Doc " not in unit.text


@pytest.mark.parametrize("options", [{}, {"behaviors": False}, {"relations": False}, {"guidance": False}, {"hops": 3}])
def test_every_variant_prints_faithful_lines_once(options: dict[str, object]) -> None:
    view = shop(**options)
    shown: dict[str, set[int]] = {}
    for ids in (["F0003"], ["F0001", "F0002"], ["F0004"]):
        unit = view.read(ids, shown)
        assert_faithful(view.graph, unit)
        for path, numbers in unit.lines.items():
            assert not numbers & shown.get(path, set())
            shown.setdefault(path, set()).update(numbers)


# --- Properties ----------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["alpha", "beta", "gamma", "Delta", "run"])
STATEMENTS = st.sampled_from(
    [
        "pass",
        "return alpha(x)",
        "if x:\n        raise ValueError(x)",
        "self.y = beta()",
        "# note",
        "",
        '"""Doc.\n\n    x\n    """',
        "match x:\n        case 1: return 1\n        case _: return 2",
    ]
)


@st.composite
def modules(draw: st.DrawFn) -> str:
    parts = []
    for name in draw(st.lists(NAMES, max_size=3)):
        body = "".join(f"    {line}\n" for line in draw(st.lists(STATEMENTS, min_size=1, max_size=5)))
        kind = "class" if name[0].isupper() else "def"
        head = f"class {name}:" if kind == "class" else f"def {name}(x):"
        parts.append(f"{head}\n{body}    z = 1\n\n")
    return draw(st.sampled_from(["", "X = 1\n", "import os\n"])) + "\n".join(parts)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(modules(), min_size=1, max_size=4),
    requirements=st.lists(NAMES.map(lambda n: f"# {n}\n`{n}()`\n"), max_size=3).map("".join),
    tokens=st.integers(40, 400),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    data=st.data(),
)
def test_any_sequence_of_reads_prints_no_line_twice_and_every_line_as_it_is(
    texts: list[str], requirements: str, tokens: int, flags: tuple[bool, bool, bool], data: st.DataObject
) -> None:
    graph = build({f"m{number}.py": text for number, text in enumerate(texts)} | {"x.py": "X = 1\n"})
    view = RepositoryView(
        graph,
        requirements,
        behaviors=flags[0],
        relations=flags[1],
        guidance=flags[2],
        budgets=Budgets(read=tokens, unit=tokens // 2 + 1),
    )
    known = [entry.read_id for entry in view.directory.query_index]
    shown: dict[str, set[int]] = {}
    for _ in range(5):
        ids = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=3))
        unit = view.read(ids, shown)
        assert unit == view.read(ids, shown)
        assert_faithful(graph, unit)
        for path, numbers in unit.lines.items():
            assert not numbers & shown.get(path, set())
            shown.setdefault(path, set()).update(numbers)
        known += unit.ids
