"""JavaScript.

A first reading, simpler than Python's: scopes, evidence and behaviors whose conditions are the tests, loops and clauses
around the result. Operations, guards and routes are not followed, calls are not linked, and functions inside an
expression belong to its statement unless they get a name (`const f = () => 1`, `exports.f = function () {}`).
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from ebg.model import ArtifactKind, ResultType, ScopeKind
from ebg.repository._facts import BehaviorFacts, FileFacts, ScopeFacts
from ebg.repository._lines import line_starts, normal_newlines
from ebg.repository._syntax import MODULE
from ebg.repository._whole import whole_file_facts

__all__ = ["javascript_facts"]

_MAX_BYTES = 4 * 1024 * 1024
_FUNCTIONS = frozenset(
    ["arrow_function", "function_declaration", "function_expression", "generator_function",
     "generator_function_declaration", "method_definition"]
)  # fmt: skip
_NAMED_FUNCTIONS = frozenset(["function_declaration", "generator_function_declaration", "method_definition"])
_CONTROLS = frozenset(
    ["do_statement", "for_in_statement", "for_statement", "if_statement", "switch_statement", "try_statement",
     "while_statement", "with_statement"]
)  # fmt: skip
_CLAUSES = frozenset(["catch_clause", "else_clause", "finally_clause", "switch_case", "switch_default"])
_BLOCKS = frozenset(["class_body", "program", "statement_block", "switch_body"])
_STATEMENTS = frozenset(
    ["break_statement", "continue_statement", "debugger_statement", "empty_statement", "expression_statement",
     "field_definition", "import_statement", "labeled_statement", "lexical_declaration", "return_statement",
     "throw_statement", "variable_declaration"]
)  # fmt: skip
_ENDINGS: dict[str, ResultType] = {"return_statement": "return", "throw_statement": "raise"}
_WRITES = frozenset(["assignment_expression", "augmented_assignment_expression", "update_expression"])
_OUTPUT = frozenset(["alert", "console.debug", "console.error", "console.info", "console.log", "console.warn"])
_CALLS_OUT = frozenset(["fetch"])


class _Place(NamedTuple):
    """Where a node stands."""

    scope: int
    conditions: tuple[int, ...]
    """Evidence of the tests and clauses around it, in its scope."""


def javascript_facts(path: str, kind: ArtifactKind, language: str, text: str, lines: tuple[str, ...]) -> FileFacts:
    """Return scopes, evidence and behaviors of a JavaScript file, whole or broken."""
    source = normal_newlines(text.encode())
    if len(source) > _MAX_BYTES or not lines:
        return whole_file_facts(path, kind, language, text, lines)
    root = _parser().parse(source).root_node
    reader = _Reader(source, len(lines))
    reader.read(root)
    if not reader.found and text.strip():
        return whole_file_facts(path, kind, language, text, lines, note="nothing parses")
    return reader.facts(path, kind, language, "syntax error" if root.has_error else None)


@functools.cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_javascript.language()))


class _Reader:
    """One walk with an explicit stack, in document order."""

    def __init__(self, source: bytes, line_count: int) -> None:
        self.source = source
        self.starts = line_starts(source)
        self.scopes: list[tuple[str, ScopeKind, tuple[int, int], tuple[int, int]]] = [
            (MODULE, "module", (1, line_count), (1, 1))
        ]
        self.found: dict[tuple[str, int, int], int] = {}
        self.behaviors: list[tuple[int, int, ResultType, tuple[int, ...], int, tuple[int, int]]] = []
        self.outside: set[str] = set()

    def read(self, root: Node) -> None:
        """Read a program."""
        stack: list[tuple[Node, _Place]] = [(root, _Place(0, ()))]
        while stack:
            node, place = stack.pop()
            stack.extend(reversed(list(self._visit(node, place))))

    def facts(self, path: str, kind: ArtifactKind, language: str, note: str | None) -> FileFacts:
        """Return what was read, in final order."""
        order = sorted(self.found, key=lambda key: (key[1], key[2], key[0].casefold(), key[0]))
        number = {self.found[key]: index for index, key in enumerate(order)}
        scopes: dict[str, ScopeFacts] = {}
        for symbol, scope_kind, span, signature in self.scopes:
            known = scopes.setdefault(symbol, ScopeFacts(symbol, scope_kind, (), signature))
            scopes[symbol] = known._replace(spans=(*known.spans, span))
        behaviors = {
            BehaviorFacts(
                self.scopes[scope][0],
                line,
                result_type,
                tuple(sorted({number[one] for one in conditions} - {number[result]})),
                (),
                (number[result],),
                lines,
            )
            for scope, line, result_type, conditions, result, lines in self.behaviors
        }
        return FileFacts(
            path=path,
            kind=kind,
            language=language,
            scopes=tuple(scopes.values()),
            evidence=tuple(order),
            behaviors=tuple(sorted(behaviors, key=lambda row: row[:6])),
            note=note,
        )

    # -- nodes --------------------------------------------------------------------------------------------------------

    def _visit(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        """Read one node; yield what is to be read below it."""
        kind = node.type
        named = self._named_function(node)
        if named is not None:
            yield from self._open(node, *named, place)
        elif kind in _BLOCKS or kind == "ERROR":
            yield from ((child, place) for child in node.named_children)
        elif kind == "export_statement" and (inner := node.child_by_field_name("declaration")) is not None:
            yield inner, place
        elif kind == "class_declaration":
            body = node.child_by_field_name("body")
            yield from self._open(node, self._name(node), node if body is None else body, place)
        elif kind in _CONTROLS:
            yield from self._control(node, place)
        elif kind in _CLAUSES:
            yield from self._clause(node, place)
        elif kind in _STATEMENTS or kind == "export_statement":
            self._statement(node, place)

    def _named_function(self, node: Node) -> tuple[str, Node] | None:
        """Return name and function of a statement that does nothing but define one."""
        if node.type in _NAMED_FUNCTIONS:
            return self._name(node), node
        if node.type in ("lexical_declaration", "variable_declaration") and node.named_child_count == 1:
            value = node.named_children[0].child_by_field_name("value")
            if value is not None and value.type in _FUNCTIONS:
                return self._name(node.named_children[0]), value
        if node.type == "expression_statement" and node.named_child_count == 1:
            assignment = node.named_children[0]
            left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
            if left is not None and right is not None and right.type in _FUNCTIONS:
                name = self._text(left).removeprefix("module.").removeprefix("exports.")
                return (name, right) if name.replace(".", "").replace("_", "").replace("$", "").isalnum() else None
        return None

    def _open(self, node: Node, name: str, function: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        outer, outer_kind, _, _ = self.scopes[place.scope]
        symbol = name if place.scope == 0 else f"{outer}.{name}"
        is_class = node.type == "class_declaration"
        kind: ScopeKind = "class" if is_class else "method" if outer_kind == "class" else "function"
        span = self._lines(_exported(node))
        body = function if function.type == "class_body" else function.child_by_field_name("body")
        inside = body.named_children if body is not None and body.type in _BLOCKS else []
        last = self._header_last(span[0], inside[0] if inside else None, span[1])
        self.scopes.append((symbol, kind, span, (span[0], last)))
        scope = len(self.scopes) - 1
        header = self._evidence(scope, span[0], last)
        if body is not None and body.type not in _BLOCKS:  # an arrow function that is an expression
            self.behaviors.append((scope, self._lines(body)[0], "return", (), header, span))
            return
        yield from ((child, _Place(scope, ())) for child in inside)

    def _control(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        first, end = self._lines(node)
        blocks = [child for child in node.named_children if child.type in _BLOCKS | _CLAUSES | _STATEMENTS | _CONTROLS]
        inside = _first_statement(blocks[0]) if blocks else None
        last = self._header_last(first, inside, end)
        conditions = (*place.conditions, self._evidence(place.scope, first, last))
        yield from ((block, _Place(place.scope, conditions)) for block in blocks)

    def _clause(self, node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
        first, end = self._lines(node)
        children = [child for child in node.named_children if child.type in _BLOCKS | _STATEMENTS | _CONTROLS]
        inside = _first_statement(children[0]) if children else None
        conditions = place.conditions
        if inside is None or inside.type != "if_statement" or node.type != "else_clause":
            last = self._header_last(first, inside, end)
            conditions = (*conditions, self._evidence(place.scope, first, last))
        yield from ((child, _Place(place.scope, conditions)) for child in children)

    def _statement(self, node: Node, place: _Place) -> None:
        first, last = self._lines(node)
        evidence = self._evidence(place.scope, first, last)
        result_type = _ENDINGS.get(node.type)
        lines = self.scopes[place.scope][2]
        found: list[tuple[int, ResultType]] = [] if result_type is None else [(first, result_type)]
        if node.type == "import_statement":
            self._import(node)
        elif node.type in ("lexical_declaration", "variable_declaration") and place.scope == 0:
            found.append((first, "state_write"))
        found.extend(self._effects(node))
        self.behaviors.extend(
            (place.scope, line, effect, place.conditions, evidence, lines) for line, effect in dict.fromkeys(found)
        )

    def _effects(self, statement: Node) -> Iterator[tuple[int, ResultType]]:
        """Yield (line, effect) of what a statement does outside the functions in it."""
        stack = [statement]
        while stack:
            node = stack.pop()
            if node.type in _FUNCTIONS:
                continue
            effect: ResultType | None = None
            if node.type == "yield_expression":
                effect = "yield"
            elif node.type in _WRITES:
                target = node.child_by_field_name("left") or node.child_by_field_name("argument")
                is_state = target is not None and target.type in ("member_expression", "subscript_expression")
                effect = "state_write" if is_state else None
            elif node.type == "call_expression":
                effect = self._call(node)
            if effect is not None:
                yield self._lines(node)[0], effect
            stack.extend(reversed(node.named_children))

    def _call(self, node: Node) -> ResultType | None:
        callee = node.child_by_field_name("function")
        if callee is None:
            return None
        label = self._text(callee)
        if label in _OUTPUT:
            return "output"
        return "external_call" if label in _CALLS_OUT or label.split(".")[0] in self.outside else None

    def _import(self, node: Node) -> None:
        """Remember the names that an import from outside the project binds."""
        module = node.child_by_field_name("source")
        if module is None or self._text(module).strip("\"'").startswith((".", "/")):
            return
        stack = [child for child in node.named_children if child != module]
        while stack:
            part = stack.pop()
            if part.type == "identifier":
                self.outside.add(self._text(part))
            stack.extend(part.named_children)

    # -- places -------------------------------------------------------------------------------------------------------

    def _lines(self, node: Node) -> tuple[int, int]:
        end = max(node.end_byte - 1, node.start_byte)
        return bisect_right(self.starts, node.start_byte), bisect_right(self.starts, end)

    def _header_last(self, first: int, inside: Node | None, end: int) -> int:
        return max(first, self._lines(inside)[0] - 1) if inside is not None else end

    def _evidence(self, scope: int, first: int, last: int) -> int:
        return self.found.setdefault((self.scopes[scope][0], first, last), len(self.found))

    def _text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _name(self, node: Node) -> str:
        name = node.child_by_field_name("name")
        return "default" if name is None else self._text(name)


def _exported(node: Node) -> Node:
    """Return the export statement around a declaration, or the declaration."""
    parent = node.parent
    return parent if parent is not None and parent.type == "export_statement" else node


def _first_statement(node: Node) -> Node | None:
    """Return the first statement in a block, or the node itself if it is one."""
    while node.type in _BLOCKS or node.type == "else_clause":
        children = node.named_children
        if not children:
            return None
        node = children[0]
    return node
