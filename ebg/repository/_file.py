"""From the bytes of one admitted file to its text and facts: a pure function, whatever the language.

A language with its own module has one entry in `_READERS`; every other is one evidence of the whole file.
"""

from __future__ import annotations

from collections.abc import Callable

from ebg.model import ArtifactKind
from ebg.repository._configuration import configuration_facts
from ebg.repository._decode import decode
from ebg.repository._facts import Compat, FileFacts
from ebg.repository._javascript import javascript_facts
from ebg.repository._lines import split_lines
from ebg.repository._notebook import notebook_text
from ebg.repository._python import python_facts
from ebg.repository._templates import template_facts
from ebg.repository._whole import whole_file_facts

__all__ = ["file_facts", "file_text"]

Reader = Callable[[str, ArtifactKind, str, str, tuple[str, ...]], FileFacts]

PYTHON = frozenset(["notebook", "python", "python-stub"])
_READERS: dict[str, Reader] = {
    "ini": configuration_facts,
    "javascript": javascript_facts,
    "json": configuration_facts,
    "requirements": configuration_facts,
    "toml": configuration_facts,
    "yaml": configuration_facts,
}


def file_text(data: bytes, language: str) -> str:
    """Return the text that evidence of the file quotes.

    Raises:
        UndecodableError: the bytes are no text.
    """
    if language == "notebook":
        return notebook_text(data)
    return decode(data, python=language in ("python", "python-stub"))


def file_facts(path: str, kind: ArtifactKind, language: str, text: str, *, compat: Compat | None = None) -> FileFacts:
    """Return the facts of a file with this text; never raises, whatever the text."""
    lines = split_lines(text)
    if language in PYTHON:
        return python_facts(path, kind, language, text, lines, compat=compat)
    if compat == "reference" and kind in ("source", "executable"):
        return whole_file_facts(path, kind, language, text, lines)
    reader = template_facts if kind == "runtime_template" else _READERS.get(language, whole_file_facts)
    return reader(path, kind, language, text, lines)
