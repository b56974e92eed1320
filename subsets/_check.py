"""Check data in the layout of the release: every broken rule, and hygiene."""

from __future__ import annotations

import os

from agentmonbench.errors import UsageError
from agentmonbench.examples import SUBSETS
from subsets._hygiene import check_hygiene
from subsets._problems import BundleError, Ledger, Problem
from subsets._sources import load
from subsets._store import BUNDLES, GOLD
from subsets._subset import Subset

__all__ = ["check"]


def check(source: str | os.PathLike[str]) -> list[Problem]:
    """Return everything that is wrong with the subsets of `source`, in the order of subsets and examples.

    Besides the rules that loading asks for: text that was deleted from a document and can still be read in the bundle,
    version control and compiled leftovers, and gold that points outside of the repository. Problems of level `note`
    break nothing. An empty list means that the data is sound.

    Args:
        source: as for `load`.

    Raises:
        UsageError: the source has none of the three subsets.
    """
    problems: list[Problem] = []
    absent = 0
    for name in SUBSETS:
        try:
            subset = load(name, source)
        except UsageError:
            # A source that is no source at all is refused in the words of `load`; one may hold fewer than all subsets.
            if not os.path.exists(source):
                raise
            absent += 1
        except BundleError as error:
            problems.extend(error.problems)
        else:
            problems.extend(subset.notes)
            for example_id in subset.ids:
                problems.extend(_check_example(subset, example_id))
    if absent == len(SUBSETS):
        raise UsageError(f"{os.fspath(source)!r} holds none of the subsets: {', '.join(SUBSETS)}")
    return problems


def _check_example(subset: Subset, example_id: str) -> list[Problem]:
    if broken := subset.problems_of(example_id):
        return list(broken)
    visible = Ledger(subset.name, example_id, folder=f"{BUNDLES}/{example_id}/")
    hidden = Ledger(subset.name, example_id, folder=f"{GOLD}/")
    check_hygiene(subset.example(example_id), subset.gold(example_id), visible, hidden)
    return [*visible.problems, *hidden.problems]
