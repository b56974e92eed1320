"""Who changes which state, and who reads it: `feeds` relations through attributes and globals.

A piece of state is an attribute of a class (written as `self.x`, through the class, or in the class body) or a global
of a module. An attribute belongs to the topmost class of the order that writes it, so a base and its subclasses share
it. Changing the content of something (`self.items.append(x)`, `self.items[0] = x`, `self.total += 1`) writes and reads.

Writers times readers can explode: a class with m methods around one field would give m * (m - 1) relations. Up to
`MOST_PAIRS` pairs a piece of state gives all of them; beyond, its first writer feeds every reader and every writer
feeds its first reader, which keeps every scope connected with writers + readers relations. First is the class body or
the module, then `__init__`, then the order of files and lines.

The reference's rules (specification part 3.3, ebg-method) know only `self` and `cls` by name, neither bases nor class
bodies, and have no bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain as chain_of
from itertools import product
from typing import NamedTuple, TypeAlias

from ebg.repository._names_expressions import DEFINED, IMPORTED
from ebg.repository._names_facts import ASSIGNED, AUGMENTED, DECLARED, DELETED, NARROWED
from ebg.repository._resolve_evaluate import Evaluator
from ebg.repository._resolve_modules import Module
from ebg.repository._resolve_names import FileNames
from ebg.repository._resolve_reference import ReferenceRules

__all__ = ["MOST_PAIRS", "StateFeed", "state_feeds", "state_feeds_of_reference"]

MOST_PAIRS = 100
"""More than any class of the packages measured has by far (networkx and django: at most 95)."""

_Key: TypeAlias = tuple[int, int, str]
"""(file, number of the class or 0 for the module, name)."""
_LONGEST_REEXPORT = 10
_STATE = frozenset((ASSIGNED, AUGMENTED, DELETED))


class StateFeed(NamedTuple):
    """One piece of state that a scope writes and another one reads."""

    writer: tuple[int, int]
    """(file, scope number)."""
    reader: tuple[int, int]
    name: str
    evidence: tuple[tuple[int, int], ...]
    """(file, evidence of the file)."""


_Scope: TypeAlias = tuple[int, int]


class _Uses:
    """Writes and reads of each piece of state: key -> scope -> numbers of evidence of the scope's file."""

    def __init__(self) -> None:
        self.writes: dict[_Key, dict[_Scope, list[int]]] = {}
        self.reads: dict[_Key, dict[_Scope, list[int]]] = {}

    def write(self, key: _Key, scope: _Scope, evidence: int) -> None:
        self.writes.setdefault(key, {}).setdefault(scope, []).append(evidence)

    def read(self, key: _Key, scope: _Scope, evidence: int) -> None:
        self.reads.setdefault(key, {}).setdefault(scope, []).append(evidence)

    def rename(self, owner: Callable[[_Key], _Key]) -> None:
        """Give the uses of a key to the key that owns it."""
        for table in (self.writes, self.reads):
            for key in [key for key in table if owner(key) != key]:
                into = table.setdefault(owner(key), {})
                for scope, evidence in table.pop(key).items():
                    into.setdefault(scope, []).extend(evidence)


def state_feeds(evaluator: Evaluator) -> Iterator[StateFeed]:
    """Yield the feeds by state of the default rules."""
    finder = _Finder(evaluator)
    uses = _Uses()
    for file, names in enumerate(evaluator.files):
        for scope, name, _, _, _, evidence, kind, _, _, _, _ in names.facts.bindings:
            key = finder.bound(file, scope, name) if kind in _STATE else None
            if key is not None:
                uses.write(key, (file, scope), evidence)
                if kind == AUGMENTED:
                    uses.read(key, (file, scope), evidence)
        for scope, chain, position, evidence, content in names.facts.writes:
            found = finder.key(file, scope, chain, position)
            if found is not None:
                uses.write(found[0], (file, scope), evidence)
                if content or not found[1]:
                    uses.read(found[0], (file, scope), evidence)
    owner = _owner(evaluator, uses.writes)
    uses.rename(owner)
    for file, names in enumerate(evaluator.files):
        for scope, chain, position, _, evidence in names.facts.reads:
            found = finder.key(file, scope, chain, position)
            if found is not None:
                key = owner(found[0])
                if key in uses.writes:
                    uses.read(key, (file, scope), evidence)
    return _feeds(evaluator.files, uses, MOST_PAIRS)


