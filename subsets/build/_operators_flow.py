"""Operators of three mechanisms: order and precedence, state and identity, and how cases are routed and combined."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from subsets.build._rewrites import Edit, Site, operator

__all__: list[str] = []

_COPIES = ("copy", "deepcopy", "list", "dict", "set", "tuple")


def _function(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _method(node: ast.AST) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


@operator("ordering_precedence")
def other_direction(site: Site) -> Iterator[Edit]:
    """Sorting goes the other way."""
    node = site.node
    if not isinstance(node, ast.Call) or "sort" not in (_method(node), _function(node)[:4]):
        return
    for keyword in node.keywords:
        if keyword.arg == "reverse":
            value = site.code(keyword.value)
            yield site.replace(keyword.value, f"not {value}", f"the order has reverse={value}", f"reverse=not {value}")
            return
    inside = site.code(node)
    comma = ", " if node.args or node.keywords else ""
    yield site.replace(
        node, f"{inside[:-1].rstrip().rstrip(',')}{comma}reverse=True)", "the order is ascending", "it is descending"
    )


@operator("ordering_precedence")
def no_sort_key(site: Site) -> Iterator[Edit]:
    """Sorting, `min` and `max` lose their key."""
    node = site.node
    if isinstance(node, ast.Call) and (_function(node) in ("sorted", "min", "max") or _method(node) == "sort"):
        kept = [*map(site.code, node.args), *(site.code(each) for each in node.keywords if each.arg != "key")]
        keys = [keyword for keyword in node.keywords if keyword.arg == "key"]
        if keys:
            new = f"{site.code(node.func)}({', '.join(kept)})"
            yield site.replace(node, new, f"items are compared by {site.code(keys[0].value)}", "by themselves")


@operator("ordering_precedence")
def other_extreme(site: Site) -> Iterator[Edit]:
    """`min` becomes `max`."""
    node = site.node
    if isinstance(node, ast.Call) and (old := _function(node)) in ("min", "max"):
        new = "max" if old == "min" else "min"
        yield site.replace(node.func, new, f"the {old}imum is taken", f"the {new}imum is taken")


@operator("ordering_precedence")
def other_end(site: Site) -> Iterator[Edit]:
    """The first item becomes the last one."""
    node = site.node
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        text = site.code(node.slice)
        if text in ("0", "-1"):
            new = "-1" if text == "0" else "0"
            yield site.replace(node.slice, new, f"item {text} is taken", f"item {new} is taken")


@operator("ordering_precedence")
def kept_order(site: Site) -> Iterator[Edit]:
    """`reversed(x)` becomes `x`."""
    node = site.node
    if isinstance(node, ast.Call) and _function(node) == "reversed" and len(node.args) == 1:
        yield site.replace(
            node, f"iter({site.code(node.args[0])})", "items come in reversed order", "in their own order"
        )


@operator("ordering_precedence")
def other_winner(site: Site) -> Iterator[Edit]:
    """Of two that may be given, the other one wins."""
    node = site.node
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) == 2:
        one, two = (site.code(value) for value in node.values)
        if all(isinstance(value, ast.Name | ast.Attribute | ast.Call) for value in node.values):
            yield site.replace(node, f"{two} or {one}", f"{one} comes before {two}", f"{two} comes before {one}")
    if isinstance(node, ast.Dict) and len(node.keys) == 2 and node.keys == [None, None]:
        one, two = (site.code(value) for value in node.values)
        yield site.replace(node, f"{{**{two}, **{one}}}", f"entries of {two} win", f"entries of {one} win")


@operator("state_identity_lifecycle")
def no_copy(site: Site) -> Iterator[Edit]:
    """A copy is not made: what is changed later is the caller's own."""
    node = site.node
    if not isinstance(node, ast.Call) or not isinstance(site.parent, ast.Assign | ast.Return | ast.keyword):
        return
    single = len(node.args) == 1 and isinstance(node.args[0], ast.Name | ast.Attribute) and not node.keywords
    if _method(node) == "copy" and not node.args and isinstance(node.func, ast.Attribute):
        yield site.replace(node, site.code(node.func.value), "a copy is taken", "the object itself is taken")
    elif single and (_function(node) in _COPIES or _method(node) in ("copy", "deepcopy")):
        yield site.replace(node, site.code(node.args[0]), "a copy is taken", "the object itself is taken")


@operator("state_identity_lifecycle")
def shallow_copy(site: Site) -> Iterator[Edit]:
    """A deep copy becomes a shallow one."""
    node = site.node
    if isinstance(node, ast.Call) and "deepcopy" in (_method(node), _function(node)) and len(node.args) == 1:
        argument = site.code(node.args[0])
        yield site.replace(
            node, f"__import__('copy').copy({argument})", "a deep copy is taken", "a shallow one is taken"
        )


