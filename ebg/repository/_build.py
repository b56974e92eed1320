"""The driver: list, admit, read, link, number.

Files are read in path order and their facts are independent of each other; whatever order the work is done in, the
numbering below is the only place where ids are given, so the graph is the same for any number of processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ebg.errors import SourceError, UsageError
from ebg.model import Excluded, RepositoryGraph, SourceFile
from ebg.repository._admission import Layout, classify
from ebg.repository._collector import no_collections
from ebg.repository._decode import UndecodableError
from ebg.repository._facts import Compat
from ebg.repository._file import file_text
from ebg.repository._globs import matcher
from ebg.repository._lines import split_lines
from ebg.repository._number import number
from ebg.repository._source import list_source
from ebg.repository._work import Document, facts_of

__all__ = ["build"]


def build(
    source: str | Path | Mapping[str, bytes],
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    jobs: int = 1,
    cache: Path | None = None,
    compat: Compat | None = None,
) -> RepositoryGraph:
    """Build the behavior graph of a repository without running or importing any of it.

    Args:
        source: a folder, one file, or a mapping of relative paths to bytes.
        include: globs of files that are taken although an admission rule leaves them out.
        exclude: globs of files that are left out whatever the rules say; they win over `include`.
        jobs: how many processes may work; one is used where more do not pay. The graph does not depend on it.
        cache: folder in which facts of files are kept between builds (see `user_cache_folder`), or None.
        compat: `reference` gives behaviors and relations by the reference rules, and only scopes that own a behavior.

    Raises:
        SourceError: the source does not exist or nothing in it is admitted.
        UsageError: `jobs` is less than 1.
    """
    if jobs < 1:
        raise UsageError(f"jobs is {jobs}; it must be at least 1")
    documents, excluded = _admit(source, include, exclude)
    if not documents:
        raise SourceError(_nothing(excluded))
    with no_collections():
        facts, links = facts_of(documents, jobs=jobs, cache=cache, compat=compat)
        files = [
            SourceFile(item.path, item.kind, item.language, split_lines(item.text), fact.note)
            for item, fact in zip(documents, facts, strict=True)
        ]
        return number(files, facts, excluded, links, compat=compat)


def _admit(
    source: str | Path | Mapping[str, bytes], include: Iterable[str], exclude: Iterable[str]
) -> tuple[list[Document], list[Excluded]]:
    listing = list_source(source)
    layout = Layout(listing.paths)
    is_included, is_excluded = matcher(include), matcher(exclude)
    documents: list[Document] = []
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
                documents.append(Document(path, *admitted, file_text(data, admitted.language)))
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
