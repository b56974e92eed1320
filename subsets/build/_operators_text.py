"""Operators of two mechanisms: how text is matched and parsed, and how values are written."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from subsets.build._rewrites import Edit, Site, operator

__all__: list[str] = []

_MATCH = {"fullmatch": "match", "match": "search", "search": "match", "findall": "finditer"}
_SIDE = {
    "split": "rsplit",
    "rsplit": "split",
    "partition": "rpartition",
    "rpartition": "partition",
    "find": "rfind",
    "rfind": "find",
    "index": "rindex",
    "rindex": "index",
}
_STRIP = {"strip": "lstrip", "lstrip": "strip", "rstrip": "strip"}
_CASE = {"lower": "upper", "upper": "lower", "title": "capitalize", "capitalize": "title", "casefold": "lower"}
_AFFIX = {"startswith": "endswith", "endswith": "startswith"}
_ROUND = {"floor": "ceil", "ceil": "floor", "trunc": "ceil"}


def _renamed(site: Site, table: Mapping[str, str], *, arguments: range, words: str) -> Iterator[Edit]:
    """Yield the edit that calls the method that `table` names instead."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) in arguments:
        old = node.func.attr
        if old in table and not node.keywords:
            new = table[old]
            yield from site.replace_text(node.func, old, new, f"{words} with `{old}`", f"{words} with `{new}`")


@operator("parsing_matching")
def match_elsewhere(site: Site) -> Iterator[Edit]:
    """A pattern must match at the start, the whole, or anywhere: another of these."""
    node = site.node
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("match", "search", "fullmatch")
    ):
        yield from _renamed(site, _MATCH, arguments=range(1, 4), words="the text is matched")


@operator("parsing_matching")
def other_side(site: Site) -> Iterator[Edit]:
    """The first separator becomes the last one."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        at_side = node.func.attr not in ("split", "rsplit") or len(node.args) == 2
        if at_side:
            yield from _renamed(site, _SIDE, arguments=range(1, 3), words="the place is sought")


@operator("parsing_matching")
def other_affix(site: Site) -> Iterator[Edit]:
    """`startswith` becomes `endswith`."""
    yield from _renamed(site, _AFFIX, arguments=range(1, 2), words="it is recognized")


@operator("parsing_matching")
def affix_anywhere(site: Site) -> Iterator[Edit]:
    """`text.startswith(mark)` becomes `mark in text`."""
    node = site.node
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _AFFIX
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ):
        text, mark = site.code(node.func.value), site.code(node.args[0])
        yield site.replace(node, f"({mark} in {text})", f"`{site.code(node)}` is asked", f"`{mark} in {text}` is asked")


@operator("parsing_matching")
def case_matters(site: Site) -> Iterator[Edit]:
    """A pattern loses its flag IGNORECASE."""
    node = site.node
    if isinstance(node, ast.Attribute) and node.attr in ("IGNORECASE", "I") and site.code(node).startswith("re."):
        yield site.replace(node, "0", "case does not matter for the pattern", "it matters")


@operator("parsing_matching")
def another_repetition(site: Site) -> Iterator[Edit]:
    """In a pattern, one or more becomes any number, or the other way round."""
    node = site.node
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and isinstance(site.parent, ast.Call)):
        return
    call = site.parent
    if isinstance(call.func, ast.Attribute) and site.code(call.func).startswith("re.") and call.args[:1] == [node]:
        text = site.code(node)
        for old, new in (("+", "*"), ("*", "+")):
            if text.count(old) == 1 and f"\\{old}" not in text:
                yield site.replace(
                    node, text.replace(old, new), f"the pattern is {text}", f"it is {text.replace(old, new)}"
                )


@operator("representation_normalization")
def other_case(site: Site) -> Iterator[Edit]:
    """Lower case becomes upper case, title becomes capitalized, and the like."""
    yield from _renamed(site, _CASE, arguments=range(1), words="the text is brought to one case")


@operator("representation_normalization")
def not_normalized(site: Site) -> Iterator[Edit]:
    """A call of `lower`, `strip` and the like is left out."""
    node = site.node
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {*_CASE, *_STRIP}
        and len(node.args) <= 1
        and not node.keywords
    ):
        yield site.replace(
            node, site.code(node.func.value), f"`{node.func.attr}` is applied to the text", "the text stays as it is"
        )


@operator("representation_normalization")
def strip_one_side(site: Site) -> Iterator[Edit]:
    """Both ends are stripped, or only one."""
    yield from _renamed(site, _STRIP, arguments=range(2), words="the text is trimmed")


@operator("representation_normalization")
def other_rounding(site: Site) -> Iterator[Edit]:
    """Down becomes up; cutting becomes rounding."""
    node = site.node
    yield from _renamed(site, _ROUND, arguments=range(1, 2), words="the number is made whole")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        other = {"int": "round", "round": "int"}.get(node.func.id)
        if other:
            yield site.replace(node.func, other, f"the number is made whole by `{node.func.id}`", f"by `{other}`")


@operator("representation_normalization")
def other_join(site: Site) -> Iterator[Edit]:
    """Parts are joined by nothing instead of by a separator."""
    node = site.node
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "join"
        and isinstance(node.func.value, ast.Constant)
        and node.func.value.value in (" ", ", ", "-", "_", "\n", ".", ",")
    ):
        old = site.code(node.func.value)
        yield site.replace(node.func.value, "''", f"parts are joined by {old}", "parts are joined by nothing")


@operator("representation_normalization")
def representation_of_text(site: Site) -> Iterator[Edit]:
    """`str(x)` becomes `repr(x)`."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and len(node.args) == 1:
        yield site.replace(node.func, "repr", "the value is written by `str`", "the value is written by `repr`")
