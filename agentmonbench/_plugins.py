"""Names to objects: built-in ones first, then those that installed packages offer by entry points."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from agentmonbench.errors import UsageError

__all__ = ["offered", "offered_factory", "unknown_name"]


def offered(group: str) -> tuple[str, ...]:
    """Return the names that installed packages offer in an entry point group, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=group)}))


def offered_factory(group: str, name: str) -> Callable[[], Any] | None:
    """Return the class or factory that an installed package offers under `name`, or None.

    Raises:
        UsageError: when the package's module cannot be imported, or two packages offer the name.
    """
    found: list[EntryPoint] = [point for point in entry_points(group=group) if point.name == name]
    if not found:
        return None
    if len({point.value for point in found}) > 1:
        values = ", ".join(sorted({point.value for point in found}))
        raise UsageError(f"{name!r} is offered more than once in {group}: {values}")
    try:
        factory: Callable[[], Any] = found[0].load()
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{name!r} of {group} cannot be loaded from {found[0].value}: {error}") from error
    return factory


def unknown_name(kind: str, name: str, valid: Iterable[str]) -> UsageError:
    """Return the error for a name that does not exist, with the nearest ones and all that do."""
    choices = sorted(valid)
    near = get_close_matches(name, choices, n=2, cutoff=0.5)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    return UsageError(f"unknown {kind} {name!r}{hint} (valid: {', '.join(choices)})", code="unknown_name")
