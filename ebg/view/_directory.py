"""The directory: the first thing a monitor sees, one row a file (specification part 5.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ebg.model import RepositoryGraph
from ebg.tokens import estimate

__all__ = ["Directory", "DirectoryEntry", "QueryEntry", "build_directory", "hint", "number_files", "number_scopes"]

_HEADER = "Read ID | File | Related document sections | Code hints\n"
_PLAIN_HEADER = "Read ID | File\n"
_MAX_TITLES = 4
_MAX_SYMBOLS = 5


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """One row of the table."""

    read_id: str
    path: str
    related_document_sections: tuple[str, ...]
    code_hints: str


@dataclass(frozen=True, slots=True)
class QueryEntry:
    """A file that search knows, in the table or not."""

    read_id: str
    path: str
    root_symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Directory:
    """The ranked files of a repository, as far as they fit the budget."""

    text: str
    """The table as a monitor reads it."""
    entries: tuple[DirectoryEntry, ...]
    """Its rows, the most relevant file first."""
    query_index: tuple[QueryEntry, ...]
    """All files, in the order of their ids."""
    order: tuple[str, ...]
    """Ids of all files, the most relevant first; `entries` are its first."""
    token_budget: int
    token_count: int
    """Tokens of `text` by `ebg.tokens.estimate`."""

    def to_json(self, *, input_id: str, benchmark: str) -> dict[str, object]:
        """Return the published form, `ranked_directory.json`."""
        return {
            "input_id": input_id,
            "benchmark": benchmark,
            "directory_type": "repo",
            "token_budget": self.token_budget,
            "token_count": self.token_count,
            "entries": [
                {
                    "read_id": entry.read_id,
                    "path": entry.path,
                    "related_document_sections": list(entry.related_document_sections),
                    "code_hints": entry.code_hints,
                }
                for entry in self.entries
            ],
            "query_index": [
                {"read_id": entry.read_id, "path": entry.path, "root_symbols": list(entry.root_symbols)}
                for entry in self.query_index
            ],
        }


def number_files(graph: RepositoryGraph) -> dict[str, str]:
    """Return the read id of each path: `F0001`, ... in path order, whatever the ranking."""
    return {path: f"F{number:04d}" for number, path in enumerate(sorted(graph.files), start=1)}


def number_scopes(graph: RepositoryGraph, path: str, read_id: str) -> dict[str, str]:
    """Return the read id of each symbol of a file: `F0001.S0002`, by first line, then name."""
    return {
        scope.symbol: f"{read_id}.S{number:04d}" for number, scope in enumerate(graph.scopes_of_file[path], start=1)
    }


def build_directory(
    ranked: Sequence[str],
    read_ids: Mapping[str, str],
    titles: Mapping[str, Sequence[str]],
    hints: Mapping[str, str],
    roots: Mapping[str, Sequence[str]],
    *,
    budget: int,
    guidance: bool,
) -> Directory:
    """Render the table row by row; the first row that does not fit ends it.

    Args:
        ranked: all paths, the most relevant first.
        read_ids: id of each path.
        titles: related section titles of each path, the most related first.
        hints: what the code of each path is, see `hint`.
        roots: symbols that a read of the path starts from.
        budget: tokens that the table may take.
        guidance: False leaves only id and path.
    """
    header = _HEADER if guidance else _PLAIN_HEADER
    rows, entries, size = [header], [], len(header.encode())
    for path in ranked:
        entry = DirectoryEntry(
            read_ids[path],
            path,
            tuple(titles.get(path, ())) if guidance else (),
            hints[path] if guidance else "",
        )
        row = _row(entry, guidance=guidance)
        grown = size + len(row.encode("utf-8", "surrogatepass"))
        if -(-grown // 3) > budget:
            break
        rows.append(row)
        entries.append(entry)
        size = grown
    text = "".join(rows)
    return Directory(
        text=text,
        entries=tuple(entries),
        query_index=tuple(QueryEntry(read_ids[path], path, tuple(roots.get(path, ()))) for path in sorted(read_ids)),
        order=tuple(read_ids[path] for path in ranked),
        token_budget=budget,
        token_count=estimate(text),
    )


def hint(count: int, symbols: Sequence[str], otherwise: str) -> str:
    """Return the code hint of a file.

    Args:
        count: scopes that own behaviors or that Q names.
        symbols: names to show, the most telling first.
        otherwise: what to say of a file without such scopes.
    """
    if not count:
        return otherwise
    noun = "symbol" if count == 1 else "symbols"
    more = "; ..." if len(symbols) > _MAX_SYMBOLS else ""
    return f"{count} linked {noun}: {'; '.join(symbols[:_MAX_SYMBOLS])}{more}"


def _row(entry: DirectoryEntry, *, guidance: bool) -> str:
    values = [entry.read_id, entry.path]
    if guidance:
        values += [_join(entry.related_document_sections[:_MAX_TITLES]) or "-", entry.code_hints]
    return " | ".join(_cell(value) for value in values) + "\n"


def _join(titles: Iterable[str]) -> str:
    return "; ".join(titles)


def _cell(value: str) -> str:
    # A row is one line of four cells, whatever a file or heading is called.
    return "".join(char if char.isprintable() else " " for char in value.replace("|", "¦"))
