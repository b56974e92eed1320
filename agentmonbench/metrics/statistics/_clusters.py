"""Which examples are independent: those of one repository are not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agentmonbench.examples import Example

__all__ = ["clusters_of", "epoch_means"]

SAME_REPOSITORY = 0.5
"""Share of common paths (of all paths of both) from which two bundles count as one repository at two commits."""


def clusters_of(examples: Iterable[Example]) -> dict[str, str]:
    """Return the cluster of each example id: the smallest id of the examples of one repository.

    The release does not name repositories, so bundles are joined when at least half of their paths are common. A
    session is a cluster of its own: the benchmark takes one example per session.
    """
    paths = {example.id: frozenset(example.files) for example in examples}
    root = {key: key for key in paths}

    def find(key: str) -> str:
        while root[key] != key:
            key = root[key]
        return key

    ids = sorted(paths)
    for index, first in enumerate(ids):
        for second in ids[index + 1 :]:
            common = len(paths[first] & paths[second])
            if common and common >= SAME_REPOSITORY * len(paths[first] | paths[second]):
                low, high = sorted((find(first), find(second)))
                root[high] = low
    return {key: find(key) for key in paths}


def epoch_means(epochs: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return one value per example: the mean of its epochs, so that every example keeps the same weight."""
    return {key: sum(values) / len(values) for key, values in epochs.items() if values}
