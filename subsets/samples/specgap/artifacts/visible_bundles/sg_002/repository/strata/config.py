"""The finished configuration."""

import copy
from collections.abc import Iterable
from typing import Any

from strata.errors import SettingError
from strata.keys import join, split
from strata.layers import Layer
from strata.merge import merge
from strata.references import find, resolve

_SECRET = ("password", "secret", "token")
_HIDDEN = "***"


class Config:
    """Settings by dotted path, read only."""

    def __init__(self, data: dict[str, Any], origins: dict[str, str]) -> None:
        self._data = data
        self._origins = origins

    def get(self, path: str, default: Any = None) -> Any:
        """Return a setting, or the default if no layer sets it."""
        known, value = find(self._data, split(path))
        return copy.deepcopy(value) if known else default

    def require(self, path: str, kind: type) -> Any:
        """Return a setting that must be there and of a given type.

        Raises:
            SettingError: If it is not.
        """
        known, value = find(self._data, split(path))
        name = join(split(path))
        if not known:
            raise SettingError([f"{name}: not set"])
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise SettingError([f"{name}: {type(value).__name__} instead of {kind.__name__}, from {self.origin(path)}"])
        return copy.deepcopy(value)

    def origin(self, path: str) -> str | None:
        """Return the name of the layer that decided about a path, None if it is not set."""
        return self._origins.get(join(split(path)))

    def redacted(self) -> dict[str, Any]:
        """Return all settings in a form that may be logged."""
        return _redact(self._data)


def load(layers: Iterable[Layer], *, append: Iterable[str] = ()) -> Config:
    """Merge layers, resolve their references and return the configuration."""
    merged = merge(layers, append)
    return Config(resolve(merged.data), merged.origins)


def _redact(value: Any, secret: bool = False) -> Any:
    if isinstance(value, dict):
        return {key: _redact(item, secret or any(word in key for word in _SECRET)) for key, item in value.items()}
    if isinstance(value, list):
        return [_redact(item, secret) for item in value]
    return _HIDDEN if secret and value not in ("", None) else value
