"""Reading the word banks beside this module, and the forms of what is made from them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

Row = dict[str, object]
"""One line of a catalog file."""
Files = dict[str, list[Row]]
"""File name (without folder) -> rows, in order."""


def read_bank(name: str) -> dict[str, Any]:
    """Return the bank file `name` as TOML gives it: lists of strings, and tables for what is written out."""
    return tomllib.loads(files(__package__).joinpath("banks", f"{name}.toml").read_text(encoding="utf-8"))


def fields(line: str, separator: str = "|") -> list[str]:
    """Split one line of a bank at its separator; fields are trimmed."""
    return [field.strip() for field in line.split(separator)]


def slug(text: str) -> str:
    """Return `text` as a lower-case name for ids and addresses: letters and digits joined by single hyphens."""
    plain = text.lower().replace("ø", "o").replace("&", " ")
    return "-".join("".join(char if char.isascii() and char.isalnum() else " " for char in plain).split())


def numbered(prefix: str, index: int, width: int = 3) -> str:
    """Return an id such as ``base-007``."""
    return f"{prefix}-{index:0{width}d}"


def pick(items: Sequence[str], index: int) -> str:
    """Return one of `items` going round and round."""
    return items[index % len(items)]
