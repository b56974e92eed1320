"""From the bytes of one admitted file to its text and facts: a pure function, whatever the language.

A language with its own module has one entry in `_READERS`; every other is one evidence of the whole file.
"""

from __future__ import annotations

from collections.abc import Callable

from ebg.model import ArtifactKind
from ebg.repository._decode import decode
from ebg.repository._facts import FileFacts
from ebg.repository._lines import split_lines
from ebg.repository._python import python_facts
from ebg.repository._whole import whole_file_facts

__all__ = ["file_facts", "file_text"]

Reader = Callable[[str, ArtifactKind, str, str, tuple[str, ...]], FileFacts]

_READERS: dict[str, Reader] = {
    "python": python_facts,
}


def file_text(data: bytes, language: str) -> str:
    """Return the text that evidence of the file quotes.

    Raises:
        UndecodableError: the bytes are no text.
    """
    return decode(data, python=language in ("python", "python-stub"))


def file_facts(path: str, kind: ArtifactKind, language: str, text: str) -> FileFacts:
    """Return the facts of a file with this text; never raises, whatever the text."""
    lines = split_lines(text)
    reader = _READERS.get(language)
    return (
        whole_file_facts(path, kind, language, lines) if reader is None else reader(path, kind, language, text, lines)
    )
