"""Facts of many files and of linking them: from the cache, from other processes, or made here.

Files are independent, so any split gives the same facts. Other processes are fresh interpreters that get their files
and give their facts as one pickle each: nothing is forked (safe with threads), the caller's `__main__` is not imported
again, and the folder under analysis is not on their module path.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ebg.model import ArtifactKind
from ebg.repository._cache import FactsCache, facts_key, links_key
from ebg.repository._collector import no_collections
from ebg.repository._facts import Compat, FileFacts, LinkFacts
from ebg.repository._file import file_facts
from ebg.repository._link import link

__all__ = ["Document", "facts_of", "serve"]

BYTES_WORTH_A_PROCESS = 400_000
"""Text for which starting another interpreter pays: about 12,000 lines."""

_SERVE = "import sys, pickle; sys.path[:0] = pickle.loads(sys.stdin.buffer.read({size})); \
from ebg.repository._work import serve; serve()"


class Document(NamedTuple):
    """An admitted file."""

    path: str
    kind: ArtifactKind
    language: str
    text: str


def facts_of(
    documents: Sequence[Document], *, jobs: int, cache: Path | None, compat: Compat | None
) -> tuple[list[FileFacts], LinkFacts]:
    """Return the facts of each document, in order, and those of linking them."""
    if cache is None:
        facts = _make(documents, jobs, compat)
        return facts, link(facts, compat=compat)
    keys = [facts_key(item.text, item.kind, item.language, compat) for item in documents]
    key_of_links = links_key((item.path, key) for item, key in zip(documents, keys, strict=True))
    with FactsCache(cache) as store:
        known = store.get(keys, FileFacts)
        missing = {key: item for key, item in zip(keys, documents, strict=True) if key not in known}
        made = _make([item._replace(path="") for item in missing.values()], jobs, compat)
        new = dict(zip(missing, made, strict=True))
        known |= new
        facts = [replace(known[key], path=item.path) for key, item in zip(keys, documents, strict=True)]
        links = store.get([key_of_links], LinkFacts).get(key_of_links)
        if links is None:
            links = link(facts, compat=compat)
            store.put({**new, key_of_links: links})
        elif new:
            store.put(new)
    return facts, links


def _make(documents: Sequence[Document], jobs: int, compat: Compat | None) -> list[FileFacts]:
    size = sum(len(item.text) for item in documents)
    jobs = min(jobs, 1 + size // BYTES_WORTH_A_PROCESS)
    if jobs == 1 or not sys.executable or getattr(sys, "frozen", False):
        return _make_here(documents, compat)
    parts = _split(documents, jobs)
    facts: dict[int, FileFacts] = {}
    with ThreadPoolExecutor(jobs - 1) as pool:
        others = [pool.submit(_make_elsewhere, [documents[index] for index in part], compat) for part in parts[1:]]
        facts.update(zip(parts[0], _make_here([documents[index] for index in parts[0]], compat), strict=True))
        for part, other in zip(parts[1:], others, strict=True):
            made = other.result()
            if made is None:  # the process was killed or could not start
                made = _make_here([documents[index] for index in part], compat)
            facts.update(zip(part, made, strict=True))
    return [facts[index] for index in range(len(documents))]


def _split(documents: Sequence[Document], count: int) -> list[list[int]]:
    """Return the numbers of the documents in `count` parts of about equal size: largest first, to the least laden."""
    parts: list[list[int]] = [[] for _ in range(count)]
    loads = [0] * count
    for index in sorted(range(len(documents)), key=lambda index: (-len(documents[index].text), index)):
        least = loads.index(min(loads))
        parts[least].append(index)
        loads[least] += len(documents[index].text)
    return parts


def _make_here(documents: Sequence[Document], compat: Compat | None) -> list[FileFacts]:
    with no_collections():
        return [file_facts(item.path, item.kind, item.language, item.text, compat=compat) for item in documents]


def _make_elsewhere(documents: Sequence[Document], compat: Compat | None) -> list[FileFacts] | None:
    """Return the facts made by a fresh interpreter, or None if it failed."""
    here = str(Path(__file__).resolve().parent.parent.parent)
    path = pickle.dumps([here, *(entry for entry in sys.path if os.path.isabs(entry))])
    command = [sys.executable, "-I", "-c", _SERVE.format(size=len(path))]
    request = path + pickle.dumps(([tuple(item) for item in documents], compat), 5)
    try:
        done = subprocess.run(command, input=request, capture_output=True, check=False)
    except OSError:
        return None
    if done.returncode != 0:
        return None
    facts: list[FileFacts] = pickle.loads(done.stdout)  # noqa: S301  # from our own process
    return facts


def serve() -> None:
    """Make the facts of the documents that come on standard input; the other end of `_make_elsewhere`."""
    documents, compat = pickle.load(sys.stdin.buffer)  # noqa: S301  # from our own process
    facts = _make_here([Document(*item) for item in documents], compat)
    sys.stdout.buffer.write(pickle.dumps(facts, 5))
