"""Behaviors by the reference rules (specification parts 2.3 and 2.4, ebg-method), for `compat="reference"`.

Kept apart from the default rules because they disagree on purpose: early exits are no guards, a test on the line of its
result is no condition, a loop that defines a needed name brings its whole body, roles follow from how a line begins,
and calls are judged by their names. The one liberty is a limit on the routes, whose number is exponential there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ebg.model import ResultType
from ebg.repository._facts import BehaviorFacts
from ebg.repository._flow import CHAIN, CallSite, Flow, read_flow
from ebg.repository._syntax import PythonSyntax

__all__ = ["MAX_ROUTES", "reference_behavior_facts"]

MAX_ROUTES = 256
"""Routes of one result; the reference has no limit."""

_MUTATORS = frozenset(b"add append clear discard extend insert pop remove setdefault sort update".split())
_OUTPUT = frozenset(b"print pprint warn warning error exception critical info debug log".split())
_LOGGERS = frozenset([b"logging", b"logger", b"log"])
_OUTSIDE = frozenset(
    b"aiohttp asyncio boto3 click flask httpx os pathlib requests shutil socket sqlite3 subprocess sys urllib".split()
)
_IO_VERBS = frozenset(
    b"append_text commit delete dump emit execute flush mkdir open post publish put remove rename replace rmdir save"
    b" send sendall unlink write write_bytes write_text writelines".split()
)
_INSTANCE = frozenset([b"self", b"cls"])
_TRIGGER = re.compile(
    r"(?:if|elif|for|while|with|match|case)\b|async\s+(?:for|with)\b|(?:else|try|finally)\s*:|except\b"
)

_RESULTS: dict[str, ResultType] = {"return": "return", "raise": "raise"}

Guard = dict[int, str]
"""Label of the branch by control, outermost first."""


class _Anchor(NamedTuple):
    line: int
    column: int
    kind: ResultType
    row: int
    first: int
    """Bytes whose reads count."""
    last: int


def reference_behavior_facts(syntax: PythonSyntax, lines: tuple[str, ...]) -> list[BehaviorFacts]:
    """Return the behaviors of a file that parses; sorted as the default ones."""
    reader = _Reference(syntax, lines)
    found = {fact: None for anchor in reader.anchors() for fact in reader.behaviors(anchor)}
    return sorted(found, key=lambda row: row[:6])


class _Reference:
    def __init__(self, syntax: PythonSyntax, lines: tuple[str, ...]) -> None:
        self.syntax = syntax
        self.lines = lines
        self.flow: Flow = read_flow(syntax)
        self.rows = syntax.statements
        self.stores = self._stores()
        self.stored_in: dict[int, list[int]] = {}
        for row in sorted(self.stores):
            self.stored_in.setdefault(self.rows.scope[row], []).append(row)
        self.evidence: dict[str, list[int]] = {}
        for number, (symbol, _, _) in enumerate(syntax.evidence):
            self.evidence.setdefault(symbol, []).append(number)

    # -- anchors ------------------------------------------------------------------------------------------------------

    def anchors(self) -> list[_Anchor]:
        """Return the anchors by line, column and kind, distinct."""
        found = {(item.line, item.column, item.kind): item for item in self._find_anchors()}
        return [found[key] for key in sorted(found)]

    def _find_anchors(self) -> Iterator[_Anchor]:
        rows = self.rows
        for row, kind in enumerate(rows.kind):
            if kind in _RESULTS:
                yield self._anchor(_RESULTS[kind], row, rows.start[row], rows.end[row])
        for node in self.syntax.captures.get("yield", ()):
            row = self.syntax.owner(node.start_byte)
            if row >= 0:
                yield self._anchor("yield", row, node.start_byte, rows.end[row])._replace(first=rows.start[row])
        for row in sorted(self._written_rows()):
            yield self._anchor("state_write", row, rows.start[row], rows.end[row])
        for call in self.flow.calls:
            kind_of_call = self._call_kind(call)
            if kind_of_call is not None and rows.kind[call.row] not in ("function", "class", "decorator"):
                yield self._anchor(kind_of_call, call.row, call.start, call.end)

    def _anchor(self, kind: ResultType, row: int, first: int, last: int) -> _Anchor:
        line = self.syntax.line(first)
        return _Anchor(line, first - self.syntax.starts[line - 1], kind, row, first, last)

    def _written_rows(self) -> set[int]:
        """Return the rows with a target that is an attribute, an item, or a name that outlives the scope."""
        found = set()
        for capture in ("target", "store", "augment", "delete"):
            for node in self.syntax.captures.get(capture, ()):
                parent = node.parent
                row = self.syntax.owner(node.start_byte)
                if parent is None or parent.type not in _WRITING or row < 0:
                    continue
                name = self.syntax.source[node.start_byte : node.end_byte]
                if capture == "target" or self._outlives(self.rows.scope[row], name):
                    found.add(row)
        return found

    def _outlives(self, scope: int, name: bytes) -> bool:
        return self.syntax.scopes[scope].kind in ("module", "class") or name in self._globals(scope)

    def _globals(self, scope: int) -> set[bytes]:
        rows, source = self.rows, self.syntax.source
        names: set[bytes] = set()
        for row, kind in enumerate(rows.kind):
            if kind == "global" and rows.scope[row] == scope:
                names.update(source[rows.start[row] + 6 : rows.end[row]].replace(b",", b" ").split())
        return names

    def _call_kind(self, call: CallSite) -> ResultType | None:
        label = CHAIN.match(self.syntax.source, call.start, call.callee_end)
        if label is None or label.end() != call.callee_end:
            return None
        parts = label[0].split(b".")
        scope = self.rows.scope[call.row]
        root, tail = parts[0], parts[-1].lower()
        is_module = self.syntax.scopes[scope].kind == "module"
        if tail in _MUTATORS and (root in _INSTANCE or is_module or root in self._globals(scope)):
            return "state_write"
        if tail in _OUTPUT or root in _LOGGERS:
            return "output"
        is_outside = tail in _IO_VERBS or (root not in _INSTANCE and (root in _OUTSIDE or self._imports(scope, root)))
        return "external_call" if is_outside else None

    def _imports(self, scope: int, name: bytes) -> bool:
        text = name.decode("utf-8", "replace")
        return any(text in self.flow.imports.get(number, ()) for number in (0, scope))

    # -- slices -------------------------------------------------------------------------------------------------------

    def behaviors(self, anchor: _Anchor) -> list[BehaviorFacts]:
        """Return the behaviors of an anchor, one a variant."""
        guard = self._guard(anchor.row)
        needs = {name for _, name in self.flow.reads_between(anchor.row, anchor.first, anchor.last)}
        needs |= self._test_names(guard)
        kept = self._definitions(anchor.row, needs)
        variants = {self._variant(needs, kept, chosen) for chosen in self._combinations(guard, kept)}
        return [self._behavior(anchor, guard, definitions, dict(chosen)) for definitions, chosen in sorted(variants)]

    def _definitions(self, row: int, needs: Iterable[bytes]) -> list[int]:
        """Return the definitions that the needs are followed back to, ascending."""
        kept: set[int] = set()
        todo = [(name, row) for name in sorted(needs)]
        seen = set(todo)
        where = self.stored_in.get(self.rows.scope[row], [])
        while todo:
            name, use = todo.pop()
            guard = self._guard(use)
            for definition in reversed(where[: bisect_left(where, use)]):
                if name not in self.stores[definition]:
                    continue
                own = self._guard(definition)
                if any(guard.get(control, label) != label for control, label in own.items()):
                    continue
                kept.add(definition)
                loads = {read for _, read in self.flow.reads_in(definition)} - self.stores[definition]
                new = [(load, definition) for load in sorted(loads | self._test_names(own))]
                todo.extend(need for need in new if need not in seen)
                seen.update(new)
                if all(guard.get(control) == label for control, label in own.items()):
                    break
        return sorted(kept)

    def _combinations(self, guard: Guard, kept: list[int]) -> list[dict[int, str]]:
        """Return the outcomes of all decisions, outer before inner; an inner one only where the outer one leads in."""
        options: dict[int, set[str]] = {}
        parents: dict[int, Guard] = {}
        for definition in kept:
            for control, label in self._guard(definition).items():
                if control not in guard:
                    options.setdefault(control, set()).add(label)
                    parents[control] = self._guard(control)
        combinations: list[dict[int, str]] = [{}]
        for control in sorted(options):
            if self.rows.kind[control] in ("if", "elif"):
                options[control] = {"body", "else"}
            split = []
            for chosen in combinations:
                known = guard | chosen
                applies = all(known.get(outer) == label for outer, label in parents[control].items())
                split.extend(
                    [{**chosen, control: label} for label in sorted(options[control])] if applies else [chosen]
                )
            if len(split) > MAX_ROUTES:
                break
            combinations = split
        return combinations

    def _variant(
        self, needs: set[bytes], kept: list[int], chosen: dict[int, str]
    ) -> tuple[tuple[int, ...], tuple[tuple[int, str], ...]]:
        """Return the live definitions of a combination, and the combination."""
        live = set(needs)
        definitions = []
        for definition in reversed(kept):
            own = self._guard(definition)
            consistent = all(chosen.get(control, label) == label for control, label in own.items())
            if consistent and not live.isdisjoint(self.stores[definition]):
                definitions.append(definition)
                loads = {read for _, read in self.flow.reads_in(definition)} - self.stores[definition]
                live = (live - self.stores[definition]) | loads | self._test_names(own)
        return tuple(sorted(definitions)), tuple(sorted(chosen.items()))

    def _behavior(self, anchor: _Anchor, guard: Guard, definitions: tuple[int, ...], chosen: Guard) -> BehaviorFacts:
        rows = self.rows
        spans = [span for control, label in (guard | chosen).items() for span in self._header_lines(control, label)]
        for definition in definitions:
            spans.append((rows.first[definition], self._last_line(definition)))
            for control, label in self._guard(definition).items():
                spans.extend(self._header_lines(control, label))
        symbol = self.syntax.scopes[rows.scope[anchor.row]].symbol
        roles: dict[str, list[int]] = {"condition": [], "operation": [], "result": []}
        touched = []
        for number in self.evidence[symbol]:
            _, first, last = self.syntax.evidence[number]
            if first <= anchor.line <= last:
                role = "result"
            elif not any(first <= stop and start <= last for start, stop in spans):
                continue
            else:
                text = "".join(self.lines[first - 1 : last]).lstrip()
                role = "condition" if _TRIGGER.match(text) else "operation"
            roles[role].append(number)
            touched += [first, last]
        holding = [
            (scope.first_line, scope.last_line)
            for scope in self.syntax.scopes
            if scope.symbol == symbol and scope.first_line <= min(touched) and max(touched) <= scope.last_line
        ]
        return BehaviorFacts(
            symbol,
            anchor.line,
            anchor.kind,
            tuple(roles["condition"]),
            tuple(roles["operation"]),
            tuple(roles["result"]),
            min(holding, key=lambda span: (span[1] - span[0], span)),
        )

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _stores(self) -> dict[int, set[bytes]]:
        """Return the names that each row assigns, augments, deletes, imports, or binds by `for` or `with`."""
        source = self.syntax.source
        walrus = {
            (self.syntax.owner(node.start_byte), source[node.start_byte : node.end_byte])
            for node in self.syntax.captures.get("walrus", ())
        }
        found: dict[int, set[bytes]] = {}
        for where in self.flow.definitions.values():
            for key, encoded in where.items():
                for row in encoded:
                    known = self.rows.kind[row >> 1] in _STORING and b"." not in key
                    if known and (row >> 1, key) not in walrus:
                        found.setdefault(row >> 1, set()).add(key)
        return found

    def _guard(self, row: int) -> Guard:
        branch = self.rows.branch[row]
        found = []
        while branch >= 0:
            control, label, parent, _ = self.syntax.branches[branch]
            found.append((control, label))
            branch = parent
        return dict(reversed(found))

    def _test_names(self, controls: Iterable[int]) -> set[bytes]:
        return {name for control in controls for _, name in self.flow.reads_in(control)}

    def _header_lines(self, control: int, label: str) -> list[tuple[int, int]]:
        """Return the lines of a control's header, and of the clause of the branch that is taken."""
        rows = self.rows
        found = [(rows.first[control], rows.last[control])]
        found.extend(
            (rows.first[branch.clause], rows.last[branch.clause])
            for branch in self.syntax.branches
            if branch.control == control and branch.label == label and branch.clause >= 0
        )
        return found

    def _last_line(self, row: int) -> int:
        return max(self.rows.last[row : self.rows.stop[row]])


_WRITING = frozenset(["assignment", "augmented_assignment", "delete_statement", "expression_list"])
_STORING = frozenset(["expression", "delete", "import", "for", "with"])
