"""The definitions of a file as linking sees them: decorators, bases, parameters, annotations."""

from __future__ import annotations

from tree_sitter import Node

from ebg.repository._names_expressions import Expression, first_child
from ebg.repository._names_facts import Row
from ebg.repository._names_places import Places

__all__ = ["annotation", "read_scopes"]

_LONGEST_ANNOTATION = 300
_SPLATS = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}
_NO_BASES = frozenset(("keyword_argument", "comment", "dictionary_splat"))


def read_scopes(places: Places) -> tuple[tuple[Row, ...], set[int]]:
    """Return the rows of `ScopeNames`, and the first bytes of the names of all parameters."""
    decorators = {node.start_byte: node for node in places.syntax.captures.get("decorator", ())}
    rows = places.syntax.statements
    found: list[Row] = []
    names: set[int] = set()
    for number, scope in enumerate(places.syntax.scopes):
        decorations = []
        for row in scope.decorators:
            child = first_child(decorators.get(rows.start[row]))
            if child is not None:
                decorations.append((child.start_byte, rows.evidence[row], places.read(child)))
        is_function = scope.kind in ("function", "method")
        found.append(
            (
                scope.symbol,
                scope.kind,
                scope.parent,
                rows.start[scope.row] if scope.row >= 0 else 0,
                places.outer_branch[number],
                tuple(decorations),
                _bases(scope.node, places) if scope.kind == "class" else (),
                _parameters(scope.node, places, names) if is_function else (),
                annotation(scope.node.child_by_field_name("return_type"), places) if is_function else None,
            )
        )
    return tuple(found), names


def annotation(node: Node | None, places: Places) -> str | None:
    """Return the text of an annotation, or None if there is none or it is unreasonably long."""
    if node is None or node.end_byte - node.start_byte > _LONGEST_ANNOTATION:
        return None
    return places.text(node)


def _bases(node: Node, places: Places) -> tuple[Expression, ...]:
    arguments = node.child_by_field_name("superclasses")
    if arguments is None:
        return ()
    return tuple([places.read(child) for child in arguments.named_children if child.type not in _NO_BASES])


def _parameters(node: Node, places: Places, names: set[int]) -> tuple[Row, ...]:
    listed = node.child_by_field_name("parameters")
    found: list[Row] = []
    keyword_only = ""
    for child in listed.named_children if listed is not None else ():
        kind = child.type
        name: Node | None = child
        default: Node | None = None
        hint: Node | None = None
        if kind == "keyword_separator":
            keyword_only = "k"
            continue
        if kind == "default_parameter":
            name, default = child.child_by_field_name("name"), child.child_by_field_name("value")
        elif kind == "typed_default_parameter":
            name, default = child.child_by_field_name("name"), child.child_by_field_name("value")
            hint = child.child_by_field_name("type")
        elif kind == "typed_parameter":
            name, hint = first_child(child), child.child_by_field_name("type")
        splat = ""
        if name is not None and name.type in _SPLATS:
            splat = _SPLATS[name.type]
            keyword_only = "k" if splat == "*" else keyword_only
            name = first_child(name)
        if name is None or name.type != "identifier":
            continue
        names.add(name.start_byte)
        found.append((places.text(name), splat or keyword_only, annotation(hint, places), places.read(default)))
    return tuple(found)
