"""What a call does, judged by what its name resolves to and not by the name alone.

| what is called | result |
|---|---|
| a method that changes its container (`append`, `pop`...), of `self.x` or outer state | state_write |
| `print`, a method of a logger, `warn` and the like that the project does not define | output |
| anything of an import from outside the project | external_call; output for loggers and `warnings` |
| `open`, `input` | external_call |
| a verb of files, sockets and databases (`write`, `execute`...) on a receiver that is not known | external_call |
| a verb that strings and lists have too (`replace`, `remove`...) on a receiver from outside | external_call |
| anything else: functions of the project, methods of strings, lists and the class itself | nothing |

Specification part 2.3 (ebg-method) with the corrections of part 10.3, weakness 20.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ebg.model import ResultType
from ebg.repository._flow import CHAIN, INSTANCE_NAMES, MUTATORS, CallSite, Flow
from ebg.repository._imports import Imported

__all__ = ["CallEffect", "CallJudge"]

_OUTPUT = frozenset(b"critical debug echo error exception info log pprint print secho warn warning".split())
_LOGGERS = frozenset(b"_log _logger console log logger logging".split())
_OUTPUT_MODULES = frozenset(["logging", "loguru", "pprint", "structlog", "warnings"])
_STREAMS = frozenset(["sys.stderr.write", "sys.stderr.writelines", "sys.stdout.write", "sys.stdout.writelines"])
_SILENT_MODULES = frozenset(["typing", "typing_extensions"])
"""Their calls describe types and act on nothing."""

_IO_VERBS = frozenset(
    b"append_text commit dump emit execute executemany executescript fetchall fetchone flush mkdir open publish rmdir"
    b" save send sendall unlink urlopen write write_bytes write_text writelines".split()
)
_SHARED_VERBS = frozenset(
    b"delete get patch post put query read read_bytes read_text readline readlines recv remove rename replace request"
    b" touch".split()
)
"""Verbs of input and output that containers, strings or anybody's classes have as well."""
_VERBS = _IO_VERBS | _SHARED_VERBS | _OUTPUT
_BUILTIN_EFFECTS = frozenset([b"input", b"open"])
_BUILTIN_TYPES = frozenset(
    b"bool bytearray bytes complex dict float frozenset int list memoryview object range set str tuple".split()
)
_LITERAL = re.compile(rb"[rbufRBUF]{0,3}[\"']|[\d\[{(-]|(?:None|True|False)\b")
_ORIGIN_TAIL = 60


class CallEffect(NamedTuple):
    """The result that a call is."""

    result_type: ResultType
    outside: str | None
    """The dotted name that must not belong to the project for this to hold."""


class _Outside(NamedTuple):
    target: str


_PROJECT, _BUILTIN, _UNKNOWN = "project", "builtin", "unknown"
_Origin = _Outside | str


