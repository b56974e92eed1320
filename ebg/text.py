"""Text from outside, made safe to show: on a terminal, in a page, in a message."""

from __future__ import annotations

import re

__all__ = ["visible"]

# C0 and C1 controls but tab and newline, zero-width and direction marks, line and paragraph separators, surrogates.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def visible(text: str) -> str:
    """Return `text` with characters that do not show, or that reorder or steer others, as marks with their code point.

    Tabs and newlines stay; CR LF becomes LF.
    """
    return _HIDDEN.sub(lambda match: f"\\u{{{ord(match.group()):x}}}", text.replace("\r\n", "\n"))
