"""The three subsets: load, check, export, and the bundled samples.

`load` opens a subset from the bundled samples, a folder or archive in the layout of the release, an exported folder or
the Hub. Whatever is read is checked; what breaks a rule is reported with all of its problems and stops nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmonbench._lazy import lazy

if TYPE_CHECKING:
    from subsets._check import check
    from subsets._export import export, to_datasets
    from subsets._hub import RELEASE
    from subsets._problems import BundleError, Problem
    from subsets._rows import from_row
    from subsets._sources import load
    from subsets._subset import Subset
    from subsets._write import write

__all__ = [
    "RELEASE",
    "BundleError",
    "Problem",
    "Subset",
    "check",
    "export",
    "from_row",
    "load",
    "to_datasets",
    "write",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "RELEASE": "subsets._hub",
        "BundleError": "subsets._problems",
        "Problem": "subsets._problems",
        "Subset": "subsets._subset",
        "check": "subsets._check",
        "export": "subsets._export",
        "from_row": "subsets._rows",
        "load": "subsets._sources",
        "to_datasets": "subsets._export",
        "write": "subsets._write",
    },
)
