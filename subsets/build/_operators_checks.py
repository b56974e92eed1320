"""Operators of three mechanisms: bounds of input, defaults and missing values, and errors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from subsets.build._rewrites import Edit, Site, operator

__all__: list[str] = []

_BOUNDS = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")}
_OTHER_ERROR = {
    "ValueError": "TypeError",
    "TypeError": "ValueError",
    "KeyError": "IndexError",
    "IndexError": "KeyError",
}


def _guards(site: Site) -> ast.If | None:
    """Return the `if` in whose test the node stands, when it refuses input: its body raises or returns at once."""
    for node, around in zip((site.node, *site.parents), site.parents, strict=False):
        if isinstance(around, ast.If) and node is around.test:
            return around if isinstance(around.body[0], ast.Raise | ast.Return) else None
        if isinstance(around, ast.stmt):
            return None
    return None


@operator("input_validation_boundary")
def bound_itself(site: Site) -> Iterator[Edit]:
    """`a < b` becomes `a <= b`: the bound changes sides."""
    node = site.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and (pair := _BOUNDS.get(type(node.ops[0]))):
        left, right = site.code(node.left), site.code(node.comparators[0])
        yield site.replace(
            node,
            f"{left} {pair[1]} {right}",
            f"the test is `{left} {pair[0]} {right}`",
            f"it is `{left} {pair[1]} {right}`",
        )


@operator("input_validation_boundary")
def bound_of_a_chain(site: Site) -> Iterator[Edit]:
    """`a <= x <= b` loses an end: `a <= x < b` and the like."""
    node = site.node
    if isinstance(node, ast.Compare) and len(node.ops) == 2 and (pair := _BOUNDS.get(type(node.ops[1]))):
        parts = [site.code(node.left), site.code(node.comparators[0])]
        first = _BOUNDS.get(type(node.ops[0]))
        last = site.code(node.comparators[1])
        if first:
            old, new = (f"{parts[0]} {first[0]} {parts[1]} {end} {last}" for end in pair)
            yield site.replace(node, new, f"the range is `{old}`", f"it is `{new}`")


@operator("input_validation_boundary")
def one_reason_less(site: Site) -> Iterator[Edit]:
    """A guard that refuses for several reasons forgets one of them."""
    node = site.node
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and _guards(site):
        for left_out in range(len(node.values)):
            rest = [site.code(value) for number, value in enumerate(node.values) if number != left_out]
            gone = site.code(node.values[left_out])
            yield site.replace(
                node,
                " or ".join(rest),
                f"`{site.code(node)}` stops here",
                f"`{gone}` alone does not stop here any more",
            )


@operator("input_validation_boundary")
def all_reasons_needed(site: Site) -> Iterator[Edit]:
    """A guard that needs one reason needs all of them, and the other way round."""
    node = site.node
    if isinstance(node, ast.BoolOp) and _guards(site):
        new = " and " if isinstance(node.op, ast.Or) else " or "
        text = new.join(f"({site.code(value)})" for value in node.values)
        yield site.replace(node, text, f"the guard is `{site.code(node)}`", f"it is `{text}`")


@operator("default_null_fallback")
def none_is_any_empty(site: Site) -> Iterator[Edit]:
    """`x is None` becomes `not x`: zero and empty values count as missing."""
    node = site.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and _is_none(node.comparators[0]):
        left = site.code(node.left)
        if isinstance(node.ops[0], ast.Is):
            yield site.replace(node, f"not {left}", f"only None counts as no {left}", "zero and empty values do too")
        elif isinstance(node.ops[0], ast.IsNot):
            yield site.replace(node, left, f"only None counts as no {left}", "zero and empty values do too")


@operator("default_null_fallback")
def empty_is_only_none(site: Site) -> Iterator[Edit]:
    """`not x` becomes `x is None`: zero and empty values count as given."""
    node = site.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Name):
        name = node.operand.id
        yield site.replace(node, f"{name} is None", f"an empty {name} counts as missing", "only None does")


@operator("default_null_fallback")
def fallback_only_for_none(site: Site) -> Iterator[Edit]:
    """`x or y` becomes `y if x is None else x`."""
    node = site.node
    if (
        isinstance(node, ast.BoolOp)
        and isinstance(node.op, ast.Or)
        and len(node.values) == 2
        and isinstance(site.parent, ast.Assign | ast.Return | ast.Call | ast.keyword)
        and isinstance(node.values[0], ast.Name | ast.Attribute)
    ):
        given, other = (site.code(value) for value in node.values)
        yield site.replace(
            node,
            f"({other} if {given} is None else {given})",
            f"an empty {given} falls back to {other}",
            "only None does",
        )


@operator("default_null_fallback")
def other_default(site: Site) -> Iterator[Edit]:
    """A default that is True, False or a small number becomes another one."""
    if isinstance(site.node, ast.Constant) and isinstance(site.parent, ast.arguments):
        value = site.node.value
        new = repr(not value) if isinstance(value, bool) else repr(value + 1) if isinstance(value, int) else None
        if new is not None:
            yield site.replace(site.node, new, f"the default is {value!r}", f"it is {new}")


@operator("default_null_fallback")
def no_fallback(site: Site) -> Iterator[Edit]:
    """`d.get(key, default)` becomes `d.get(key)`."""
    node = site.node
    if not isinstance(node, ast.Call) or _method(node) != "get" or len(node.args) != 2 or node.keywords:
        return
    if not _is_none(node.args[1]):
        new = f"{site.code(node.func)}({site.code(node.args[0])})"
        yield site.replace(node, new, f"a missing entry counts as {site.code(node.args[1])}", "it counts as None")


@operator("exception_error_handling")
def other_error(site: Site) -> Iterator[Edit]:
    """`raise ValueError(...)` becomes `raise TypeError(...)` and the like."""
    node = site.node
    if isinstance(node, ast.Raise) and node.exc is not None:
        name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(name, ast.Name) and name.id in _OTHER_ERROR:
            other = _OTHER_ERROR[name.id]
            yield site.replace(name, other, f"it raises {name.id}", f"it raises {other}")


@operator("exception_error_handling")
def none_instead_of_error(site: Site) -> Iterator[Edit]:
    """A `raise` becomes `return None`."""
    node = site.node
    if isinstance(node, ast.Raise) and node.exc is not None and not _in_generator(site):
        name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        yield site.replace(node, "return None", f"it raises {site.code(name)}", "it returns None")


@operator("exception_error_handling")
def fewer_errors_caught(site: Site) -> Iterator[Edit]:
    """`except (A, B)` becomes `except A`."""
    node = site.node
    if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Tuple) and len(node.type.elts) > 1:
        for kept in node.type.elts:
            yield site.replace(
                node.type, site.code(kept), f"{site.code(node.type)} are caught", f"only {site.code(kept)} is caught"
            )


@operator("exception_error_handling")
def error_passes_through(site: Site) -> Iterator[Edit]:
    """A handler that returns a value raises again."""
    node = site.node
    if isinstance(node, ast.Return) and isinstance(site.parent, ast.ExceptHandler):
        yield site.replace(node, "raise", f"the error gives `{site.code(node)}`", "the error is raised again")


@operator("exception_error_handling")
def error_is_hidden(site: Site) -> Iterator[Edit]:
    """A handler that raises another error gives None instead."""
    node = site.node
    if isinstance(node, ast.Raise) and isinstance(site.parent, ast.ExceptHandler) and not _in_generator(site):
        yield site.replace(node, "return None", "the error is raised on", "it is hidden, and None returned")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _method(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _in_generator(site: Site) -> bool:
    for around in site.parents:
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef):
            return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(around))
    return False
