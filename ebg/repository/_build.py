"""The driver: list, admit, read, link, number.

Files are read in path order and their facts are independent of each other; whatever order the work is done in, the
numbering below is the only place where ids are given, so the graph is the same for any number of processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ebg.errors import SourceError
from ebg.model import Excluded, RepositoryGraph, SourceFile
from ebg.repository._admission import Admitted, Layout, classify
from ebg.repository._decode import UndecodableError
from ebg.repository._facts import Compat
from ebg.repository._file import file_facts, file_text
from ebg.repository._globs import matcher
from ebg.repository._lines import split_lines
from ebg.repository._number import number
from ebg.repository._source import list_source

__all__ = ["build"]


class _Document(NamedTuple):
    path: str
    admitted: Admitted
    text: str


def build(
    source: str | Path | Mapping[str, bytes],
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    compat: Compat | None = None,
) -> RepositoryGraph:
    """Build the behavior graph of a repository without running or importing any of it.

    Args:
        source: a folder, one file, or a mapping of relative paths to bytes.
        include: globs of files that are taken although an admission rule leaves them out.
        exclude: globs of files that are left out whatever the rules say; they win over `include`.
        compat: `reference` gives behaviors and relations by the reference rules, and only scopes that own a behavior.

    Raises:
        SourceError: the source does not exist or nothing in it is admitted.
    """
    documents, excluded = _admit(source, include, exclude)
    if not documents:
        raise SourceError(_nothing(excluded))
    facts = [
        file_facts(item.path, item.admitted.kind, item.admitted.language, item.text, compat=compat)
        for item in documents
    ]
    files = [
        SourceFile(item.path, fact.kind, fact.language, split_lines(item.text), fact.note)
        for item, fact in zip(documents, facts, strict=True)
    ]
    return number(files, facts, excluded, compat=compat)


def _admit(
    source: str | Path | Mapping[str, bytes], include: Iterable[str], exclude: Iterable[str]
) -> tuple[list[_Document], list[Excluded]]:
    listing = list_source(source)
    layout = Layout(listing.paths)
    is_included, is_excluded = matcher(include), matcher(exclude)
    documents: list[_Document] = []
    excluded = list(listing.excluded)
    for path in listing.paths:
        if is_excluded(path):
            excluded.append(Excluded(path, "excluded by a glob"))
            continue
        try:
            data = listing.read(path)
            admitted = classify(path, data, layout, included=is_included(path))
            if isinstance(admitted, str):
                excluded.append(Excluded(path, admitted))
            else:
                documents.append(_Document(path, admitted, file_text(data, admitted.language)))
        except OSError as exc:
            excluded.append(Excluded(path, f"not readable: {exc.strerror}"))
        except UndecodableError as exc:
            excluded.append(Excluded(path, str(exc)))
    excluded.sort(key=lambda item: item.path)
    return documents, excluded


def _nothing(excluded: Sequence[Excluded]) -> str:
    if not excluded:
        return "the repository holds no file"
    first = excluded[0]
    return f"no file of the repository is admitted; {len(excluded)} left out, first {first.path!r}: {first.reason}"
