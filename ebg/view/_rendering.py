"""Blocks as text (specification part 5.7): what a model or a person reads.

Every source line is printed as `N | text`, at most once, and blank lines are left out. `...` stands for lines that are
not shown, `... 5-9 shown above` for lines that were.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ebg.model import Behavior, Relation, RepositoryGraph, ResultType, ScopeId
from ebg.view._extent import ranges_of
from ebg.view._plan import Block, Settings

__all__ = ["MAX_LINE", "Printed", "Renderer", "describe_ranges"]

MAX_LINE = 2_000
"""Characters of a line that are printed; the rest of a longer one (minified code, data) is cut, and said to be."""
_MAX_RANGES = 6
_MAX_OTHERS = 4
# The innermost tests and exits of a result, and the length of a scope's summary: the source is right above it.
_MAX_TESTS = 3
_BEHAVIORS_LENGTH = 160
# Results that say most about what a scope promises come first.
_TELLING: tuple[ResultType, ...] = ("raise", "return", "yield", "state_write", "output", "external_call")

Seen = Callable[[int], bool]


class Printed(NamedTuple):
    """Text, and the line numbers that it prints."""

    text: str
    lines: tuple[int, ...]


class Renderer:
    """Turns blocks into text under the settings of a view."""

    def __init__(self, graph: RepositoryGraph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings
        self._starts: dict[str, dict[int, list[str]]] = {}

    def block(self, block: Block, seen: Seen, root_path: str, label: str | None) -> Printed:
        """Return a block with its header.

        Args:
            block: what to show.
            seen: whether a line of the block's file was shown before.
            root_path: the file being read; it is left out of relation lines.
            label: read id of the scope, shown beside a root.
        """
        fresh = [line for line in block.lines if not seen(line) and not self._is_blank(block.path, line)]
        header = self._header(block, root_path, label)
        if not fresh:
            return Printed(f"{header} (shown above)\n", ())
        if not self._settings.relations and self._settings.behaviors and block.scope is not None:
            body = self._by_behavior(block, fresh, seen)
        else:
            body = self._source(block, fresh, seen)
            if block.seed is not None and self._settings.behaviors:
                body += self._behaviors_line(block)
        return Printed(f"{header}\n{body}", tuple(fresh))

    def lines(self, path: str, lines: Iterable[int]) -> str:
        """Return numbered lines."""
        return "".join(self._numbered(path, line) for line in lines)

    # --- headers ---------------------------------------------------------------------------------------------------

    def _header(self, block: Block, root_path: str, label: str | None) -> str:
        where = describe_ranges(block.lines)
        if block.scope is None:
            return f"## {block.path}@{where}"
        if block.seed is None and block.relation is not None:
            return self._relation_lines(block, root_path)
        parts = [f"## {block.scope.id}@{where}"]
        if label is not None:
            parts.append(f"[{label}]")
        if block.seed is not None and block.seed.doc is not None and self._settings.guidance:
            parts.append(f'Doc "{block.seed.doc}"')
        header = " ".join(parts)
        return header if block.relation is None else f"{header}\n{self._relation_lines(block, root_path)}"

    def _relation_lines(self, block: Block, root_path: str) -> str:
        assert block.relation is not None
        assert block.scope is not None
        arrow = ">" if block.relation.target == block.scope.id else "<"
        text = f"{arrow} {self._relation(block.relation, block, root_path)}"
        if block.others:
            names = [self._other_end(relation, block.scope.id) for relation in block.others[:_MAX_OTHERS]]
            more = [f"{len(block.others) - _MAX_OTHERS} more"] if len(block.others) > _MAX_OTHERS else []
            text += "; also " + ", ".join([*names, *more])
        return text

    def _relation(self, relation: Relation, block: Block, root_path: str) -> str:
        verb = relation.type if relation.via is None else f"{relation.type}({relation.via})"
        ends = (self._end(end, relation, block, root_path) for end in (relation.source, relation.target))
        return f" {verb} ".join(ends)

    def _end(self, scope: ScopeId, relation: Relation, block: Block, root_path: str) -> str:
        """Name one end with the lines that support the relation there, else the lines shown of it."""
        lines = self._support(scope, relation)
        if not lines:
            shown_here = block.scope is not None and scope == block.scope.id
            lines = list(block.lines) if shown_here else list(range(*self._span(scope)))
        name = scope.symbol if scope.path == root_path else str(scope)
        return f"{name}@{describe_ranges(lines)}"

    def _other_end(self, call: Relation, scope: ScopeId) -> str:
        other = call.source if call.target == scope else call.target
        lines = self._support(other, call)
        verb = "calls" if call.source == scope else "called by"
        return f"{verb} {other.symbol}" + (f"@{describe_ranges(lines)}" if lines else "")

    def _support(self, scope: ScopeId, relation: Relation) -> list[int]:
        by_id = self._graph.evidence_by_id
        items = (by_id[evidence_id] for evidence_id in relation.evidence)
        return sorted(
            {
                line
                for item in items
                if (item.path, item.symbol) == scope
                for line in range(item.line_start, item.line_end + 1)
            }
        )

    def _span(self, scope: ScopeId) -> tuple[int, int]:
        start, end = self._graph.scopes[scope].spans[0]
        return start, end + 1

    # --- bodies ----------------------------------------------------------------------------------------------------

    def _source(self, block: Block, fresh: Sequence[int], seen: Seen) -> str:
        parts = []
        last = block.lines[0] - 1
        for line in fresh:
            parts.append(self._gap(block.path, last + 1, line - 1, seen))
            if not self._settings.behaviors:
                parts += [f"[{evidence_id}]\n" for evidence_id in self._evidence_at(block.path, line)]
            parts.append(self._numbered(block.path, line))
            last = line
        parts.append(self._gap(block.path, last + 1, block.lines[-1], seen))
        return "".join(parts)

    def _gap(self, path: str, start: int, end: int, seen: Seen) -> str:
        skipped = [line for line in range(start, end + 1) if not self._is_blank(path, line)]
        if not skipped:
            return ""
        above = [line for line in skipped if seen(line)]
        return f"... {describe_ranges(above)} shown above\n" if above else "...\n"

    def _numbered(self, path: str, line: int) -> str:
        text = self._graph.files[path].lines[line - 1].rstrip("\r\n")
        if len(text) > MAX_LINE:
            text = f"{text[:MAX_LINE]} [{len(text) - MAX_LINE} more characters]"
        return f"{line} | {text}\n"

    def _is_blank(self, path: str, line: int) -> bool:
        text = self._graph.files[path].lines[line - 1]
        return not text or text.isspace()

    def _behaviors_line(self, block: Block) -> str:
        """Sum up what the scope does in one short line: `= return@5 if 2 unless 3 | raise@7`.

        A result is told with the tests that lead to it on every route, and with the early exits before it; the routes
        themselves can be read off the source. Results that always happen are left out.
        """
        assert block.scope is not None
        routes: dict[tuple[int, str], list[Behavior]] = defaultdict(list)
        for behavior in self._graph.behaviors_of_scope.get(block.scope.id, ()):
            place = f"{behavior.result_type}@{self._at(behavior.result)}"
            routes[_TELLING.index(behavior.result_type), place].append(behavior)
        told = sorted(routes.items(), key=lambda item: item[0][0])  # stable: by line within a type
        parts = [f"{place}{when}" for (_, place), group in told if (when := self._when(group))]
        if not parts:
            return ""
        kept, length = 1, len(parts[0])
        while kept < len(parts) and length + len(parts[kept]) <= _BEHAVIORS_LENGTH:
            length += len(parts[kept])
            kept += 1
        more = f" | +{len(parts) - kept}" if kept < len(parts) else ""
        return f"= {' | '.join(parts[:kept])}{more}\n"

    def _when(self, group: Sequence[Behavior]) -> str:
        first = group[0]
        tests = [item for item in first.condition if all(item in other.condition for other in group)]
        guards = dict.fromkeys(guard.evidence for guard in first.guards)
        exits = [item for item in guards if all(item in {g.evidence for g in other.guards} for other in group)]
        shown = [item for item in exits if item not in tests]
        text = f" if {self._at(tests[-_MAX_TESTS:])}" if tests else ""
        return text + (f" unless {self._at(shown[-_MAX_TESTS:])}" if shown else "")

    def _at(self, evidence: Iterable[str]) -> str:
        by_id = self._graph.evidence_by_id
        return ",".join(_range(by_id[item].line_start, by_id[item].line_end) for item in evidence)

    def _by_behavior(self, block: Block, fresh: Sequence[int], seen: Seen) -> str:
        """List behaviors with the lines of their roles, then the lines that no behavior holds (w/o Graph)."""
        assert block.scope is not None
        by_id = self._graph.evidence_by_id
        wanted = set(fresh)
        printed: set[int] = set()
        parts = []
        for behavior in self._graph.behaviors_of_scope.get(block.scope.id, ()):
            parts.append(f"{behavior.id} {behavior.result_type}\n")
            for role in ("condition", "operation", "result"):
                ids: tuple[str, ...] = getattr(behavior, role)
                # Two pieces of evidence may share a line: the header of a match and its first case.
                lines = dict.fromkeys(n for e in ids for n in range(by_id[e].line_start, by_id[e].line_end + 1))
                above = [line for line in lines if line in printed or seen(line)]
                new = [line for line in lines if line in wanted and line not in printed]
                if above or new:
                    parts.append(f"{role}:" + (f" {describe_ranges(above)} shown above\n" if above else "\n"))
                parts += [self._numbered(block.path, line) for line in new]
                printed.update(new)
        left = [line for line in fresh if line not in printed]
        if left:
            parts.append("other lines:\n" if parts else "")
            parts += [self._numbered(block.path, line) for line in left]
        return "".join(parts)

    def _evidence_at(self, path: str, line: int) -> Sequence[str]:
        if path not in self._starts:
            starts: dict[int, list[str]] = defaultdict(list)
            for scope in self._graph.scopes_of_file[path]:
                for item in self._graph.evidence_of_scope.get(scope.id, ()):
                    starts[item.line_start].append(item.id)
            self._starts[path] = starts
        return sorted(self._starts[path].get(line, ()))


def describe_ranges(lines: Iterable[int]) -> str:
    """Return lines as `3-4,9`; many pieces are given as first to last."""
    ranges = ranges_of(lines)
    if len(ranges) > _MAX_RANGES:
        ranges = [(ranges[0][0], ranges[-1][1])]
    return ",".join(_range(start, end) for start, end in ranges)


def _range(start: int, end: int) -> str:
    return str(start) if start == end else f"{start}-{end}"
