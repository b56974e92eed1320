"""What one Python file says about names: the facts that linking works from.

A pure function of the file's tables. Nothing is resolved here: names are written down with the place where they are
read or bound, and values as far as `_names_expressions` follows them. Facts pickle and compare by value.

The classes below describe rows. `NameFacts` holds the rows as plain tuples in the order of the fields: a file has
hundreds, and named tuples cost seven times as much to make and to send to another process. Whoever reads a row gives
it its names again with `_make`.

Numbers of scopes are indices of `NameFacts.scopes` (a symbol that is defined twice has two), numbers of evidence are
those of the file, positions are byte offsets. What stands in a header (decorators, defaults, bases) is evaluated in
the scope around the definition, so it is noted there, though its evidence belongs to the definition.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from ebg.model import ScopeKind
from ebg.repository._names_expressions import Expression

__all__ = [
    "ASSIGNED",
    "AUGMENTED",
    "BOUND",
    "DECLARED",
    "DELETED",
    "NARROWED",
    "NO_NAMES",
    "AttributeBinding",
    "Binding",
    "Branching",
    "Call",
    "Decoration",
    "Import",
    "Item",
    "Lambda",
    "NameFacts",
    "Parameter",
    "Protocol",
    "Read",
    "ReturnedValue",
    "Row",
    "ScopeNames",
    "Write",
    "named_binding",
]

# Kinds of bindings. Only the first three change the state of a module or class.
ASSIGNED, AUGMENTED, DELETED, BOUND, DECLARED, NARROWED = range(6)


class Import(NamedTuple):
    """One name of an `import` or `from ... import` statement."""

    module: str
    """Dotted name, without the leading dots; empty in `from . import x`."""
    level: int
    """Number of leading dots."""
    name: str | None
    """The imported name, `*`, or None for `import module`."""
    top: bool
    """`import a.b` without `as`: the bound name is the top package `a`."""


class Parameter(NamedTuple):
    """A parameter of a function."""

    name: str
    kind: str
    """`` (by position or name), `*`, `**`, or `k` (by name only)."""
    annotation: str | None
    default: Expression


class Decoration(NamedTuple):
    """A decorator: a call of `function` with the definition, made in the scope around it."""

    position: int
    evidence: int
    function: Expression


class ScopeNames(NamedTuple):
    """A module, class or function definition."""

    symbol: str
    kind: ScopeKind
    parent: int
    """-1 for the module."""
    start: int
    """First byte of the definition, after its decorators."""
    branch: int
    """Branch of the parent that the definition stands in."""
    decorators: tuple[Decoration, ...]
    bases: tuple[Expression, ...]
    parameters: tuple[Parameter, ...]
    returns: str | None
    """The annotation of the result."""

    @classmethod
    def of(cls, row: Row) -> ScopeNames:
        """Return a row of `NameFacts.scopes` with all its names."""
        named = cls._make(row)
        if not (named.decorators or named.parameters):
            return named
        return named._replace(
            decorators=tuple(map(Decoration._make, named.decorators)),
            parameters=tuple(map(Parameter._make, named.parameters)),
        )


class Binding(NamedTuple):
    """A name gets a value."""

    scope: int
    name: str
    position: int
    """From here on the name has the value."""
    start: int
    """Where the value is evaluated."""
    branch: int
    evidence: int
    kind: int
    value: Expression
    annotation: str | None
    first: int
    """With `last` the only bytes in which the binding holds (targets of comprehensions, parameters of lambdas, names
    whose type a test has narrowed); both 0 where it holds in the whole scope."""
    last: int


class AttributeBinding(NamedTuple):
    """An attribute gets a value: `self.pool = Pool()`."""

    scope: int
    start: int
    branch: int
    owner: Expression
    attribute: str
    value: Expression
    annotation: str | None
    evidence: int


class Item(NamedTuple):
    """A container gets an element: `handlers["x"] = f`, `hooks.append(f)`."""

    scope: int
    start: int
    branch: int
    container: Expression
    key: Expression
    """None when the key is not known; `("|",)` for `update` and `extend`, whose value is a container."""
    value: Expression


class Call(NamedTuple):
    """A call expression."""

    scope: int
    position: int
    branch: int
    evidence: int
    callee: Expression
    arguments: tuple[tuple[str, Expression], ...]
    """(keyword, value); the keyword is empty for positional arguments, `*` and `**` for unpacked ones."""
    used: bool
    """Whether anything is done with the result: it is not the whole of an expression statement, awaited or not."""
    line: int
    label: str
    """The text of the callee, shortened."""


class Protocol(NamedTuple):
    """A statement that calls methods of an object by protocol: `for`, `with`, or `raise` of a class."""

    kind: str
    scope: int
    position: int
    branch: int
    evidence: int
    value: Expression


class ReturnedValue(NamedTuple):
    """A `return` or `yield`."""

    scope: int
    position: int
    branch: int
    value: Expression
    yields: bool


class Lambda(NamedTuple):
    """A lambda expression; the names in it belong to the scope around it."""

    scope: int
    start: int
    end: int
    branch: int
    parameters: tuple[str, ...]
    body_position: int
    body: Expression


class Write(NamedTuple):
    """The attribute or the content of something is changed: `self.total += 1`, `self.items[0] = x`, `cache.clear()`."""

    scope: int
    chain: str
    position: int
    evidence: int
    content: bool
    """Whether the thing keeps its identity and only its content changes (item targets and calls of mutators)."""


class Read(NamedTuple):
    """A dotted chain, or a name that may be global, is read."""

    scope: int
    chain: str
    position: int
    branch: int
    evidence: int


class Branching(NamedTuple):
    """A block that may or may not run."""

    parent: int
    control: int
    """Number of the control statement; two branches of one control exclude each other if `exclusive`."""
    exclusive: bool
    first: int
    """With `last` the bytes of a loop, in which later bindings reach earlier reads; both 0 for other blocks."""
    last: int


Row: TypeAlias = tuple[Any, ...]
"""A row as a plain tuple."""

named_binding: Final = partial(tuple.__new__, Binding)
"""Give a row of `NameFacts.bindings` its names, faster than `_make` does."""


class NameFacts(NamedTuple):
    """All facts of one file about names."""

    scopes: tuple[Row, ...]
    """Rows of `ScopeNames`, with plain rows of `Decoration` and `Parameter` inside; by number."""
    branches: tuple[Row, ...]
    """Rows of `Branching`, by number."""
    imports: tuple[Row, ...]
    """Rows of `Import`."""
    stars: tuple[int, ...]
    """Numbers of the imports `from m import *`."""
    bindings: tuple[Row, ...]
    """Rows of `Binding`, by position."""
    outer_names: tuple[tuple[int, str, bool], ...]
    """(scope, name, True for `global` and False for `nonlocal`)."""
    attributes: tuple[Row, ...]
    """Rows of `AttributeBinding`, by first byte."""
    items: tuple[Row, ...]
    """Rows of `Item`, by first byte."""
    calls: tuple[Row, ...]
    """Rows of `Call` by first byte, outer before inner."""
    protocols: tuple[Row, ...]
    """Rows of `Protocol`, by position."""
    results: tuple[Row, ...]
    """Rows of `ReturnedValue`, by position."""
    lambdas: tuple[Row, ...]
    """Rows of `Lambda`, by first byte."""
    writes: tuple[Row, ...]
    """Rows of `Write`, by position."""
    reads: tuple[Row, ...]
    """Rows of `Read`, by position."""


NO_NAMES: Final = NameFacts(
    scopes=(("<module>", "module", -1, 0, -1, (), (), (), None),),
    branches=(),
    imports=(),
    stars=(),
    bindings=(),
    outer_names=(),
    attributes=(),
    items=(),
    calls=(),
    protocols=(),
    results=(),
    lambdas=(),
    writes=(),
    reads=(),
)
"""The facts of a file that says nothing."""
