"""The graph of RepoGraph: definitions, calls matched by bare name, contain and invoke (ebg-method.md, part 8).

Parsed with tree-sitter, which reads what `ast` refuses: Python 2, half-edited files, null bytes. Nothing recurses, so
depth of nesting does not matter. Names are matched by spelling alone; that is the method's idea, and its weakness.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language, Node, Parser

__all__ = ["NameGraph", "NameNode", "build_name_graph"]

_COMMON_NAMES = frozenset(dir(builtins)) | frozenset(
    name for kind in (list, dict, set, str, tuple) for name in dir(kind)
)


@dataclass(slots=True)
class NameNode:
    """A definition, or a call of a name that some definition has."""

    name: str
    qualified: str
    """Dotted name of the definition; for a call that of the definition it stands in, or `<module>`."""
    kind: str
    """`function`, `class` or `call`."""
    path: str
    start: int
    end: int
    contains: list[NameNode] = field(default_factory=list)
    """Definitions directly inside."""
    invokes: list[NameNode] = field(default_factory=list)
    """Calls that stand directly inside."""
    owner: NameNode | None = None
    """The definition that holds it, or None at module level."""

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """Order by place; wider nodes first at one line."""
        return (self.path, self.start, -self.end, self.qualified)


@dataclass(frozen=True, slots=True)
class NameGraph:
    """Definitions in order of path and line, and calls by bare name."""

    definitions: Sequence[NameNode]
    calls: dict[str, list[NameNode]]

    def around(self, root: NameNode) -> list[NameNode]:
        """Return `root`, every call of its bare name, and the direct neighbours of all these, each once."""
        same = sorted(self.calls.get(root.name, []), key=lambda node: node.sort_key)
        neighbours: list[NameNode] = [*root.contains, *root.invokes]
        if root.owner is not None:
            neighbours.append(root.owner)
        neighbours += [call.owner for call in same if call.owner is not None]
        unique: dict[int, NameNode] = {}
        for node in [root, *same, *sorted(neighbours, key=lambda node: node.sort_key)]:
            unique.setdefault(id(node), node)
        return list(unique.values())


def build_name_graph(sources: Iterable[tuple[str, bytes]]) -> NameGraph:
    """Return the graph over Python sources given as path and UTF-8 bytes."""
    definitions: list[NameNode] = []
    calls: list[NameNode] = []
    for path, source in sources:
        for node in _nodes(path, source):
            (calls if node.kind == "call" else definitions).append(node)
    known = {node.name for node in definitions} - _COMMON_NAMES
    by_name: dict[str, list[NameNode]] = {}
    for call in calls:
        if call.name in known:
            by_name.setdefault(call.name, []).append(call)
            if call.owner is not None:
                call.owner.invokes.append(call)
    return NameGraph(sorted(definitions, key=lambda node: node.sort_key), by_name)


@cache
def _parser() -> Parser:
    import tree_sitter_python

    return Parser(Language(tree_sitter_python.language()))


def _nodes(path: str, source: bytes) -> Iterator[NameNode]:
    waiting: list[tuple[Node, NameNode | None]] = [(_parser().parse(source).root_node, None)]
    while waiting:
        syntax, owner = waiting.pop()
        inner = owner
        if syntax.type in {"function_definition", "class_definition"}:
            definition = _definition(path, syntax, owner)
            if definition is not None:
                inner = definition
                if owner is not None:
                    owner.contains.append(definition)
                yield definition
        elif syntax.type == "call":
            name = _called_name(syntax)
            if name:
                qualified = owner.qualified if owner else "<module>"
                yield NameNode(name, qualified, "call", path, *_lines(syntax), owner=owner)
        waiting.extend((child, inner) for child in reversed(syntax.children))


def _definition(path: str, syntax: Node, owner: NameNode | None) -> NameNode | None:
    named = syntax.child_by_field_name("name")
    if named is None or named.text is None:
        return None
    name = named.text.decode("utf-8", "replace")
    qualified = f"{owner.qualified}.{name}" if owner else name
    parent = syntax.parent
    whole = parent if parent is not None and parent.type == "decorated_definition" else syntax
    kind = "class" if syntax.type == "class_definition" else "function"
    return NameNode(name, qualified, kind, path, *_lines(whole), owner=owner)


def _called_name(syntax: Node) -> str | None:
    function = syntax.child_by_field_name("function")
    if function is not None and function.type == "attribute":
        function = function.child_by_field_name("attribute")
    if function is None or function.type != "identifier" or function.text is None:
        return None
    return function.text.decode("utf-8", "replace")


def _lines(syntax: Node) -> tuple[int, int]:
    end = syntax.end_point.row + 1
    # A block may end at the start of the next line; that line is not part of it.
    if syntax.end_point.column == 0 and end > syntax.start_point.row + 1:
        end -= 1
    return syntax.start_point.row + 1, end