class CallJudge:
    """Judges the calls of one file."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.syntax = flow.syntax
        self.origins: dict[tuple[int, bytes], _Origin] = {}
        self.by_name: dict[tuple[int, bytes], CallEffect | None] = {}

    def effect(self, call: CallSite) -> CallEffect | None:
        """Return the result that a call is, or None."""
        source = self.syntax.source
        found = CHAIN.match(source, call.start, call.callee_end)
        if found is None:
            return self._method_of_expression(call)
        scope = self.syntax.statements.scope[call.row]
        name = found[0]
        if found.end() != call.callee_end:
            return self._method_of_result(call, scope, name.split(b"."))
        key = (scope, name)
        if key not in self.by_name:
            parts = name.split(b".")
            self.by_name[key] = self._bare(scope, name) if len(parts) == 1 else self._dotted(scope, parts)
        return self.by_name[key]

    # -- by form of the callee ----------------------------------------------------------------------------------------

    def _bare(self, scope: int, name: bytes) -> CallEffect | None:
        origin = self._binding(scope, name)
        if isinstance(origin, Imported):
            return self._imported(origin, [name])
        if origin == _UNKNOWN and name in _OUTPUT:
            return CallEffect("output", None)
        if origin == _UNKNOWN and name in _BUILTIN_EFFECTS:
            return CallEffect("external_call", None)
        return None

    def _dotted(self, scope: int, parts: list[bytes]) -> CallEffect | None:
        root, tail = parts[0], parts[-1]
        own_method = root in INSTANCE_NAMES and len(parts) == 2 and self._has_method(scope, tail)
        binding = self._binding(scope, root)
        if own_method or binding == _PROJECT:
            return None
        if tail in MUTATORS and self._changes_state(scope, parts, binding):
            return CallEffect("state_write", None)
        if isinstance(binding, Imported):
            return self._imported(binding, parts)
        if tail in _OUTPUT and any(part in _LOGGERS for part in parts[:-1]):
            return CallEffect("output", None)
        is_variable = len(parts) == 2 and root not in INSTANCE_NAMES
        if is_variable and tail in _VERBS:
            return self._method(self._origin(scope, root), tail)
        return self._method(_UNKNOWN, tail)

    def _method_of_result(self, call: CallSite, scope: int, head: list[bytes]) -> CallEffect | None:
        """Judge `Path(p).write_text(...)`: the receiver comes from a call or item of a name."""
        tail = self._tail(call)
        binding = self._binding(scope, head[0])
        if isinstance(binding, Imported):
            origin: _Origin = _PROJECT if binding.relative else _Outside(_target(binding, head))
        elif binding == _UNKNOWN and head == [b"open"]:
            origin = _Outside("open")
        elif binding == _UNKNOWN and head[0] in _BUILTIN_TYPES:
            origin = _BUILTIN
        else:
            origin = _UNKNOWN
        return self._method(origin, tail)

    def _method_of_expression(self, call: CallSite) -> CallEffect | None:
        """Judge `"a".replace(...)` and `(a or b).write(...)`."""
        is_literal = _LITERAL.match(self.syntax.source, call.start) is not None
        is_group = self.syntax.source[call.start : call.start + 1] == b"("
        return self._method(_BUILTIN if is_literal and not is_group else _UNKNOWN, self._tail(call))

    def _tail(self, call: CallSite) -> bytes:
        """Return the last attribute of a callee, or nothing."""
        source = self.syntax.source
        dot = source.rfind(b".", max(call.start, call.callee_end - _ORIGIN_TAIL), call.callee_end)
        return source[dot + 1 : call.callee_end].strip() if dot >= 0 else b""

    def _method(self, origin: _Origin, tail: bytes) -> CallEffect | None:
        if origin in (_PROJECT, _BUILTIN):
            return None
        if tail in _OUTPUT and tail != b"log":
            return CallEffect("output", None)
        target = origin.target if isinstance(origin, _Outside) else None
        has_effect = tail in _IO_VERBS or (target is not None and tail in _SHARED_VERBS)
        return CallEffect("external_call", target) if has_effect else None

    def _imported(self, imported: Imported, parts: list[bytes]) -> CallEffect | None:
        by_logger = parts[-1] in _OUTPUT and any(part in _LOGGERS for part in parts[:-1])
        if imported.relative:
            return CallEffect("output", None) if by_logger else None
        target = _target(imported, parts)
        module = target.partition(".")[0]
        if module in _SILENT_MODULES:
            return None
        is_output = (
            module in _OUTPUT_MODULES
            or target in _STREAMS
            or by_logger
            or (parts[-1] in _OUTPUT and parts[-1] != b"log")
        )
        return CallEffect("output" if is_output else "external_call", target)

    # -- names --------------------------------------------------------------------------------------------------------

    def _changes_state(self, scope: int, parts: list[bytes], origin: Imported | str) -> bool:
        root = parts[0]
        if root in INSTANCE_NAMES:
            return True
        if root in self.flow.outer_names.get(scope, ()):
            return True
        if isinstance(origin, Imported):
            return len(parts) > 2 and not origin.relative
        return origin == _MODULE_VARIABLE

    def _binding(self, scope: int, name: bytes) -> Imported | str:
        """Return the import that a name is bound by, or what else it is."""
        text = name.decode("utf-8", "replace")
        scopes, flow = self.syntax.scopes, self.flow
        number = scope
        while number >= 0:
            if number == scope or scopes[number].kind != "class":
                imported = flow.imports.get(number, {}).get(text)
                if imported is not None:
                    return imported
                if name in flow.nested.get(number, ()):
                    return _PROJECT
                if name in flow.definitions.get(number, ()) and name not in flow.outer_names.get(number, ()):
                    return _LOCAL if scopes[number].kind != "module" else _MODULE_VARIABLE
            number = scopes[number].parent
        return _UNKNOWN

    def _has_method(self, scope: int, name: bytes) -> bool:
        """Return whether the class around a method defines `name`."""
        scopes = self.syntax.scopes
        while scope >= 0 and scopes[scope].kind != "class":
            scope = scopes[scope].parent
        return scope >= 0 and name in self.flow.nested.get(scope, ())

    def _origin(self, scope: int, name: bytes) -> _Origin:
        """Return where the value of a variable comes from, if all its definitions agree."""
        known = self.origins.get((scope, name))
        if known is None:
            number, scopes = scope, self.syntax.scopes
            while number > 0 and name not in self.flow.definitions.get(number, ()):
                number = scopes[number].parent
            where = self.flow.definitions.get(number, {}).get(name, ())
            found = {self._origin_in(number, row >> 1, name) for row in where}
            known = found.pop() if len(found) == 1 else _UNKNOWN
            self.origins[scope, name] = known
        return known

    def _origin_in(self, scope: int, row: int, name: bytes) -> _Origin:
        rows, source = self.syntax.statements, self.syntax.source
        kind = rows.kind[row]
        text = source[rows.start[row] : min(rows.end[row], rows.start[row] + 4096)]
        quoted = re.escape(name)
        if kind == "function":
            found = re.search(rb"[(,\s*]" + quoted + rb"\s*:\s*[\"']?([\w.\x80-\xff]+)", text)
        elif kind == "with":
            found = re.search(rb"([\w.\x80-\xff]+)\s*\((?:[^()]|\([^()]*\))*\)\s*as\s+" + quoted + rb"\b", text)
        else:
            found = re.match(
                quoted + rb"\s*(?::[^=]+)?=\s*(?:await\s+)?(?:([\w.\x80-\xff]+)\s*\(|(.))", text, re.DOTALL
            )
            if found is not None and found[1] is None:
                return _BUILTIN if _LITERAL.match(text, found.start(2)) else _UNKNOWN
        return _UNKNOWN if found is None else self._origin_of_chain(scope, found[1].split(b"."))

    def _origin_of_chain(self, scope: int, chain: list[bytes]) -> _Origin:
        binding = self._binding(scope, chain[0])
        if isinstance(binding, Imported):
            return _PROJECT if binding.relative else _Outside(_target(binding, chain))
        if binding == _PROJECT:
            return _PROJECT
        if binding == _UNKNOWN and chain == [b"open"]:
            return _Outside("open")
        return _BUILTIN if binding == _UNKNOWN and chain[0] in _BUILTIN_TYPES else _UNKNOWN


_LOCAL, _MODULE_VARIABLE = "local", "module variable"


def _target(imported: Imported, parts: list[bytes]) -> str:
    return ".".join([imported.target, *(part.decode("utf-8", "replace") for part in parts[1:])])
