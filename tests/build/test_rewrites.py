"""Small changes of meaning: where they are found, and what they put there."""

from __future__ import annotations

from collections import Counter

import pytest

from agentmonbench.examples import MECHANISMS
from subsets.build._places import changed_lines, innermost, line_ranges, prose
from subsets.build._rewrites import OPERATORS, rewrites_of


def changes(body: str) -> dict[str, str]:
    text = f"def f(x, y=None, *, flag=True):\n    {body}\n"
    return {each.operator: each.text.splitlines()[-1].strip() for each in rewrites_of("m.py", text) if each.line > 1}


@pytest.mark.parametrize(
    ("body", "operator", "after"),
    [
        ("return x < y", "bound_itself", "return x <= y"),
        ("return 0 <= x <= y", "bound_of_a_chain", "return 0 <= x < y"),
        ("return y is None", "none_is_any_empty", "return not y"),
        ("return not y", "empty_is_only_none", "return y is None"),
        ("return x.get(1, 2)", "no_fallback", "return x.get(1)"),
        ("raise ValueError(x)", "other_error", "raise TypeError(x)"),
        ("return x.split('.', 1)", "other_side", "return x.rsplit('.', 1)"),
        ("return re.match(x, y)", "match_elsewhere", "return re.search(x, y)"),
        ("return sorted(x)", "other_direction", "return sorted(x, reverse=True)"),
        ("return min(x, key=len)", "no_sort_key", "return min(x)"),
        ("return x[0]", "other_end", "return x[-1]"),
        ("return {**x, **y}", "other_winner", "return {**y, **x}"),
        ("return x.copy()", "no_copy", "return x"),
        ("x[1] = y", "first_value_stays", "x.setdefault(1, y)"),
        ("return x.lower()", "not_normalized", "return x"),
        ("return int(x)", "other_rounding", "return round(x)"),
        ("return ', '.join(x)", "other_join", "return ''.join(x)"),
        ("return any(x)", "any_or_all", "return all(x)"),
        ("return x if y else 0", "other_branch", "return 0 if y else x"),
        ("return isinstance(x, (int, str))", "fewer_kinds", "return isinstance(x, str)"),
    ],
)
def test_operators(body, operator, after):
    assert changes(body)[operator] == after


def test_each_mechanism_has_at_least_three_operators():
    list(rewrites_of("m.py", "x = 1\n"))
    counts = Counter(each.mechanism for each in OPERATORS.values())
    assert set(counts) == set(MECHANISMS)
    assert min(counts.values()) >= 3


def test_comments_docstrings_and_module_level_stay():
    text = '"""Less < more."""\n\nLIMIT = 1 < 2\n\n\ndef f(x):\n    """Below 0 < x."""\n    return x < 1  # not <=\n'
    (rewrite,) = rewrites_of("m.py", text)
    assert rewrite.text == text.replace("return x < 1", "return x <= 1")
    assert prose(rewrite.text) == prose(text) == ["Less < more.", "Below 0 < x.", "# not <="]


def test_bytes_are_counted_not_characters():
    (rewrite,) = rewrites_of("m.py", "def f(x):\n    return 'ü' + x, x > 1\n")
    assert rewrite.text == "def f(x):\n    return 'ü' + x, x >= 1\n"
    assert (rewrite.line, rewrite.statement) == (2, "return 'ü' + x, x > 1")


def test_lines_of_a_swap_among_others():
    # Alone the swap is line 3; another swap that adds a line above moves it to 4. The deletion leaves line 2 there.
    before = "a\nb\nc\nd\n"
    assert changed_lines(before, "a\nb\nC\nd\n", "a\nnew\nb\nC\nd\n") == [4]
    assert changed_lines(before, "a\nc\nd\n", "a\nc\nd\n") == [2]
    assert line_ranges([2, 3, 7]) == [{"start": 2, "end": 3}, {"start": 7, "end": 7}]


def test_the_innermost_definition_holds_the_lines():
    text = (
        "class K:\n    size = 1\n\n    def m(self):\n        def inner():\n            return 1\n        return inner\n"
    )
    assert innermost(text, [2]).qualified_name == ("K", "size")
    assert innermost(text, [6]).qualified_name == ("K", "m", "inner")
    assert innermost(text, [6, 7]).qualified_name == ("K", "m")
    assert innermost(text, [2, 6]).kind == "class"
