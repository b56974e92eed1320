"""Merging: later layers are laid over earlier ones."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from strata.errors import LayerError
from strata.keys import join, split
from strata.layers import Layer


@dataclass(slots=True)
class Merged:
    """The tree after merging, and the name of the layer that each setting comes from."""

    data: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)


def merge(layers: Iterable[Layer], append: Iterable[str] = ()) -> Merged:
    """Merge layers, the most general one first; `append` names the lists that grow instead of being replaced.

    Raises:
        LayerError: If layers contradict each other about the shape of the tree; all places are named.
    """
    growing = {split(path) for path in append}
    merged = Merged()
    problems: list[str] = []
    for layer in layers:
        _lay_over(merged, merged.data, layer.data, (), layer.name, growing, problems)
    if problems:
        raise LayerError(problems)
    return merged


def _lay_over(
    merged: Merged,
    below: dict[str, Any],
    above: dict[str, Any],
    parents: tuple[str, ...],
    name: str,
    growing: set[tuple[str, ...]],
    problems: list[str],
) -> None:
    for key, value in above.items():
        parts = (*parents, key)
        path = join(parts)
        present = below.get(key)
        if value is None and isinstance(present, dict):
            below.pop(key, None)
            _forget(merged.origins, path)
        elif key in below and isinstance(present, dict) != isinstance(value, dict):
            shapes = ("a table", "a value") if isinstance(present, dict) else ("a value", "a table")
            problems.append(f"{path}: {shapes[0]} in {merged.origins[path]}, {shapes[1]} in {name}")
        elif isinstance(value, dict):
            _lay_over(merged, below.setdefault(key, {}), value, parts, name, growing, problems)
            merged.origins[path] = name
        elif isinstance(value, list) and isinstance(present, list) and parts in growing:
            below[key] = present + [item for item in value if item not in present]
            merged.origins[path] = f"{merged.origins[path]} + {name}"
        else:
            below[key] = value
            merged.origins[path] = name


def _forget(origins: dict[str, str], path: str) -> None:
    for known in [known for known in origins if known == path or known.startswith(path + ".")]:
        del origins[known]
