"""What is known about a model offline: the price map that litellm ships, read without importing litellm.

litellm takes seconds to import; its map is one JSON file. Prices are those of the installed version.
"""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from agentmonbench.monitors._protocol import Price

__all__ = ["ModelFacts", "bundled_facts"]

_MAP = "model_prices_and_context_window_backup.json"
_MILLION = 1_000_000


class ModelFacts(NamedTuple):
    """Price and sizes of a model; None where not known."""

    price: Price | None = None
    context_tokens: int | None = None
    output_tokens: int | None = None


def bundled_facts(model: str) -> ModelFacts | None:
    """Return what the map says about a litellm id, with or without its provider; None when it says nothing."""
    entries = _entries()
    provider, _, bare = model.partition("/")
    entry = entries.get(model)
    if entry is None and bare:
        entry = entries.get(bare)
        if entry is not None and entry.get("litellm_provider") != provider:
            entry = None
    if entry is None:
        return None
    return ModelFacts(_price(entry), _whole(entry.get("max_input_tokens")), _whole(entry.get("max_output_tokens")))


def _price(entry: dict[str, Any]) -> Price | None:
    paid, made = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not isinstance(paid, int | float) or not isinstance(made, int | float):
        return None
    cached = entry.get("cache_read_input_token_cost")
    # Rounded, because a price of 0.3 a million is stored as 3e-07 a token.
    return Price(
        round(paid * _MILLION, 6),
        round(made * _MILLION, 6),
        round(cached * _MILLION, 6) if isinstance(cached, int | float) else None,
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


@cache
def _entries() -> dict[str, dict[str, Any]]:
    # find_spec of a top-level package reads its location and runs none of its code.
    spec = importlib.util.find_spec("litellm")
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        try:
            entries: dict[str, dict[str, Any]] = json.loads((Path(place) / _MAP).read_bytes())
        except (OSError, ValueError):
            continue
        return entries
    return {}
