"""Exceptions of the queue, and those by which a handler tells how it failed."""


class JobError(Exception):
    """A job can not be accepted."""


class LeaseLost(Exception):
    """A worker speaks about a job that is no longer its own."""


class Permanent(Exception):
    """Raised by a handler: trying again will not help."""


class Retry(Exception):
    """Raised by a handler: try again, after `after_s` seconds if that is given."""

    def __init__(self, message: str = "", after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s
