"""Everything that Strata raises."""

from collections.abc import Iterable


class ConfigError(Exception):
    """Base of all errors of this package; `problems` holds one line for each thing that is wrong."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


class LayerError(ConfigError):
    """A layer can not be read, or two layers do not fit together."""


class SettingError(ConfigError):
    """A setting is missing, has the wrong type, or refers to something that is not there."""
