"""Configuration in layers: files, environment and command line become one tree of settings."""

from strata.config import Config, load
from strata.errors import ConfigError, LayerError, SettingError
from strata.layers import Layer, from_env, from_file, from_pairs

__all__ = [
    "Config",
    "ConfigError",
    "Layer",
    "LayerError",
    "SettingError",
    "from_env",
    "from_file",
    "from_pairs",
    "load",
]
