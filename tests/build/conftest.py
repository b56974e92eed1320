"""A small package, documented well and tested badly, from which examples are built."""

from __future__ import annotations

from pathlib import Path

import pytest

README = """# Shelf

Shelf keeps labels for parcels.

`clean(label)` strips blanks from both ends of the label and brings the text to lower case.

`pick(labels)` returns the first label of the sorted labels, the smallest one.

`limit(count, most=3)` refuses a count greater than most and raises ValueError.

`find(label, labels, default="none")` returns the default value "none" when the label is missing.

`split(label)` splits the label at the last separator `/` and returns both parts.

`oldest(parcels)` returns the parcel with the smallest age, the minimum.

`known(label, labels)` tells whether any of the labels is the prefix, the start, of the label.

`join(parts)` joins the parts of a label with the separator `/` between them.
"""
MODULE = '''"""Labels."""


def clean(label):
    """Strip blanks from both ends and lower the case of a label.

    >>> clean(" Box ")
    'box'
    """
    return label.strip().lower()


def pick(labels):
    """Return the first of the sorted labels."""
    return sorted(labels)[0]


def limit(count, most=3):
    """Raise ValueError if the count is greater than the most allowed."""
    if count > most:
        raise ValueError("too many")
    return count


def find(label, labels, default="none"):
    """Return the entry of a label, or the default value when the label is missing."""
    return labels.get(label, default)


def split(label):
    """Split a label at the last separator."""
    return label.rsplit("/", 1)


def oldest(parcels):
    """Return the minimum of the ages of the parcels."""
    return min(parcels)


def known(label, labels):
    """Tell whether any of the labels is a prefix of the label."""
    return any(label.startswith(each) for each in labels)


def join(parts):
    """Join the parts of a label with the separator between them."""
    return "/".join(parts)
'''
TESTS = """import shelf


def test_they_work():
    assert shelf.clean("box") == "box"
    assert shelf.pick(["box"]) == "box"
    assert shelf.limit(1) == 1
    assert shelf.find("a", {"a": "b"}) == "b"
    assert shelf.split("a/b") == ["a", "b"]
    assert shelf.join(["a"]) == "a"
    assert shelf.oldest([3]) == 3
    assert shelf.known("ab", ["a"]) is True
    assert shelf.limit(count=3) == 3
    assert shelf.clean("box ") == "box"
    assert shelf.pick(["one", "one"]) == "one"
    assert shelf.split("one/two") == ["one", "two"]
"""


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Return the folder of the package."""
    folder = tmp_path / "shelf"
    for path, text in {"README.md": README, "shelf.py": MODULE, "tests/test_shelf.py": TESTS}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return folder
