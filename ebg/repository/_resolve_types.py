"""What annotations say that values are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ebg.repository._names_expressions import LITERAL, SEQUENCE, Expression
from ebg.repository._resolve_annotations import Annotation, read_annotation
from ebg.repository._resolve_names import END
from ebg.repository._resolve_values import (
    ALIAS,
    CLASS,
    CONTEXT,
    MANY,
    NOTHING,
    OBJECT,
    OUTSIDE,
    TABLE,
    TUPLE,
    UNKNOWN,
    Scope,
    Value,
    Values,
    place_of,
    union,
    value_of,
)

if TYPE_CHECKING:
    from ebg.repository._resolve_evaluate import Evaluator

__all__ = ["Types"]

_MANY_OF = frozenset(
    (
        *("list", "List", "set", "Set", "frozenset", "FrozenSet", "deque", "Deque", "Sequence", "MutableSequence"),
        *("Collection", "AbstractSet", "MutableSet", "Iterable", "Iterator", "Generator", "KeysView", "ValuesView"),
        *("AsyncIterable", "AsyncIterator", "AsyncGenerator"),
    )
)
_TUPLES = frozenset(("tuple", "Tuple"))
_TABLE_OF = frozenset(
    (
        *("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"),
        *("WeakKeyDictionary", "WeakValueDictionary"),
    )
)
_CONTEXT_OF = frozenset(
    ("ContextManager", "AbstractContextManager", "AsyncContextManager", "AbstractAsyncContextManager")
)
_TRANSPARENT = frozenset(
    ("Optional", "ClassVar", "Final", "Annotated", "Required", "NotRequired", "ReadOnly", "Awaitable")
)
_OPAQUE = frozenset(("Any", "Literal", "Callable", "object"))


class Types:
    """Reads annotations."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def annotated(self, text: str, file: int, scope: int, receiver: Scope | None = None) -> Values:
        """Return what an annotation says that a value is.

        Args:
            text: the annotation.
            file: the file that it stands in.
            scope: the scope that its names are read in.
            receiver: the class that `Self` means, if it is not the one around the annotation.
        """
        if "Self" in text:
            return self._read(read_annotation(text), file, scope, receiver or self._class_around(file, scope))
        key = (file, "annotated", scope, text)
        return self._evaluator.once(key, lambda: self._read(read_annotation(text), file, scope, None))

    def _class_around(self, file: int, scope: int) -> Scope | None:
        scopes = self._evaluator.files[file].scopes
        while scope >= 0 and scopes[scope].kind != "class":
            scope = scopes[scope].parent
        return (file, scope) if scope >= 0 else None

    def _read(self, node: Annotation, file: int, scope: int, receiver: Scope | None) -> Values:
        name, arguments = node
        last = name.rpartition(".")[2]
        if name == "None":
            return (NOTHING,)
        if not name or last in _OPAQUE:
            return (UNKNOWN,)
        if last == "Self":
            return (UNKNOWN,) if receiver is None else (Value(OBJECT, *receiver),)
        if arguments:
            found = self._generic(last, [self._read(child, file, scope, receiver) for child in arguments], node)
            if found is not None:
                return found
        values = self._evaluator.chain(name, place_of((file, scope, END, -1)))
        return union([self._instance(value) for value in values]) or (UNKNOWN,)

    def _instance(self, value: Value) -> Values:
        """Return an instance of what an annotation names; what is outside stays so."""
        if value.kind == CLASS:
            return (value_of((OBJECT, value.file, value.scope, None)),)
        if value.kind == ALIAS:
            key = (value.file, "alias", value.scope, value.more)
            return self._evaluator.once(key, lambda: self._aliased(value))
        return (value,) if value.kind == OUTSIDE else (UNKNOWN,)

    def _aliased(self, alias: Value) -> Values:
        """Return what a generic from outside with arguments, which some name stands for, says that a value is."""
        name, key = alias.more
        elements = key[2] if isinstance(key, tuple) and key[0] == SEQUENCE else (key,)
        if not elements:
            return (UNKNOWN,)
        arguments = [self._argument(element, alias.file, alias.scope) for element in elements]
        last = name.rpartition(".")[2]
        names = tuple([Annotation(element if isinstance(element, str) else "", ()) for element in elements])
        return self._generic(last, arguments, Annotation(last, names)) or (UNKNOWN,)

    def _argument(self, element: Expression, file: int, scope: int) -> Values:
        if isinstance(element, str):
            return self.annotated(element, file, scope)
        if isinstance(element, tuple) and element[0] == LITERAL:
            return self.annotated(element[1], file, scope) if isinstance(element[1], str) else (NOTHING,)
        values = self._evaluator.evaluate(element, place_of((file, scope, END, -1)))
        return union([self._instance(value) for value in values]) or (UNKNOWN,)

    def _generic(self, name: str, arguments: list[Values], node: Annotation) -> Values | None:
        """Return what a known generic of the arguments is, or None if the name is not one."""
        first, last = arguments[0], arguments[-1]
        found: Values | None = None
        if name in ("|", "Union"):
            found = union(arguments)
        elif name in _TRANSPARENT:
            found = first
        elif name in ("type", "Type"):
            found = tuple([Value(CLASS, *value[1:3]) if value.kind == OBJECT else UNKNOWN for value in first])
        elif name in _MANY_OF or (name in _TUPLES and len(arguments) == 2 and not node.arguments[1].name):
            found = (Value(MANY, more=first),)
        elif name in _TUPLES:
            found = (Value(TUPLE, more=tuple(arguments)),)
        elif name in _TABLE_OF and len(arguments) == 2:
            found = (Value(TABLE, more=(first, last)),)
        elif name in _CONTEXT_OF:
            found = (Value(CONTEXT, more=first),)
        elif name == "Coroutine":
            found = last
        return found
