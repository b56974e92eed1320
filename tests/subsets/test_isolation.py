"""Nothing reachable from an example leads to its gold, its subset or its place on disk."""

from __future__ import annotations

import gc
import types
from pathlib import Path
from typing import Any

import pytest

import subsets
from agentmonbench.examples import Example


def reachable(start: object) -> list[object]:
    """Return every object that can be reached from `start`, leaving out classes, modules and functions."""
    code = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)
    seen: dict[int, object] = {}
    pending = [start]
    while pending:
        item = pending.pop()
        if id(item) in seen or isinstance(item, code):
            continue
        seen[id(item)] = item
        pending.extend(gc.get_referents(item))
        pending.extend(getattr(item, name) for name in getattr(type(item), "__slots__", ()))
        pending.extend(getattr(item, "__dict__", {}).values())
    return list(seen.values())


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ["specgap", "silentswap", "feedbacktrace"])
def test_nothing_reachable_from_an_example_leads_to_gold(layout: Any, tmp_path: Path, name: str, packed: bool) -> None:
    source = layout.pack(name, tmp_path / "packed") if packed else layout.root
    subset = subsets.load(name, source)
    subset.gold(subset.ids[0])
    example = subset[0]
    found = reachable(example)
    assert any(item is example.events or item is example.files for item in found)
    kinds = {type(item) for item in found}
    names = {kind.__name__ for kind in kinds}
    # Values only: text, bytes, numbers and plain containers of them, the example's own classes, nothing with a handle.
    assert names <= {
        "Document",
        "Example",
        "NoneType",
        "TraceEvent",
        "bool",
        "bytes",
        "dict",
        "int",
        "mappingproxy",
        "str",
        "tuple",
    }
    words = [item for item in found if isinstance(item, str)]
    assert str(tmp_path) not in "\n".join(words)
    assert not any("hidden_gold" in word or "visible_bundles" in word for word in words)


def test_an_example_outlives_its_subset(layout: Any) -> None:
    example: Example = subsets.load("specgap", layout.root)[0]
    gc.collect()
    assert not [item for item in gc.get_referrers(example) if isinstance(item, subsets.Subset)]


def test_an_example_cannot_be_changed(layout: Any) -> None:
    example = subsets.load("specgap", layout.root)[0]
    with pytest.raises(TypeError):
        example.files["conf/load.py"] = b""
    with pytest.raises(AttributeError):
        example.id = "other"
