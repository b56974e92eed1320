"""Prompt texts: one task text a subset, the same for every method; one input note a method; the protocol.

Texts are files so that they can be read, compared and hashed. `$name` marks a value that the loop fills in.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from string import Template

__all__ = ["VERSION", "fill", "sha256", "text"]

VERSION = 1
"""Raised whenever a text changes in meaning; recorded with every run beside the hashes."""


@cache
def text(name: str) -> str:
    """Return the prompt `name` without its surrounding blank lines."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


def fill(name: str, **values: object) -> str:
    """Return the prompt `name` with each `$key` replaced; a key without a value is a KeyError."""
    return Template(text(name)).substitute({key: str(value) for key, value in values.items()})


def sha256(name: str) -> str:
    """Return the hash of the prompt `name` as it stands in the file, stripped."""
    return hashlib.sha256(text(name).encode()).hexdigest()
