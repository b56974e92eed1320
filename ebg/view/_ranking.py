"""The order of files in the directory (specification part 5.3).

Three tiers: files that Q names plainly, files one relation away from those, the rest. Within a tier a base order; the
first tier is dealt out by section (`sections`, for SpecGAP) or by greedy cover of the sections (`cover`, for
SilentSwap). Ours differs from the reference in the ties: files that share more rare words with Q come first.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Literal

from ebg.model import ArtifactKind, RepositoryGraph
from ebg.view._cues import Cues

__all__ = ["Order", "rank_files"]

Order = Literal["sections", "cover"]
_KIND_ORDER: Mapping[ArtifactKind, int] = {"source": 0, "executable": 1, "runtime_template": 2, "configuration": 3}


def rank_files(graph: RepositoryGraph, cues: Cues, order: Order, *, relations: bool = True) -> tuple[str, ...]:
    """Return the paths of all files, the most relevant first.

    Args:
        graph: the repository.
        cues: what Q names.
        order: how the files that Q names are dealt out.
        relations: False leaves out the tier of related files.
    """
    behaviors = Counter(behavior.scope.path for behavior in graph.behaviors)

    def base(path: str) -> tuple[int, int, int, str, str]:
        kind = _KIND_ORDER[graph.files[path].kind]
        return kind, -cues.relevance(path), -behaviors[path], path.casefold(), path

    paths = sorted(graph.files, key=base)
    direct = [path for path in paths if path in cues.sections_by_file]
    first = _deal_by_section(direct, graph, cues) if order == "sections" else _cover_sections(direct, graph, cues)
    near = _related(graph, set(direct)) if relations else set()
    second = [path for path in paths if path in near]
    placed = {*first, *second}
    return (*first, *second, *(path for path in paths if path not in placed))


def _related(graph: RepositoryGraph, direct: set[str]) -> set[str]:
    near = set()
    for relation in graph.relations:
        source, target = relation.source.path, relation.target.path
        if source in direct:
            near.add(target)
        if target in direct:
            near.add(source)
    return near - direct


def _deal_by_section(direct: Sequence[str], graph: RepositoryGraph, cues: Cues) -> list[str]:
    """Round robin: in each round every section, in document order, gives its next file that was not given yet.

    Of a section's files of one kind, those to which more of its names point come first.
    """
    queues: dict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
    for place, path in enumerate(direct):
        for section, names in cues.sections_by_file[path].items():
            queues[section].append((_KIND_ORDER[graph.files[path].kind], -names, place, path))
    hands = [deque(path for *_, path in sorted(queues[section])) for section in sorted(queues)]
    dealt: dict[str, None] = {}
    while hands:
        for hand in hands:
            while hand:
                path = hand.popleft()
                if path not in dealt:
                    dealt[path] = None
                    break
        hands = [hand for hand in hands if hand]
    return list(dealt)


def _cover_sections(direct: Sequence[str], graph: RepositoryGraph, cues: Cues) -> list[str]:
    """Greedy cover, per kind of artifact: the next file adds most to sections that few files name and none yet covers.

    The gain of a file, the sum over its sections of 1 / (files naming the section * (1 + times covered)), only ever
    falls, so a heap with stale entries finds the maximum (the lazy greedy algorithm of Minoux).
    """
    order: list[str] = []
    for kind in _KIND_ORDER:
        candidates = [path for path in direct if graph.files[path].kind == kind]
        frequency = Counter(section for path in candidates for section in cues.sections_by_file[path])
        covered: Counter[int] = Counter()

        def gain(path: str, frequency: Counter[int] = frequency, covered: Counter[int] = covered) -> float:
            # fsum is exact, so equal sums tie whatever their order.
            return fsum(1 / (frequency[s] * (1 + covered[s])) for s in cues.sections_by_file[path])

        heap = [(-gain(path), place, path) for place, path in enumerate(candidates)]
        heapq.heapify(heap)
        while heap:
            stale, place, path = heapq.heappop(heap)
            if (fresh := -gain(path)) != stale:
                heapq.heappush(heap, (fresh, place, path))
                continue
            order.append(path)
            covered.update(cues.sections_by_file[path].keys())
    return order
