"""Search over files, scopes and behaviors (specification part 7.4, EBG).

One hit a file, and the first rule that fits wins: exact id, path, symbol, behavior id, then every keyword somewhere in
the file's names and source. Ours adds the bare name of a scope (`run` for `Client.run`) and, when no file has every
keyword, the files with the rarest of them. The total is the true one, not the number shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ebg.model import Behavior, RepositoryGraph, Scope

__all__ = ["SearchHit", "SearchReply", "Searcher"]

_MATCHES = ("id", "path", "symbol", "behavior", "name", "text", "part of the words")
_MAX_SYMBOLS = 3


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A file or scope that can be read."""

    id: str
    path: str
    symbols: tuple[str, ...]
    """Scopes that match by themselves, with their first lines: `Client.run@18`."""
    match: str
    """What matched: `id`, `path`, `symbol`, `behavior`, `name`, `text` or `part of the words`."""


@dataclass(frozen=True, slots=True)
class SearchReply:
    """Answer to a search."""

    text: str
    """What a monitor reads."""
    hits: tuple[SearchHit, ...]
    total: int
    """Files that match, shown or not."""


class Searcher:
    """Searches one graph."""

    def __init__(
        self, graph: RepositoryGraph, file_ids: Mapping[str, str], scope_ids: Mapping[str, Mapping[str, str]]
    ) -> None:
        self._graph = graph
        self._file_ids = file_ids
        self._scope_ids = scope_ids
        self._extra = self._names_of_files()

    def search(self, query: str, limit: int) -> SearchReply:
        """Return at most `limit` hits, sorted by how they match, then path."""
        query = " ".join(query.split())
        keywords = tuple(dict.fromkeys(query.casefold().split()))
        found = [found for path in self._graph.files if (found := self._match(path, query, keywords))]
        if not found and len(keywords) > 1:
            found = self._partial(keywords)
        found.sort(key=lambda item: (item[0], item[1].path))
        hits = tuple(hit for _, hit in found[:limit])
        return SearchReply(_text(query, hits, len(found)), hits, len(found))

    def _match(self, path: str, query: str, keywords: Sequence[str]) -> tuple[int, SearchHit] | None:
        scopes = self._graph.scopes_of_file[path]
        ids = self._scope_ids[path]
        if query in (self._file_ids[path], path):
            return self._hit(path, (), 0 if query != path else 1)
        for rank, chosen in (
            (0, [scope for scope in scopes if ids[scope.symbol] == query]),
            (2, [scope for scope in scopes if scope.symbol == query]),
            (3, [scope for scope in scopes if any(b.id == query for b in self._behaviors(scope))]),
            (4, [scope for scope in scopes if scope.symbol.rsplit(".", 1)[-1] == query]),
        ):
            if chosen:
                return self._hit(path, chosen, rank)
        text = self._haystack(path)
        if keywords and all(word in text for word in keywords):
            return self._hit(path, self._scopes_with(path, keywords), 5)
        return None

    def _partial(self, keywords: Sequence[str]) -> list[tuple[int, SearchHit]]:
        texts = {path: self._haystack(path) for path in self._graph.files}
        files_of = {word: sum(word in text for text in texts.values()) for word in keywords}
        scored: dict[str, int] = defaultdict(int)
        for word, count in files_of.items():
            if count:
                for path, text in texts.items():
                    if word in text:
                        scored[path] += 1 + (len(texts) // count).bit_length()
        found = []
        for path, score in scored.items():
            words = [word for word in keywords if word in texts[path]]
            _, hit = self._hit(path, self._scopes_with(path, words), len(_MATCHES) - 1)
            found.append((len(_MATCHES) - score, hit))
        return found

    def _hit(self, path: str, scopes: Sequence[Scope], rank: int) -> tuple[int, SearchHit]:
        # A file whose match lies in one scope is given as that scope, which costs less to read.
        read_id = self._scope_ids[path][scopes[0].symbol] if len(scopes) == 1 else self._file_ids[path]
        names = tuple(f"{scope.symbol}@{scope.spans[0][0]}" for scope in scopes[:_MAX_SYMBOLS])
        return rank, SearchHit(read_id, path, names, _MATCHES[rank])

    def _scopes_with(self, path: str, keywords: Sequence[str]) -> list[Scope]:
        """Return the innermost scopes that hold all keywords."""
        lines = self._graph.files[path].lines
        found = []
        for scope in self._graph.scopes_of_file[path]:
            if scope.kind in {"module", "file"}:
                continue
            source = "".join("".join(lines[start - 1 : end]) for start, end in scope.spans)
            text = f"{scope.symbol}\n{source}".casefold()
            if all(word in text for word in keywords):
                found.append(scope)
        outer = {symbol for scope in found for symbol in _prefixes(scope.symbol)}
        return [scope for scope in found if scope.symbol not in outer]

    def _haystack(self, path: str) -> str:
        return (self._extra[path] + self._graph.files[path].text).casefold()

    def _names_of_files(self) -> dict[str, str]:
        names = {path: [self._file_ids[path], path] for path in self._graph.files}
        for scope in self._graph.scopes.values():
            names[scope.path].append(scope.symbol)
        for behavior in self._graph.behaviors:
            names[behavior.scope.path] += (behavior.id, behavior.result_type)
        return {path: "\n".join(parts) + "\n" for path, parts in names.items()}

    def _behaviors(self, scope: Scope) -> Sequence[Behavior]:
        return self._graph.behaviors_of_scope.get(scope.id, ())


def _prefixes(symbol: str) -> list[str]:
    parts = symbol.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _text(query: str, hits: Sequence[SearchHit], total: int) -> str:
    if not hits:
        return f"No file matches {query!r}.\n"
    shown = f"{len(hits)} of {total}" if total > len(hits) else str(total)
    lines = [f"{shown} files match {query!r}."]
    if hits[0].match == _MATCHES[-1]:
        lines[0] = f"No file has all of {query!r}; {shown} files have part of it, the best first."
    for hit in hits:
        symbols = "; ".join(hit.symbols) or "-"
        lines.append(f"{hit.id} | {hit.path} | {hit.match} | {symbols}")
    return "\n".join(lines) + "\n"
