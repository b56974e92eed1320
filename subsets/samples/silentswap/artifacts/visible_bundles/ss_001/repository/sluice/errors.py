"""Everything that Sluice raises."""


class SluiceError(Exception):
    """Base of all errors of this package."""


class PolicyError(SluiceError):
    """A policy or a rate string is malformed."""


class UnknownKeyError(SluiceError):
    """No rule speaks about a key."""


class CostError(SluiceError):
    """A request asks for a cost that makes no sense for its rule."""


class LimitTimeout(SluiceError):
    """A caller waited for tokens that did not come in time."""
