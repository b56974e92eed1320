"""Sizes past which data is refused. One place, so that no number is repeated.

The frozen release stays far below all of them (specification parts 1 and 7.3: 300 examples, documents and code of about
23,000 tokens, sessions of at most 908 events). They keep any load under 512 MB of memory and ten seconds.
"""

from __future__ import annotations

__all__ = [
    "MAX_ARCHIVE_BYTES",
    "MAX_ARCHIVE_MEMBERS",
    "MAX_BUNDLE_BYTES",
    "MAX_BUNDLE_FILES",
    "MAX_COMPRESSION_RATIO",
    "MAX_FILE_BYTES",
    "MAX_GZIP_MEMBERS",
    "MAX_HEADER_BYTES",
    "MAX_INTEGER_DIGITS",
    "MAX_JSON_BYTES",
    "MAX_JSON_DEPTH",
    "MAX_JSON_NODES",
    "MAX_NAME_BYTES",
    "MAX_NUMBER_CHARS",
    "MAX_PATH_BYTES",
    "MAX_PATH_PARTS",
    "RATIO_FREE_BYTES",
]

_KIB = 1024
_MIB = 1024 * _KIB

MAX_ARCHIVE_BYTES = 2048 * _MIB
"""Unpacked size of one archive."""
MAX_ARCHIVE_MEMBERS = 100_000
MAX_COMPRESSION_RATIO = 100
"""Unpacked to packed bytes; tar archives of source text stay below 20."""
RATIO_FREE_BYTES = 16 * _MIB
"""The ratio is looked at once this much has been unpacked: a small archive of blank padding is no bomb."""
MAX_GZIP_MEMBERS = 1_000
"""Streams joined in one gzip file; common tools write one."""
MAX_HEADER_BYTES = 64 * _KIB
"""One extended header of a tar archive (long names, pax records)."""

MAX_BUNDLE_FILES = 20_000
MAX_BUNDLE_BYTES = 192 * _MIB
"""All files of one example, which are held in memory while it runs."""
MAX_FILE_BYTES = 64 * _MIB

MAX_JSON_BYTES = 16 * _MIB
MAX_JSON_DEPTH = 64
MAX_JSON_NODES = 250_000
"""Brackets, commas and colons outside of strings."""
MAX_INTEGER_DIGITS = 18
"""More would not fit 64 bits."""
MAX_NUMBER_CHARS = 400
"""Characters of a number with a fraction or exponent."""

MAX_PATH_BYTES = 1024
MAX_NAME_BYTES = 255
MAX_PATH_PARTS = 64
