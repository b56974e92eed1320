"""Expressions as small tuples, kept only as far as names can be followed through them.

An `Expression` is one of

- ``None``: nothing that can be followed (arithmetic, comparisons, formatted text, ...);
- a string: a name or a dotted chain that begins with a name, ``"self.pool.get"``;
- an integer: the call with this index in `NameFacts.calls`;
- a tuple that begins with a tag:

  ============================================  ==========================================================
  ``(LITERAL, value)``                          a short string, an integer or None
  ``(UNION, expression, ...)``                  one of several: ``a or b``, ``a if c else b``
  ``(ATTRIBUTE, expression, name)``             an attribute of something that is no chain: ``f().x``
  ``(ITEM, expression, key expression)``        ``a[key]``; the key of a slice is ``(SLICE, first item)``
  ``(SEQUENCE, position, (expression, ...))``   a list, tuple or set display
  ``(MAPPING, position, ((key, value), ...))``  a dict display
  ``(EACH, expression)``                        an element of what is iterated over
  ``(ENTERED, expression)``                     what a `with` statement binds
  ``(PART, expression, index)``                 one part of what is unpacked, counted from the end if negative
  ``(REST, expression, index)``                 the starred part of what is unpacked, from this index on
  ``(MADE, position, expression)``              a comprehension: many of `expression`, evaluated at `position`
  ``(LAMBDA, position)``                        the lambda that starts at `position`
  ``(INSTANCE, expression)``                    an instance of the class or classes (after `isinstance`)
  ``(DEFINED, scope number)``                   a function or class of the file
  ``(PARAMETER, index)``                        a parameter of the scope's function
  ``(IMPORTED, index)``                         the import with this index in `NameFacts.imports`
  ============================================  ==========================================================

Positions are byte offsets: what a name means depends on where it is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from tree_sitter import Node

__all__ = [
    "ATTRIBUTE",
    "CHAIN",
    "DEFINED",
    "EACH",
    "ENTERED",
    "IMPORTED",
    "INSTANCE",
    "ITEM",
    "LAMBDA",
    "LITERAL",
    "MADE",
    "MAPPING",
    "PARAMETER",
    "PART",
    "REST",
    "SEQUENCE",
    "SLICE",
    "UNION",
    "Expression",
    "ExpressionReader",
    "Tagged",
    "Words",
    "first_child",
]

Tagged: TypeAlias = tuple[Any, ...]
Expression: TypeAlias = str | int | Tagged | None

LITERAL: Final = "="
UNION: Final = "|"
ATTRIBUTE: Final = "."
ITEM: Final = "[]"
SLICE: Final = ":"
SEQUENCE: Final = "[,]"
MAPPING: Final = "{}"
EACH: Final = "for"
ENTERED: Final = "with"
PART: Final = "part"
REST: Final = "rest"
MADE: Final = "made"
LAMBDA: Final = "lambda"
INSTANCE: Final = "instance"
DEFINED: Final = "def"
PARAMETER: Final = "parameter"
IMPORTED: Final = "import"

CHAIN = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:\.[A-Za-z_\x80-\xff][\w\x80-\xff]*)*")
"""A name or a dotted chain, as it is almost always written: without spaces around the dots."""

_ONE_SUBSCRIPT = 4  # value, bracket, key, bracket
_DEEPEST = 12
"""Nested expressions beyond this depth are not followed; nothing is learned from them and the stack stays flat."""
_WIDEST = 200
"""Displays with more elements are not followed: they are tables of data."""
_LONGEST_TEXT = 200


def first_child(node: Node | None) -> Node | None:
    """Return the first named child of a node, or None."""
    return node.named_child(0) if node is not None and node.named_child_count else None


class Words(dict[bytes, str]):
    """Texts by their bytes, the same object for the same bytes: the facts of a file repeat their names."""

    def __missing__(self, text: bytes) -> str:
        word = self[text] = text.decode("utf-8", "replace")
        return word


class ExpressionReader:
    """Turns syntax nodes of one file into expressions."""

    def __init__(self, source: bytes, calls: Mapping[int, int]) -> None:
        self._source = source
        self._calls = calls
        """Index of a call by its end byte, which no two calls share."""
        self.words = Words()
        self._readers: dict[str, Callable[[Node, int], Expression]] = {
            "attribute": self._attribute,
            "call": self._call,
            "subscript": self._subscript,
            "none": lambda _node, _depth: (LITERAL, None),
            "string": self._string,
            "integer": self._integer,
            "parenthesized_expression": self._only_child,
            "await": self._only_child,
            "type": self._only_child,
            "list": self._sequence,
            "tuple": self._sequence,
            "set": self._sequence,
            "expression_list": self._sequence,
            "dictionary": self._mapping,
            "conditional_expression": self._conditional,
            "boolean_operator": self._boolean,
            "lambda": lambda node, _depth: (LAMBDA, node.start_byte),
            "list_comprehension": self._comprehension,
            "set_comprehension": self._comprehension,
            "generator_expression": self._comprehension,
            "assignment": self._assigned,
            "named_expression": self._assigned,
        }

    def read(self, node: Node | None, depth: int = 0) -> Expression:
        """Return the expression of a node; None for a missing node and for what cannot be followed."""
        if node is None:
            return None
        kind = node.type
        if kind == "identifier":
            return self.words[self._source[node.start_byte : node.end_byte]]
        reader = self._readers.get(kind)
        return reader(node, depth + 1) if reader is not None and depth < _DEEPEST else None

    def _attribute(self, node: Node, depth: int) -> Expression:
        text = self._source[node.start_byte : node.end_byte]
        if CHAIN.fullmatch(text):
            return self.words[text]
        children = node.children
        owner = self.read(children[0], depth)
        if owner is None:
            return None
        name = children[-1]
        attribute = self.words[self._source[name.start_byte : name.end_byte]]
        return f"{owner}.{attribute}" if isinstance(owner, str) else (ATTRIBUTE, owner, attribute)

    def _call(self, node: Node, _depth: int) -> Expression:
        return self._calls.get(node.end_byte)

    def _subscript(self, node: Node, depth: int) -> Expression:
        children = node.children
        value = self.read(children[0], depth)
        key = node.child_by_field_name("subscript")
        if value is None:
            return None
        if len(children) > _ONE_SUBSCRIPT:
            keys = node.children_by_field_name("subscript")
            return (ITEM, value, (SEQUENCE, children[1].start_byte, tuple([self.read(item, depth) for item in keys])))
        if key is not None and key.type == "slice":
            first = first_child(key)
            begins = first is not None and first.start_byte == key.start_byte
            start: Expression = self.read(first, depth) if begins else (LITERAL, 0)
            return (ITEM, value, (SLICE, start))
        return (ITEM, value, self.read(key, depth))

    def _string(self, node: Node, _depth: int) -> Expression:
        children = node.named_children
        if len(children) == 2:
            return (LITERAL, "")
        text = children[1]
        if len(children) != 3 or text.type != "string_content" or text.named_child_count:
            return None
        if text.end_byte - text.start_byte > _LONGEST_TEXT:
            return None
        return (LITERAL, self.words[self._source[text.start_byte : text.end_byte]])

    def _integer(self, node: Node, _depth: int) -> Expression:
        text = self._source[node.start_byte : node.end_byte]
        return (LITERAL, int(text)) if text.isdigit() and len(text) < 10 else None

    def _only_child(self, node: Node, depth: int) -> Expression:
        children = [child for child in node.named_children if child.type != "comment"]
        return self.read(children[0], depth) if len(children) == 1 else None

    def _sequence(self, node: Node, depth: int) -> Expression:
        if node.named_child_count > _WIDEST:
            return None
        elements = tuple(self.read(child, depth) for child in node.named_children if child.type != "comment")
        return (SEQUENCE, node.start_byte, elements)

    def _mapping(self, node: Node, depth: int) -> Expression:
        if node.named_child_count > _WIDEST:
            return None
        pairs = tuple(
            (self.read(child.child_by_field_name("key"), depth), self.read(child.child_by_field_name("value"), depth))
            for child in node.named_children
            if child.type == "pair"
        )
        return (MAPPING, node.start_byte, pairs)

    def _conditional(self, node: Node, depth: int) -> Expression:
        children = [child for child in node.named_children if child.type != "comment"]
        if len(children) != 3:
            return None
        return (UNION, self.read(children[0], depth), self.read(children[2], depth))

    def _boolean(self, node: Node, depth: int) -> Expression:
        right = self.read(node.child_by_field_name("right"), depth)
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type == "and":
            return right
        return (UNION, self.read(node.child_by_field_name("left"), depth), right)

    def _comprehension(self, node: Node, depth: int) -> Expression:
        body = node.child_by_field_name("body")
        return None if body is None else (MADE, body.start_byte, self.read(body, depth))

    def _assigned(self, node: Node, depth: int) -> Expression:
        return self.read(node.child_by_field_name("right") or node.child_by_field_name("value"), depth)
