"""Evidence-grounded behavior graphs of Python repositories and of agents' sessions, built without any model."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ebg.repository import build

__all__ = ["build"]

# Name -> module. Loaded on first use: the parser and the graph library take longer to import than `ebg` does.
_LAZY = {"build": "ebg.repository"}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
