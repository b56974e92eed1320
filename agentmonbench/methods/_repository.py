"""The graph of an example's repository, built once for all methods that open it.

All methods take their files from here, so the same production files are visible to each of them.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict

import ebg
from agentmonbench.examples import Example
from ebg.model import RepositoryGraph

__all__ = ["repository_of"]

_KEPT = 4  # graphs in memory; a run goes through the methods of one example close together
_graphs: OrderedDict[bytes, RepositoryGraph] = OrderedDict()


def repository_of(example: Example) -> RepositoryGraph:
    """Return the graph over the files of `example`.

    Raises:
        SourceError: when no file is admitted.
    """
    digest = hashlib.sha256()
    for path, data in sorted(example.files.items()):
        name = path.encode("utf-8", "surrogatepass")
        digest.update(b"%d %d " % (len(name), len(data)) + name)
        digest.update(data)
    key = digest.digest()
    if key not in _graphs:
        _graphs[key] = ebg.build(example.files)
        while len(_graphs) > _KEPT:
            _graphs.popitem(last=False)
    _graphs.move_to_end(key)
    return _graphs[key]
