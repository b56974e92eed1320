"""The tree-sitter grammar of Python, and the one query that finds everything a build needs.

One parse and one query a file: running a query is cheaper than walking the tree from Python. `QueryCursor.captures`
gives the nodes of a capture in no fixed order, so whoever reads them sorts by byte offset.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

__all__ = ["STATEMENTS", "Parsed", "parse"]

# Node type -> kind. Every statement, clause and decorator; the order of a file's rows follows from their bytes.
STATEMENTS = {
    "assert_statement": "assert",
    "break_statement": "break",
    "case_clause": "case",
    "class_definition": "class",
    "continue_statement": "continue",
    "decorator": "decorator",
    "delete_statement": "delete",
    "elif_clause": "elif",
    "else_clause": "else",
    "except_clause": "except",
    "exec_statement": "expression",
    "expression_statement": "expression",
    "finally_clause": "finally",
    "for_statement": "for",
    "function_definition": "function",
    "future_import_statement": "import",
    "global_statement": "global",
    "if_statement": "if",
    "import_from_statement": "import",
    "import_statement": "import",
    "match_statement": "match",
    "nonlocal_statement": "nonlocal",
    "pass_statement": "pass",
    "print_statement": "print",
    "raise_statement": "raise",
    "return_statement": "return",
    "try_statement": "try",
    "type_alias_statement": "type",
    "while_statement": "while",
    "with_statement": "with",
}

_NAMES = """
(identifier) @name
(attribute attribute: (identifier) @attribute)
(keyword_argument name: (identifier) @keyword)
(keyword_pattern . (identifier) @keyword)
(function_definition name: (identifier) @definition)
(class_definition name: (identifier) @definition)
(assignment left: (identifier) @store)
(augmented_assignment left: (identifier) @augment)
(pattern_list (identifier) @store)
(tuple_pattern (identifier) @store)
(list_pattern (identifier) @store)
(list_splat_pattern (identifier) @store)
(dictionary_splat_pattern (identifier) @store)
(for_statement left: (identifier) @store)
(for_in_clause left: (identifier) @store)
(as_pattern_target (identifier) @store)
(as_pattern_target (tuple (identifier) @store))
(as_pattern_target (list (identifier) @store))
(named_expression name: (identifier) @store)
(named_expression name: (identifier) @walrus)
(assignment left: (identifier) @declared !right)
(parameters (identifier) @store)
(lambda_parameters (identifier) @store)
(default_parameter name: (identifier) @store)
(typed_default_parameter name: (identifier) @store)
(typed_parameter . (identifier) @store)
(case_pattern (dotted_name . (identifier) @store .))
(keyword_pattern (dotted_name . (identifier) @store .))
(splat_pattern (identifier) @store)
(case_pattern (as_pattern (identifier) @store .))
(type_alias_statement left: (type (identifier) @store))
(type_alias_statement left: (type (generic_type . (identifier) @store)))
(delete_statement (identifier) @delete)
(delete_statement (expression_list (identifier) @delete))
"""

# Attributes and subscripts that are written or deleted, not read.
_TARGETS = """
(assignment left: [(attribute) (subscript)] @target)
(augmented_assignment left: [(attribute) (subscript)] @target)
(pattern_list [(attribute) (subscript)] @target)
(tuple_pattern [(attribute) (subscript)] @target)
(list_pattern [(attribute) (subscript)] @target)
(list_splat_pattern [(attribute) (subscript)] @target)
(for_statement left: [(attribute) (subscript)] @target)
(as_pattern_target [(attribute) (subscript)] @target)
(delete_statement [(attribute) (subscript)] @target)
(delete_statement (expression_list [(attribute) (subscript)] @target))
"""

_EXPRESSIONS = """
(call) @call
(yield) @yield
(lambda) @lambda
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @comprehension
(assignment) @assignment
(if_statement condition: (_) @test)
(elif_clause condition: (_) @test)
(while_statement condition: (_) @test)
(assert_statement . (_) @test)
(ERROR) @error
(MISSING) @missing
"""


class Parsed(NamedTuple):
    """A syntax tree and the nodes that the query found in it."""

    tree: Tree
    captures: dict[str, list[Node]]
    """Nodes by capture name, in no fixed order. A name that captured nothing is absent."""


@functools.cache
def _machine() -> tuple[Parser, QueryCursor]:
    language = Language(tree_sitter_python.language())
    statements = "\n".join(f"({node}) @{kind}" for node, kind in STATEMENTS.items())
    query = Query(language, statements + _NAMES + _TARGETS + _EXPRESSIONS)
    return Parser(language), QueryCursor(query)


def parse(source: bytes) -> Parsed:
    """Parse Python source of any version, broken or not, and collect the nodes of interest.

    Args:
        source: UTF-8 text in which every line ends with one line feed (see `normal_newlines`).
    """
    parser, cursor = _machine()
    tree = parser.parse(source)
    return Parsed(tree, cursor.captures(tree.root_node))
