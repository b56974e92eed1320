"""Reading and checking the published form: cheap checks, all problems at once (specification part 1.8, T).

Checked are the keys and types of every record, ids, order, references, roles, line spans, and that every evidence and
every source context that overlap say the same. Not checked is what only a rebuild can tell; that is `ebg.store.verify`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, cast, get_args

from ebg._published import PublishedGraph, SourceContext, context_order, evidence_order
from ebg.errors import GraphError
from ebg.model import ArtifactKind, Behavior, Evidence, Relation, RelationType, ResultType, ScopeId

__all__ = ["parse"]

Keys = Mapping[str, type | tuple[type, ...]]

_MAX_PROBLEMS = 20
_KINDS, _RESULTS, _RELATIONS = get_args(ArtifactKind), get_args(ResultType), get_args(RelationType)
_GRAPH_KEYS = {
    "input_id": str,
    "benchmark": str,
    "evidence": list,
    "behaviors": list,
    "source_contexts": list,
    "edges": list,
}
_EVIDENCE_KEYS = {"evidence_id": str, "source_type": str, "locator": dict, "content": str}
_LOCATOR_KEYS = {"path": str, "symbol": str, "line_start": int, "line_end": int}
_BEHAVIOR_KEYS = {
    "behavior_id": str,
    "artifact_kind": str,
    "path": str,
    "symbol": str,
    "symbol_lines": list,
    "result_type": str,
    "trigger_evidence_ids": list,
    "operation_evidence_ids": list,
    "result_evidence_ids": list,
}
_CONTEXT_KEYS = {"artifact_kind": str, "path": str, "symbol": str, "lines": list, "source": str}
_EDGE_KEYS: Keys = {
    "edge_id": str,
    "from": dict,
    "type": str,
    "to": dict,
    "via": (str, type(None)),
    "evidence_ids": list,
}
_END_KEYS = {"path": str, "symbol": str}


def parse(data: object, *, where: str = "graph") -> PublishedGraph:
    """Return the graph of JSON values.

    Args:
        data: what the JSON file holds.
        where: name of the file for messages.

    Raises:
        GraphError: when a rule is broken; the message lists the first problems and counts the rest.
    """
    return _Reader(where).read(data)


class _Reader:
    def __init__(self, where: str) -> None:
        self._where = where
        self._problems: list[str] = []

    def read(self, data: object) -> PublishedGraph:
        row = self._record(data, _GRAPH_KEYS, "the graph")
        if row is None:
            raise self._error()
        evidence = self._all(row["evidence"], "evidence", self._evidence)
        self._contiguous([item.id for item in evidence], "E", 6)
        self._sorted([evidence_order(item) for item in evidence], "evidence")
        by_id = {item.id: item for item in evidence}
        behaviors = self._all(row["behaviors"], "behaviors", lambda item, name: self._behavior(item, name, by_id))
        self._contiguous([item.id for item in behaviors], "B", 4)
        contexts = self._all(row["source_contexts"], "source_contexts", self._context)
        self._sorted([context_order(item) for item in contexts], "source_contexts")
        self._match_contexts(contexts, behaviors, evidence)
        owners = {item.scope for item in behaviors}
        relations = self._all(row["edges"], "edges", lambda item, name: self._edge(item, name, by_id, owners))
        self._contiguous([item.id for item in relations], "R", 4)
        self._sorted([(item.source, item.type, item.target) for item in relations], "edges")
        if self._problems:
            raise self._error()
        return PublishedGraph(
            row["input_id"], row["benchmark"], tuple(evidence), tuple(behaviors), tuple(contexts), tuple(relations)
        )

    # --- records ---------------------------------------------------------------------------------------------------

    def _evidence(self, data: object, name: str) -> Evidence | None:
        row = self._record(data, _EVIDENCE_KEYS, name)
        place = row and self._record(row["locator"], _LOCATOR_KEYS, f"{name}.locator")
        if row is None or place is None:
            return None
        name = row["evidence_id"]
        start, end = place["line_start"], place["line_end"]
        if row["source_type"] != "code":
            self._problem(f"{name}: source_type is 'code' in a repository graph, not {row['source_type']!r}")
        if not 1 <= start <= end:
            self._problem(f"{name}: lines {start}-{end} are no 1-based inclusive range")
        elif (count := _count_lines(row["content"])) != end - start + 1:
            self._problem(f"{name}: content has {count} lines, but the locator says {start}-{end}")
        return Evidence(name, place["path"], place["symbol"], start, end, row["content"])

    def _behavior(self, data: object, name: str, evidence: Mapping[str, Evidence]) -> Behavior | None:
        row = self._record(data, _BEHAVIOR_KEYS, name)
        lines = None if row is None else self._span(row["symbol_lines"], f"{name}.symbol_lines")
        if row is None or lines is None:
            return None
        name = row["behavior_id"]
        self._one_of(row["artifact_kind"], _KINDS, f"{name}.artifact_kind")
        self._one_of(row["result_type"], _RESULTS, f"{name}.result_type")
        scope = ScopeId(row["path"], row["symbol"])
        roles = []
        for role in ("trigger", "operation", "result"):
            ids = self._ids(row[f"{role}_evidence_ids"], f"{name}.{role}_evidence_ids", evidence)
            for item in (evidence[evidence_id] for evidence_id in ids if evidence_id in evidence):
                if (item.path, item.symbol) != scope:
                    self._problem(f"{name}: {item.id} belongs to {item.path}::{item.symbol}, not to {scope}")
                if not lines[0] <= item.line_start <= item.line_end <= lines[1]:
                    self._problem(f"{name}: {item.id} lies outside symbol_lines {lines[0]}-{lines[1]}")
            roles.append(ids)
        if not roles[2]:
            self._problem(f"{name}: result_evidence_ids needs at least one id")
        kind, result = cast(ArtifactKind, row["artifact_kind"]), cast(ResultType, row["result_type"])
        return Behavior(name, scope, kind, result, roles[0], roles[1], roles[2], lines)

    def _context(self, data: object, name: str) -> SourceContext | None:
        row = self._record(data, _CONTEXT_KEYS, name)
        lines = None if row is None else self._span(row["lines"], f"{name}.lines")
        if row is None or lines is None:
            return None
        self._one_of(row["artifact_kind"], _KINDS, f"{name}.artifact_kind")
        if (count := _count_lines(row["source"])) != lines[1] - lines[0] + 1:
            self._problem(f"{name}: source has {count} lines, but `lines` says {lines[0]}-{lines[1]}")
        return SourceContext(cast(ArtifactKind, row["artifact_kind"]), row["path"], row["symbol"], lines, row["source"])

    def _edge(self, data: object, name: str, evidence: Mapping[str, Evidence], owners: set[ScopeId]) -> Relation | None:
        row = self._record(data, _EDGE_KEYS, name)
        source = row and self._record(row["from"], _END_KEYS, f"{name}.from")
        target = row and self._record(row["to"], _END_KEYS, f"{name}.to")
        if row is None or source is None or target is None:
            return None
        name = row["edge_id"]
        self._one_of(row["type"], _RELATIONS, f"{name}.type")
        if (row["type"] == "calls") != (row["via"] is None) or row["via"] == "":
            self._problem(f"{name}: via is null for calls and a name for feeds, not {row['via']!r}")
        ids = self._ids(row["evidence_ids"], f"{name}.evidence_ids", evidence)
        if not ids:
            self._problem(f"{name}: evidence_ids needs at least one id")
        ends = [ScopeId(end["path"], end["symbol"]) for end in (source, target)]
        for end in ends:
            if end not in owners:
                self._problem(f"{name}: {end} owns no behavior")
        return Relation(name, ends[0], cast(RelationType, row["type"]), ends[1], row["via"], ids)

    # --- rules -----------------------------------------------------------------------------------------------------

    def _match_contexts(
        self, contexts: Sequence[SourceContext], behaviors: Sequence[Behavior], evidence: Sequence[Evidence]
    ) -> None:
        have = {(item.kind, item.path, item.symbol, item.lines) for item in contexts}
        need = {(item.kind, item.scope.path, item.scope.symbol, item.lines) for item in behaviors}
        for _, path, symbol, lines in sorted(need - have):
            self._problem(f"no source context of {path}::{symbol} at {lines[0]}-{lines[1]}")
        for _, path, symbol, lines in sorted(have - need):
            self._problem(f"source context {path}::{symbol} at {lines[0]}-{lines[1]} belongs to no behavior")
        texts: dict[tuple[str, int], str] = {}
        for context in contexts:
            for number, text in enumerate(_split_lines(context.source), start=context.lines[0]):
                if texts.setdefault((context.path, number), text) != text:
                    self._problem(f"{context.path} line {number} is told in two ways by source contexts")
        for item in evidence:
            for number, text in enumerate(_split_lines(item.content), start=item.line_start):
                if texts.get((item.path, number), text) != text:
                    self._problem(f"{item.id}: {item.path} line {number} differs from its source context")

    def _all(self, rows: list[Any], name: str, read: Callable[[object, str], Any]) -> list[Any]:
        found = (read(row, f"{name}[{number}]") for number, row in enumerate(rows))
        return [item for item in found if item is not None]

    def _record(self, data: object, keys: Keys, name: str) -> dict[str, Any] | None:
        if not isinstance(data, dict):
            self._problem(f"{name} is an object, not {_kind(data)}")
            return None
        before = len(self._problems)
        for key in keys.keys() - data.keys():
            self._problem(f"{name}: key {key!r} is missing")
        for key in sorted(data.keys() - keys.keys(), key=str):
            self._problem(f"{name}: unknown key {key!r}")
        for key, kind in keys.items():
            value = data.get(key)
            if key in data and (not isinstance(value, kind) or isinstance(value, bool)):
                self._problem(f"{name}: {key!r} cannot be {_kind(value)}")
        return data if len(self._problems) == before else None

    def _span(self, value: Sequence[object], name: str) -> tuple[int, int] | None:
        numbers = [item for item in value if isinstance(item, int) and not isinstance(item, bool)]
        if len(value) == len(numbers) == 2 and 1 <= numbers[0] <= numbers[1]:
            return numbers[0], numbers[1]
        self._problem(f"{name} is [first, last] line, 1-based and inclusive")
        return None

    def _ids(self, value: Sequence[object], name: str, evidence: Mapping[str, Evidence]) -> tuple[str, ...]:
        ids = tuple(item for item in value if isinstance(item, str))
        if len(ids) != len(value) or len(set(ids)) != len(ids):
            self._problem(f"{name} is a list of different ids")
        for item in ids:
            if item not in evidence:
                self._problem(f"{name}: there is no evidence {item!r}")
        return ids

    def _one_of(self, value: str, known: Sequence[str], name: str) -> None:
        if value not in known:
            self._problem(f"{name} is one of {', '.join(known)}, not {value!r}")

    def _contiguous(self, ids: Sequence[str], letter: str, digits: int) -> None:
        for number, found in enumerate(ids, start=1):
            expected = f"{letter}{number:0{digits}d}"
            if found != expected:
                self._problem(f"id {found!r} stands where {expected!r} is due: ids are contiguous from 1")
                return

    def _sorted(self, keys: Sequence[Any], name: str) -> None:
        for number, (before, after) in enumerate(pairwise(keys), start=1):
            if before >= after:
                self._problem(f"{name}[{number}] is out of order or a duplicate")
                return

    def _problem(self, text: str) -> None:
        self._problems.append(text)

    def _error(self) -> GraphError:
        shown = self._problems[:_MAX_PROBLEMS]
        more = len(self._problems) - len(shown)
        tail = f"\n  and {more} more" if more else ""
        lines = "".join(f"\n  {problem}" for problem in shown)
        return GraphError(f"{self._where} is no graph in the published form:{lines}{tail}")


def _split_lines(text: str) -> list[str]:
    # Physical lines end at LF, CR LF or CR, as everywhere in a graph.
    return io.StringIO(text, newline="").readlines()


def _count_lines(text: str) -> int:
    return len(_split_lines(text))


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "that")
