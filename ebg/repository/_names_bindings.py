"""Which names get which values: assignments, imports, loops, contexts, comprehensions, definitions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tree_sitter import Node

from ebg.repository._names_expressions import (
    DEFINED,
    EACH,
    ENTERED,
    IMPORTED,
    INSTANCE,
    PARAMETER,
    PART,
    REST,
    SEQUENCE,
    UNION,
    Expression,
    first_child,
)
from ebg.repository._names_facts import ASSIGNED, AUGMENTED, BOUND, DECLARED, DELETED, NARROWED, Row
from ebg.repository._names_places import Places
from ebg.repository._names_scopes import annotation
from ebg.repository._syntax import AUGMENT, DEFINITION, DELETE, LOAD

__all__ = ["Bindings"]

_PATTERNS = frozenset(("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"))
_DEEPEST_PATTERN = 6
_BLOCKS = ("if", "elif", "while")

_Given: TypeAlias = tuple[int, Expression, int, int, "str | None", int, int]
"""What a target gets: kind, value, position, start, annotation, first, last (see `Binding`)."""


class Bindings:
    """Reads all bindings of a file; call `read` once."""

    def __init__(self, places: Places, scopes: tuple[Row, ...], parameters: set[int]) -> None:
        self._places = places
        self._captures = places.syntax.captures
        self._scopes = scopes
        self._parameters = parameters
        self._given: dict[int, _Given] = {}
        """What each name gets, by the first byte of the name."""
        self.imports: list[Row] = []
        self.stars: list[int] = []
        self.rows: list[Row] = []
        self.attributes: list[Row] = []
        self.items: list[Row] = []
        self.lambdas: list[Row] = []
        self.outer_names: list[tuple[int, str, bool]] = []

    def read(self) -> None:
        """Fill the lists; each is in order of position."""
        self._imports()
        self._assignments()
        self._loops_and_contexts()
        self._comprehensions()
        self._lambdas()
        self._outer_names()
        self._tests()
        self._names()
        for number, scope in enumerate(self._scopes):
            start, parameters = scope[3], scope[7]
            for index, parameter in enumerate(parameters):
                value = (PARAMETER, index)
                self.rows.append((number, parameter[0], start, start, -1, -1, BOUND, value, None, 0, 0))
        self.rows.sort(key=lambda row: (row[2], row[0], row[1], row[9]))
        self.attributes.sort(key=lambda row: (row[1], row[4]))
        self.items.sort(key=lambda row: row[1])
        self.outer_names.sort()

    def _nodes(self, *captures: str) -> Iterator[Node]:
        for capture in captures:
            yield from self._captures.get(capture, ())

    def _bind(self, row: int, name: str, given: _Given) -> None:
        places = self._places
        kind, value, position, start, hint, first, last = given
        self.rows.append(
            (
                places.scope[row],
                name,
                position,
                start,
                places.branch[row],
                places.evidence[row],
                kind,
                value,
                hint,
                first,
                last,
            )
        )

    # -- imports ------------------------------------------------------------------------------------------------------

    def _imports(self) -> None:
        for node in sorted(self._nodes("import"), key=lambda node: node.start_byte):
            row = self._places.row(node.start_byte)
            if row < 0:
                continue
            if node.type == "import_statement":
                for child in node.children_by_field_name("name"):
                    self._import(row, child, "", 0, plain=True)
            elif node.type == "import_from_statement":
                self._import_from(row, node)

    def _import_from(self, row: int, node: Node) -> None:
        source = node.child_by_field_name("module_name")
        if source is None:
            return
        module = "".join(self._places.text(source).split())
        level = len(module) - len(module.lstrip("."))
        module = module[level:]
        for child in node.children_by_field_name("name"):
            self._import(row, child, module, level, plain=False)
        if any(child.type == "wildcard_import" for child in node.named_children):
            self.stars.append(len(self.imports))
            self.imports.append((module, level, "*", False))

    def _import(self, row: int, node: Node, module: str, level: int, *, plain: bool) -> None:
        alias: Node | None = None
        target: Node | None = node
        if node.type == "aliased_import":
            alias, target = node.child_by_field_name("alias"), node.child_by_field_name("name")
        if target is None:
            return
        name = "".join(self._places.text(target).split())
        bound = self._places.text(alias) if alias is not None else name.partition(".")[0] if plain else name
        self.imports.append((name, 0, None, alias is None) if plain else (module, level, name, False))
        start = node.start_byte
        self._bind(row, bound, (BOUND, (IMPORTED, len(self.imports) - 1), start, start, None, 0, 0))

    # -- values of targets --------------------------------------------------------------------------------------------

    def _assignments(self) -> None:
        read = self._places.read
        for node in self._nodes("assignment"):
            children = node.children
            left, right = children[0], children[-1]
            hint = None
            if children[1].type == ":":
                hint = annotation(children[2], self._places)
                if len(children) < 5:  # `x: int`
                    self._target(left, (ASSIGNED, None, node.end_byte, node.start_byte, hint, 0, 0))
                    continue
            self._target(left, (ASSIGNED, read(right), node.end_byte, node.start_byte, hint, 0, 0))

        for name in self._nodes("walrus"):
            parent = name.parent
            if parent is not None:
                value = read(parent.child_by_field_name("value"))
                self._target(name, (BOUND, value, name.start_byte, name.end_byte, None, 0, 0))

    def _loops_and_contexts(self) -> None:
        read = self._places.read
        for node in self._nodes("for"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                self._target(left, (BOUND, (EACH, read(right)), left.start_byte, node.start_byte, None, 0, 0))
        for node in self._nodes("with", "except"):
            for pattern in _as_patterns(node):
                inner = first_child(pattern.child_by_field_name("alias"))
                if inner is not None:
                    value = read(first_child(pattern))
                    value = (ENTERED, value) if node.type == "with_statement" else (INSTANCE, _alternatives(value))
                    self._target(inner, (BOUND, value, inner.start_byte, pattern.start_byte, None, 0, 0))

    def _comprehensions(self) -> None:
        for node in self._nodes("comprehension"):
            first, last = node.start_byte, node.end_byte
            for clause in node.named_children:
                if clause.type != "for_in_clause":
                    continue
                left, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
                if left is not None and right is not None:
                    value: Expression = (EACH, self._places.read(right))
                    self._target(left, (BOUND, value, first, right.start_byte, None, first, last))

    def _lambdas(self) -> None:
        for node in sorted(self._nodes("lambda"), key=lambda node: node.start_byte):
            row = self._places.row(node.start_byte)
            body = node.child_by_field_name("body")
            if row < 0 or body is None:
                continue
            first, last = node.start_byte, node.end_byte
            names: list[str] = []
            for name in _lambda_parameters(node):
                self._parameters.add(name.start_byte)
                value: Expression = (PARAMETER, len(names), first)
                names.append(self._places.text(name))
                self._bind(row, names[-1], (BOUND, value, first, first, None, first, last))
            place = (self._places.scope[row], first, last, self._places.branch[row])
            self.lambdas.append((*place, tuple(names), body.start_byte, self._places.read(body)))

    def _target(self, target: Node, given: _Given) -> None:
        """Give a value to a target, part by part if it is a pattern."""
        if target.type == "identifier":
            self._given[target.start_byte] = given
            return
        todo = [(target, given, 0)]
        while todo:
            node, given, depth = todo.pop()
            kind = node.type
            if kind == "identifier":
                self._given[node.start_byte] = given
            elif kind in {"attribute", "subscript"}:
                self._part_of_object(node, given)
            elif kind in _PATTERNS and depth < _DEEPEST_PATTERN:
                todo.extend((child, (given[0], part, *given[2:]), depth + 1) for child, part in _parts(node, given[1]))

    def _part_of_object(self, node: Node, given: _Given) -> None:
        places = self._places
        row = places.row(node.start_byte)
        if row < 0:
            return
        place = (places.scope[row], given[3], places.branch[row])
        if node.type == "attribute":
            name = node.child_by_field_name("attribute")
            owner = places.read(node.child_by_field_name("object"))
            if name is not None and owner is not None:
                attribute = places.text(name)
                self.attributes.append((*place, owner, attribute, given[1], given[4], places.evidence[row]))
        elif given[1] is not None:
            container = places.read(node.child_by_field_name("value"))
            if container is not None:
                key = places.read(node.child_by_field_name("subscript"))
                self.items.append((*place, container, key, given[1]))

    # -- names --------------------------------------------------------------------------------------------------------

    def _outer_names(self) -> None:
        for node in self._nodes("global", "nonlocal"):
            row = self._places.row(node.start_byte)
            if row >= 0:
                self.outer_names.extend(
                    (self._places.scope[row], self._places.text(child), node.type == "global_statement")
                    for child in node.named_children
                    if child.type == "identifier"
                )

    def _tests(self) -> None:
        """Note names that `isinstance` narrows in a block or, after an `assert`, from there on."""
        source, places = self._places.source, self._places
        rows = places.syntax.statements
        tested = {places.row(position) for position in _positions(source, b"isinstance(")}
        wanted = {rows.start[row]: row for row in tested if row >= 0 and rows.kind[row] in (*_BLOCKS, "assert")}
        if not wanted:
            return
        for node in self._nodes(*_BLOCKS, "assert"):
            row = wanted.get(node.start_byte, -1)
            condition = node.child_by_field_name("condition") or first_child(node)
            if row < 0 or condition is None:
                continue
            block = node.child_by_field_name("consequence") or node.child_by_field_name("body")
            for name, classes in _instance_tests(condition, places):
                value: Expression = (INSTANCE, classes)
                if node.type == "assert_statement":
                    self._bind(row, name, (NARROWED, value, node.end_byte, node.start_byte, None, 0, 0))
                elif block is not None:
                    first, last = block.start_byte, block.end_byte
                    self._bind(row, name, (NARROWED, value, first, node.start_byte, None, first, last))

    def _names(self) -> None:
        places, source = self._places, self._places.source
        given_of, parameters, words = self._given, self._parameters, places.reader.words
        rows = places.syntax.statements
        number_of = {scope.row: number for number, scope in enumerate(places.syntax.scopes)}
        bound = [name for name in places.syntax.names if name[2] != LOAD and name[0] not in parameters]
        for (start, end, role), row in zip(bound, places.rows(name[0] for name in bound), strict=True):
            if row < 0:
                continue
            given = given_of.get(start)
            if role == DEFINITION:
                number = number_of.get(row)
                if number is None:
                    continue
                given = (DECLARED, (DEFINED, number), rows.start[row], start, None, 0, 0)
            elif role == DELETE:
                given = (DELETED, None, start, start, None, 0, 0)
            elif given is None:
                given = (AUGMENTED if role == AUGMENT else BOUND, None, end, start, None, 0, 0)
            self._bind(row, words[source[start:end]], given)


def _positions(source: bytes, text: bytes) -> Iterator[int]:
    position = source.find(text)
    while position >= 0:
        yield position
        position = source.find(text, position + 1)


def _as_patterns(node: Node) -> Iterator[Node]:
    """Yield the `x as y` of a `with` statement or `except` clause."""
    if node.type == "except_clause":
        value = node.child_by_field_name("value")
        if value is not None and value.type == "as_pattern":
            yield value
        return
    for clause in node.named_children:
        if clause.type == "with_clause":
            for item in clause.named_children:
                value = item.child_by_field_name("value")
                if value is not None and value.type == "as_pattern":
                    yield value


def _lambda_parameters(node: Node) -> Iterator[Node]:
    listed = node.child_by_field_name("parameters")
    for child in listed.named_children if listed is not None else ():
        name = child if child.type == "identifier" else child.child_by_field_name("name") or first_child(child)
        if name is not None and name.type == "identifier":
            yield name


def _alternatives(value: Expression) -> Expression:
    """Return the classes in a tuple of classes as alternatives."""
    if isinstance(value, tuple) and value[0] == SEQUENCE:
        return (UNION, *value[2])
    return value


def _parts(pattern: Node, value: Expression) -> Iterator[tuple[Node, Expression]]:
    """Yield each part of an unpacking pattern with the part of the value that it gets."""
    children = [child for child in pattern.named_children if child.type != "comment"]
    star = next((index for index, child in enumerate(children) if child.type.startswith("list_splat")), len(children))
    for index, child in enumerate(children):
        if index < star:
            yield child, (PART, value, index)
        elif index == star:
            inner = first_child(child)
            if inner is not None:
                yield inner, (REST, value, index)
        else:
            yield child, (PART, value, index - len(children))


def _instance_tests(condition: Node, places: Places) -> Iterator[tuple[str, Expression]]:
    """Yield (name, class or classes) of each `isinstance(name, classes)` that must hold for the condition to hold."""
    todo = [condition]
    while todo:
        node = todo.pop()
        if node.type in ("parenthesized_expression", "boolean_operator"):
            operator = node.child_by_field_name("operator")
            if operator is None or operator.type == "and":
                todo.extend(reversed(node.named_children))
            continue
        function = node.child_by_field_name("function") if node.type == "call" else None
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None or places.text(function) != "isinstance":
            continue
        given = [child for child in arguments.named_children if child.type != "comment"]
        if len(given) == 2 and given[0].type == "identifier":
            yield places.text(given[0]), _alternatives(places.read(given[1]))