@operator("state_identity_lifecycle")
def equal_or_same(site: Site) -> Iterator[Edit]:
    """`is` becomes `==`, other than for None."""
    node = site.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and not isinstance(node.comparators[0], ast.Constant):
        left, right = site.code(node.left), site.code(node.comparators[0])
        if isinstance(node.ops[0], ast.Is):
            yield site.replace(node, f"{left} == {right}", f"{left} must be the same object", "an equal one will do")
        elif isinstance(node.ops[0], ast.IsNot):
            yield site.replace(node, f"{left} != {right}", f"{left} must be another object", "it must be unequal")


@operator("state_identity_lifecycle")
def added_in_front(site: Site) -> Iterator[Edit]:
    """New items go to the front, or are taken from the other end."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        owner = site.code(node.func.value)
        if node.func.attr == "append" and len(node.args) == 1:
            new = f"{owner}.insert(0, {site.code(node.args[0])})"
            yield site.replace(node, new, "new items are added at the end", "new items are added in front")
        elif node.func.attr == "pop" and not node.args:
            yield site.replace(node, f"{owner}.pop(0)", "the last item is taken out", "the first one is taken out")
        elif node.func.attr in ("pop", "popleft") and site.code(node).endswith(("pop(0)", "popleft()")):
            yield site.replace(node, f"{owner}.pop()", "the first item is taken out", "the last one is taken out")


@operator("state_identity_lifecycle")
def first_value_stays(site: Site) -> Iterator[Edit]:
    """An entry that exists is not replaced."""
    node = site.node
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0]
        if not isinstance(target.slice, ast.Slice):
            owner, key, value = site.code(target.value), site.code(target.slice), site.code(node.value)
            yield site.replace(
                node, f"{owner}.setdefault({key}, {value})", "a new value replaces the old one", "the old value stays"
            )


@operator("state_identity_lifecycle")
def state_starts_again(site: Site) -> Iterator[Edit]:
    """What was added up on an object is replaced."""
    node = site.node
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Attribute):
        target, value = site.code(node.target), site.code(node.value)
        yield site.replace(node, f"{target} = {value}", f"{target} grows by {value}", f"{target} becomes {value}")


@operator("dispatch_routing_aggregation")
def any_or_all(site: Site) -> Iterator[Edit]:
    """`any` becomes `all`."""
    node = site.node
    if isinstance(node, ast.Call) and (old := _function(node)) in ("any", "all"):
        new = "all" if old == "any" else "any"
        yield site.replace(node.func, new, f"`{old}` decides over the items", f"`{new}` decides over the items")


@operator("dispatch_routing_aggregation")
def other_branch(site: Site) -> Iterator[Edit]:
    """`a if c else b` gives `b` when `c` holds."""
    node = site.node
    if isinstance(node, ast.IfExp):
        test, yes, no = site.code(node.test), site.code(node.body), site.code(node.orelse)
        yield site.replace(node, f"{no} if {test} else {yes}", f"`{test}` gives {yes}", f"`{test}` gives {no}")


@operator("dispatch_routing_aggregation")
def fewer_kinds(site: Site) -> Iterator[Edit]:
    """`isinstance(x, (A, B))` asks for one kind only."""
    node = site.node
    if isinstance(node, ast.Call) and _function(node) == "isinstance" and isinstance(node.args[-1], ast.Tuple):
        for kept in node.args[-1].elts:
            yield site.replace(
                node.args[-1],
                site.code(kept),
                f"{site.code(node.args[-1])} go this way",
                f"only {site.code(kept)} does",
            )


@operator("dispatch_routing_aggregation")
def other_junction(site: Site) -> Iterator[Edit]:
    """`and` becomes `or` where a way is chosen."""
    node = site.node
    if isinstance(node, ast.BoolOp) and isinstance(site.parent, ast.If | ast.IfExp | ast.While | ast.comprehension):
        new = " and " if isinstance(node.op, ast.Or) else " or "
        text = new.join(f"({site.code(value)})" for value in node.values)
        yield site.replace(node, text, f"`{site.code(node)}` chooses this way", f"`{text}` does")


@operator("dispatch_routing_aggregation")
def stop_or_go_on(site: Site) -> Iterator[Edit]:
    """`break` becomes `continue`, and the other way round."""
    node = site.node
    if isinstance(node, ast.Break):
        yield site.replace(node, "continue", "the loop stops here", "it goes on with the next item")
    elif isinstance(node, ast.Continue):
        yield site.replace(node, "break", "the loop goes on with the next item", "it stops here")
