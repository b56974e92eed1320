"""Texts that the judges are given: one rubric a subset, the frame around the data, and two repair requests.

Texts are files so that they can be read, compared and hashed. `$name` marks a value that is filled in.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from string import Template

__all__ = ["VERSION", "fill", "sha256", "text"]

VERSION = 1
"""Raised whenever a text changes in meaning; stored with every judgement beside the hashes."""


@cache
def text(name: str) -> str:
    """Return the text `name` without its surrounding blank lines."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


def fill(name: str, **values: object) -> str:
    """Return the text `name` with each `$key` replaced; a key without a value is a KeyError.

    Filled-in values are not searched for further keys, so data of others cannot pull in anything.
    """
    return Template(text(name)).substitute({key: str(value) for key, value in values.items()})


def sha256(name: str) -> str:
    """Return the hash of the text `name`, before anything is filled in."""
    return hashlib.sha256(text(name).encode()).hexdigest()
