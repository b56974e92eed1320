"""What a file does with names: calls, protocols, results, reads and writes of state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ebg.repository._names_expressions import CHAIN, EACH, LITERAL, UNION, Expression, first_child
from ebg.repository._names_facts import ASSIGNED, AUGMENTED, DELETED, Row
from ebg.repository._names_places import Places
from ebg.repository._syntax import LOAD

__all__ = ["MUTATORS", "read_calls", "read_items", "read_protocols", "read_reads", "read_results", "read_writes"]

MUTATORS = frozenset(
    (
        *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft"),
        *("remove", "setdefault", "sort", "update"),
    )
)
"""Methods that change a container (specification part 2.3, and their relatives of deque and dict)."""

_ADDERS = {"append": 0, "appendleft": 0, "add": 0, "insert": 1}
_MERGERS = frozenset(("update", "extend"))
_MERGE: Expression = (UNION,)
_AUGMENTS = re.compile(rb"\s*(?:[-+%@&|^]|\*\*?|//?|>>|<<)=")
_KEYWORD = re.compile(rb"\s*([A-Za-z_\x80-\xff][\w\x80-\xff]*)\s*=(?!=)\s*")
_PLAIN_ARGUMENTS = re.compile(rb"\([\s\w.,=*\x80-\xff-]*\)")
_LONGEST_LABEL = 80
_CALL_STATEMENT = frozenset((b"", b"await"))
_DECLARING = frozenset(("import", "global", "nonlocal"))
_DOT = 0x2E


def read_calls(places: Places) -> list[Row]:
    """Return the rows of `Call`."""
    statements = {node.end_byte: node.start_byte for node in places.syntax.captures.get("expression", ())}
    source, words, line = places.source, places.reader.words, places.syntax.line
    scopes, branches, evidence = places.scope, places.branch, places.evidence
    found = []
    for start, _, end, callee_end, text, row, node in places.calls:
        statement = statements.get(end, -1)
        used = statement < 0 or source[statement:start].strip() not in _CALL_STATEMENT
        callee = words[text] if CHAIN.fullmatch(text) else places.read(node.children[0])
        given = _arguments(node.children[-1], places) if end - callee_end > 2 else ()
        label = callee if isinstance(callee, str) else words[text[:_LONGEST_LABEL]]
        found.append((scopes[row], start, branches[row], evidence[row], callee, given, used, line(start), label))
    return found


def _arguments(listed: Node, places: Places) -> tuple[tuple[str, Expression], ...]:
    text = places.source[listed.start_byte : listed.end_byte]
    known = places.plain_arguments.get(text)
    if known is not None:
        return known
    if _PLAIN_ARGUMENTS.fullmatch(text):
        known = places.plain_arguments[text] = tuple(_plain_arguments(text[1:-1], places))
        return known
    if listed.type == "generator_expression":
        return (("", places.read(listed)),)
    found: list[tuple[str, Expression]] = []
    for child in listed.named_children:
        kind = child.type
        if kind == "keyword_argument":
            children = child.children
            found.append((places.text(children[0]), places.read(children[-1])))
        elif kind == "list_splat":
            found.append(("*", places.read(first_child(child))))
        elif kind == "dictionary_splat":
            found.append(("**", places.read(first_child(child))))
        elif kind != "comment":
            found.append(("", places.read(child)))
    return tuple(found)


def _plain_arguments(text: bytes, places: Places) -> Iterator[tuple[str, Expression]]:
    """Yield arguments that are names, chains and numbers without looking at their nodes: most are."""
    words = places.reader.words
    for part in text.split(b","):
        keyword = ""
        match = _KEYWORD.match(part)
        if match is not None:
            keyword = words[match[1]]
        value = part[match.end() if match is not None else 0 :].strip()
        if value.startswith(b"*"):
            keyword = "**" if value.startswith(b"**") else "*"
            value = value.lstrip(b"* \t\n")
        if value or keyword:
            yield keyword, _plain(value, places)


def _plain(text: bytes, places: Places) -> Expression:
    if text in (b"True", b"False"):
        return None
    if text == b"None":
        return (LITERAL, None)
    if CHAIN.fullmatch(text):
        return places.reader.words[text]
    return (LITERAL, int(text)) if text.isdigit() and len(text) < 10 else None


def read_items(calls: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows of `Item` for what calls add to containers."""
    for scope, position, branch, _, callee, arguments, _, _, _ in calls:
        if not arguments or not isinstance(callee, str):
            continue
        container, _, method = callee.rpartition(".")
        if not container:
            continue
        if method in _ADDERS:
            index = _ADDERS[method]
            if len(arguments) > index and arguments[index][1] is not None:
                yield (scope, position, branch, container, None, arguments[index][1])
        elif method in _MERGERS and arguments[0][1] is not None:
            yield (scope, position, branch, container, _MERGE, arguments[0][1])
        elif method == "setdefault" and len(arguments) == 2 and arguments[1][1] is not None:
            yield (scope, position, branch, container, arguments[0][1], arguments[1][1])


