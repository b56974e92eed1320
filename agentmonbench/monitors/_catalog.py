"""Models by name: short names from `monitors.toml`, any other model by its litellm id."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentmonbench.errors import UsageError
from agentmonbench.monitors._prices import ModelFacts, bundled_facts
from agentmonbench.monitors._protocol import Price

__all__ = ["CUSTOM_KEY", "DEFAULT_OUTPUT_TOKENS", "Catalog", "JsonMode", "ModelSpec", "load_catalog"]

DEFAULT_OUTPUT_TOKENS = 32_768
"""Output tokens of one request (specification ebg-method.md, part 7.2), unless the model has fewer."""
_MAX_BYTES = 1_000_000

JsonMode = Literal["object", "schema", "text"]
"""How an answer is made JSON: any object, one of a schema (for runtimes with grammars), or by asking for it."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class _PriceEntry(_Strict):
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)


class _Provider(_Strict):
    key: str | None = None
    api_base: str | None = None


class _Entry(_Strict):
    model: str = Field(min_length=1)
    options: dict[str, Any] = Field(default_factory=dict)
    json_mode: JsonMode = Field(default="text", alias="json")
    context_tokens: int | None = Field(default=None, ge=1)
    output_tokens: int | None = Field(default=None, ge=1)
    price: _PriceEntry | None = None
    api_base: str | None = None
    key: str | None = None


class _File(_Strict):
    providers: dict[str, _Provider] = Field(default_factory=dict)
    monitors: dict[str, _Entry] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model as it is asked for."""

    name: str
    """The name in records and tables."""
    model: str
    """litellm id."""
    api_base: str | None
    """Endpoint that was asked for; None for the provider's own."""
    direct_base: str | None
    """OpenAI-compatible endpoint for the direct client, if one is known."""
    key_name: str | None
    """Environment variable that holds the key; None when not known."""
    json_mode: JsonMode
    output_tokens: int
    context_tokens: int | None
    price: Price | None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def provider(self) -> str:
        """The part of the id before the first slash."""
        return self.model.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Catalog:
    """The short names and providers that are known."""

    entries: Mapping[str, _Entry]
    providers: Mapping[str, _Provider]

    @property
    def names(self) -> tuple[str, ...]:
        """All short names, sorted."""
        return tuple(sorted(self.entries))

    def spec(self, name: str, *, api_base: str | None = None) -> ModelSpec | None:
        """Return the model `name`, or None when it is neither a short name nor an id with a provider.

        Args:
            name: a short name, or an id such as `openrouter/vendor/model`.
            api_base: endpoint instead of the provider's own; then a bare name is a model of that endpoint.
        """
        entry = self.entries.get(name)
        if entry is None:
            if "/" not in name and api_base is None:
                return None
            entry = _Entry(model=name if "/" in name else f"openai/{name}")
        base = checked_base(api_base or entry.api_base)
        provider = self.providers.get(entry.model.partition("/")[0], _Provider())
        facts = bundled_facts(entry.model) or ModelFacts()
        output = entry.output_tokens or min(facts.output_tokens or DEFAULT_OUTPUT_TOKENS, DEFAULT_OUTPUT_TOKENS)
        price = facts.price
        if entry.price is not None:
            price = Price(entry.price.input, entry.price.output, entry.price.cached)
        # A provider's key is never sent to an endpoint that is not the provider's.
        key_name = entry.key or (provider.key if base is None else CUSTOM_KEY)
        return ModelSpec(
            name=name,
            model=entry.model,
            api_base=base,
            direct_base=base or provider.api_base,
            key_name=key_name,
            json_mode=entry.json_mode,
            output_tokens=output,
            context_tokens=entry.context_tokens or facts.context_tokens,
            price=price if base is None or entry.price is not None else None,
            options=entry.options,
        )


CUSTOM_KEY = "AGENTMONBENCH_API_KEY"
"""Environment variable with the key of an endpoint given by `--api-base`; not needed where none is asked for."""


def load_catalog(extra: Path | None = None) -> Catalog:
    """Return the bundled names, extended and overridden by those of the file `extra`.

    Raises:
        UsageError: when the file cannot be read or breaks the form; the message names the place.
    """
    bundled = _bundled()
    if extra is None:
        return Catalog(bundled.monitors, bundled.providers)
    own = _parse(_read(extra), str(extra))
    return Catalog({**bundled.monitors, **own.monitors}, {**bundled.providers, **own.providers})


@cache
def _bundled() -> _File:
    text = files("agentmonbench.monitors").joinpath("monitors.toml").read_text(encoding="utf-8")
    return _parse(text, "monitors.toml")


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UsageError(f"{path}: larger than {_MAX_BYTES:,} bytes")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error


def _parse(text: str, name: str) -> _File:
    try:
        return _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}: not TOML: {error}") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise UsageError(f"{name}: {problems}") from error


def checked_base(api_base: str | None) -> str | None:
    """Return an endpoint without its trailing slash.

    Raises:
        UsageError: when it is not an HTTP address, or holds a password or a query that could be a key.
    """
    if api_base is None:
        return None
    parts = urlsplit(api_base)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("the API base must be an http or https address, for example http://127.0.0.1:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(f"the API base must not hold a password or a query; put the key into {CUSTOM_KEY}")
    return api_base.rstrip("/")
