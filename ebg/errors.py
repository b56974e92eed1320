"""Errors of the library.

    EbgError
    |-- SourceError       a repository or file cannot be read as asked (missing path, nothing admitted, limits)
    |-- TranscriptError   a session file is unknown, mixed or broken beyond reading
    |-- GraphError        a saved graph does not satisfy the published form
    `-- UsageError        an option or id that does not exist; the message lists what does

Messages say what was wrong, where, and what would be right; commands print them without a traceback.
"""

__all__ = ["EbgError", "GraphError", "SourceError", "TranscriptError", "UsageError"]


class EbgError(Exception):
    """Base of every error that the library raises on purpose."""


class SourceError(EbgError):
    """A repository, folder or file cannot be read as asked."""


class TranscriptError(EbgError):
    """A transcript is of no known format, of several at once, or broken beyond reading."""


class GraphError(EbgError):
    """A saved graph breaks a rule of the published form."""


class UsageError(EbgError):
    """An option, id or name that does not exist."""