def read_protocols(places: Places) -> list[Row]:
    """Return the rows of `Protocol` whose object can be followed, by position."""
    captures = places.syntax.captures
    found: list[Row] = []

    def add(kind: str, node: Node | None) -> None:
        value = places.read(node)
        row = places.row(node.start_byte) if node is not None and value is not None else -1
        if node is not None and row >= 0:
            found.append((kind, places.scope[row], node.start_byte, places.branch[row], places.evidence[row], value))

    for node in captures.get("for", ()):
        add("for", node.child_by_field_name("right"))
    for node in captures.get("comprehension", ()):
        for clause in node.named_children:
            if clause.type == "for_in_clause":
                add("for", clause.child_by_field_name("right"))
    for node in captures.get("with", ()):
        for clause in node.named_children:
            for item in clause.named_children if clause.type == "with_clause" else ():
                value = item.child_by_field_name("value")
                add("with", first_child(value) if value is not None and value.type == "as_pattern" else value)
    for node in captures.get("raise", ()):
        raised = first_child(node)
        if raised is not None and raised.type in ("identifier", "attribute"):
            add("raise", raised)
    found.sort(key=lambda row: (row[2], row[0]))
    return found


def read_results(places: Places) -> list[Row]:
    """Return the rows of `ReturnedValue`, by position."""
    found: list[Row] = []
    for capture, yields in (("return", False), ("yield", True)):
        for node in places.syntax.captures.get(capture, ()):
            row = places.row(node.start_byte)
            children = node.children
            if row < 0 or (len(children) < 2 and not yields):
                continue
            value = places.read(children[-1]) if len(children) > 1 else None
            if yields and len(children) > 2:  # yield from
                value = (EACH, value)
            found.append((places.scope[row], node.start_byte, places.branch[row], value, yields))
    found.sort(key=lambda row: (row[1], row[4]))
    return found


def read_writes(places: Places, calls: Iterable[Row]) -> list[Row]:
    """Return the rows of `Write`, by position."""
    source, words = places.source, places.reader.words
    found: list[Row] = []
    for node in places.syntax.captures.get("target", ()):
        start = node.start_byte
        match = CHAIN.match(source, start)
        row = places.row(start)
        if match is None or row < 0:
            continue
        whole = match.end() == node.end_byte
        if whole or source[match.end() : match.end() + 1] == b"[":
            found.append((places.scope[row], words[match[0]], start, places.evidence[row], not whole))
    for scope, position, _, evidence, callee, _, _, _, _ in calls:
        if isinstance(callee, str):
            receiver, _, method = callee.rpartition(".")
            if method in MUTATORS and receiver:
                found.append((scope, receiver, position, evidence, True))
    found.sort(key=lambda row: (row[2], row[1]))
    return found


def read_reads(places: Places, bindings: Iterable[Row], outer: Iterable[tuple[int, str, bool]]) -> list[Row]:
    """Return the rows of `Read`: dotted chains, and names that may mean a global of a module, by position.

    A chain that is only assigned to is not read; one whose content is changed or that is augmented is.
    """
    source, words = places.source, places.reader.words
    assigned = {
        (node.start_byte, node.end_byte)
        for node in places.syntax.captures.get("target", ())
        if node.type == "attribute" and not _AUGMENTS.match(source, node.end_byte)
    }
    state = {name.encode() for _, name, is_global in outer if is_global}
    for scope, name, _, _, _, _, kind, value, _, _, _ in bindings:
        if (scope == 0 and kind in (ASSIGNED, AUGMENTED, DELETED)) or (type(value) is tuple and value[0] == "import"):
            state.add(name.encode())
    limit = len(source) - 1
    read: list[tuple[int, bytes]] = []
    for start, end, role in places.syntax.names:
        if role != LOAD:
            continue
        if end < limit and source[end] == _DOT:
            match = CHAIN.match(source, start)
            if match is not None and (start, match.end()) not in assigned:
                read.append((start, match[0]))
        elif (name := source[start:end]) in state:
            read.append((start, name))
    kinds = places.syntax.statements.kind
    scopes, branches, evidence = places.scope, places.branch, places.evidence
    found: list[Row] = []
    seen: set[tuple[int, bytes, int]] = set()
    for (start, chain), row in zip(read, places.rows(start for start, _ in read), strict=True):
        if row < 0 or kinds[row] in _DECLARING:
            continue
        key = (scopes[row], chain, evidence[row])
        if key not in seen:
            seen.add(key)
            found.append((scopes[row], words[chain], start, branches[row], evidence[row]))
    return found