def _owner(evaluator: Evaluator, writes: Mapping[_Key, object]) -> Callable[[_Key], _Key]:
    """Return the function that says which class a piece of state belongs to: the topmost one that writes it."""
    written = frozenset(writes)
    found: dict[_Key, _Key] = {}

    def owner(key: _Key) -> _Key:
        if key not in found:
            file, scope, name = key
            keys = [(*class_id, name) for class_id in evaluator.members.order((file, scope))] if scope else [key]
            found[key] = next((other for other in reversed(keys) if other in written), key)
        return found[key]

    return owner


class _Finder:
    """Says which piece of state a chain means."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._members: dict[_Key, bool] = {}
        self._roots: dict[tuple[int, int, str], _Key | Module | None] = {}

    def bound(self, file: int, scope: int, name: str) -> _Key | None:
        """Return the state that binding a name in a scope changes."""
        names = self._evaluator.files[file]
        if (scope, name) in names.outer:
            scope = names.variable(scope, name).owner
        if scope >= 0 and names.scopes[scope].kind in ("module", "class"):
            return (file, scope, name)
        return None

    def key(self, file: int, scope: int, chain: str, position: int) -> tuple[_Key, bool] | None:
        """Return the state at the beginning of a chain, and whether it is all of the chain; None for no state."""
        name, _, rest = chain.partition(".")
        place = (file, scope, name)
        if place not in self._roots:
            self._roots[place] = self._root(file, scope, name)
        root = self._roots[place]
        if root is None:
            return None
        for row in self._evaluator.files[file].variable(scope, name).limited:
            if row.kind != NARROWED and row.first <= position < row.last:
                return None
        while isinstance(root, Module) and rest:
            name, _, rest = rest.partition(".")
            root = self._global(root, name)
        if root is None or isinstance(root, Module):
            return None
        if not root[2]:
            name, _, rest = rest.partition(".")
            root = (root[0], root[1], name)
        return (root, not rest) if root[2] and self._is_state(root) else None

    def _is_state(self, key: _Key) -> bool:
        """Say whether a member of a class is state: methods, properties and nested classes are not."""
        file, scope, name = key
        if not scope:
            return True
        known = self._members.get(key)
        if known is None:
            files = self._evaluator.files
            rows = (
                row
                for class_file, class_scope in self._evaluator.members.order((file, scope))
                for row in files[class_file].bound.get((class_scope, name), ())
            )
            known = self._members[key] = not any(row.kind == DECLARED for row in rows)
        return known

    def _root(self, file: int, scope: int, name: str) -> _Key | Module | None:
        """Return the state or module that a name means; a key without a name stands for the class."""
        evaluator = self._evaluator
        receiver = evaluator.functions.receiver_class(file, scope, name)
        if receiver >= 0:
            return (file, receiver, "")
        owner = evaluator.files[file].variable(scope, name).owner
        if owner == 0:
            return self._global(Module(file, ""), name)
        if owner > 0 and evaluator.files[file].scopes[owner].kind == "class":
            return (file, owner, name)
        return None

    def _global(self, module: Module, name: str) -> _Key | Module | None:
        """Follow a global name of a module through imports to where it is assigned."""
        evaluator = self._evaluator
        for _ in range(_LONGEST_REEXPORT):
            rows = evaluator.files[module.file].bound.get((0, name), ()) if module.file >= 0 else ()
            value = rows[-1].value if rows else None
            tag, number = value[:2] if isinstance(value, tuple) else ("", 0)
            if tag == DEFINED:
                is_class = evaluator.files[module.file].scopes[number].kind == "class"
                return (module.file, number, "") if is_class else None
            if tag != IMPORTED:
                return (module.file, 0, name) if rows else evaluator.modules.below(module, name)
            imported = evaluator.files[module.file].imports[number]
            source = imported.module.partition(".")[0] if imported.top else imported.module
            found = evaluator.modules.find(module.file, source, imported.level)
            if found is None or imported.name is None:
                return found
            module, name = found, imported.name
        return None


def state_feeds_of_reference(
    files: Sequence[FileNames], rules: ReferenceRules, writing: Sequence[Set[str]], behaving: Sequence[Set[str]]
) -> Iterator[StateFeed]:
    """Yield the feeds by state of the reference's rules.

    Args:
        files: the names of the files.
        rules: the reference's rules, for imports.
        writing: for each file the symbols that own a behavior that writes state.
        behaving: for each file the symbols that own a behavior.
    """
    uses = _Uses()
    local = [{(row[0], row[1]) for row in names.facts.bindings} - names.outer.keys() for names in files]

    def key(file: int, scope: int, chain: str, *, whole: bool) -> _Key | None:
        name, _, rest = chain.partition(".")
        first, _, more = rest.partition(".")
        if name in ("self", "cls"):
            return None if not rest or (whole and more) else (file, files[file].scopes[scope].parent, first)
        for row in rules.imported(file, scope, name):
            module = rules.module(file, row.module, row.level)
            wanted = first if row.name is None else row.name
            if module is not None:
                return (module, 0, wanted) if wanted else None
        return (file, 0, name) if scope == 0 or (scope, name) not in local[file] else None

    for file, names in enumerate(files):
        writers = {number for number, scope in enumerate(names.scopes) if scope.symbol in writing[file]}
        for scope, name, _, _, _, evidence, kind, _, _, _, _ in names.facts.bindings:
            found = key(file, scope, name, whole=True) if kind in _STATE and scope in writers else None
            if found is not None:
                uses.write(found, (file, scope), evidence)
        for scope, chain, _, evidence, _ in names.facts.writes:
            found = key(file, scope, chain, whole=True) if scope in writers else None
            if found is not None:
                uses.write(found, (file, scope), evidence)
    for file, names in enumerate(files):
        for scope, chain, _, _, evidence in names.facts.reads:
            found = key(file, scope, chain, whole=False)
            if found in uses.writes and names.scopes[scope].symbol in behaving[file]:
                uses.read(found, (file, scope), evidence)
    return _feeds(files, uses, None)


def _feeds(files: Sequence[FileNames], uses: _Uses, most_pairs: int | None) -> Iterator[StateFeed]:
    def order(scope: _Scope) -> tuple[int, int, int]:
        row = files[scope[0]].scopes[scope[1]]
        rank = 0 if row.kind in ("module", "class") else 1 if row.symbol.endswith(".__init__") else 2
        return (rank, *scope)

    for key in sorted(uses.writes):
        writes, reads = uses.writes[key], uses.reads.get(key, {})
        writers, readers = sorted(writes, key=order), sorted(reads, key=order)
        for writer, reader in _pairs(writers, readers, most_pairs):
            evidence = [(writer[0], number) for number in writes[writer]]
            evidence += [(reader[0], number) for number in reads[reader]]
            yield StateFeed(writer, reader, key[2], tuple(dict.fromkeys(evidence)))


def _pairs(
    writers: Sequence[_Scope], readers: Sequence[_Scope], most_pairs: int | None
) -> Iterator[tuple[_Scope, _Scope]]:
    """Yield writer and reader of each relation of one piece of state."""
    if most_pairs is None or len(writers) * len(readers) <= most_pairs:
        chosen: Iterable[tuple[_Scope, _Scope]] = product(writers, readers)
    else:
        chosen = chain_of(
            ((writers[0], reader) for reader in readers),
            ((writer, readers[0]) for writer in writers[1:]),
        )
    return (pair for pair in chosen if pair[0] != pair[1])
