"""The graph of an example's repository, built once for all methods and monitors that open it.

All methods take their files from here, so the same production files are visible to each of them.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import ebg
from agentmonbench.examples import Example
from ebg.model import RepositoryGraph

__all__ = ["Recent", "repository_of"]

_Value = TypeVar("_Value")


class Recent(Generic[_Value]):
    """The few values that were used last. A run goes through all arms of one example before the next."""

    def __init__(self, kept: int = 4) -> None:
        self._kept = kept
        self._values: OrderedDict[Hashable, _Value] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """Return the value of `key`, made if it is not among the kept ones."""
        if key not in self._values:
            self._values[key] = make()
            while len(self._values) > self._kept:
                self._values.popitem(last=False)
        self._values.move_to_end(key)
        return self._values[key]


_graphs: Recent[RepositoryGraph] = Recent()


def repository_of(example: Example) -> RepositoryGraph:
    """Return the graph over the files of `example`: the same object for the same files, while it is kept.

    Raises:
        SourceError: when no file is admitted.
    """
    digest = hashlib.sha256()
    for path, data in sorted(example.files.items()):
        name = path.encode("utf-8", "surrogatepass")
        digest.update(b"%d %d " % (len(name), len(data)) + name)
        digest.update(data)
    return _graphs.get(digest.digest(), lambda: ebg.build(example.files))
