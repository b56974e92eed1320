"""Facts of a Python file."""

from __future__ import annotations

from ebg.model import ArtifactKind
from ebg.repository._behaviors import behavior_facts
from ebg.repository._facts import FileFacts, ScopeFacts
from ebg.repository._syntax import PythonScope, read_python
from ebg.repository._whole import whole_file_facts

__all__ = ["MAX_PARSED_BYTES", "python_facts"]

MAX_PARSED_BYTES = 4 * 1024 * 1024
"""A syntax tree takes some thirty times the size of its text."""


def python_facts(path: str, kind: ArtifactKind, language: str, text: str, lines: tuple[str, ...]) -> FileFacts:
    """Return scopes, evidence, behaviors and names of Python text, whole or broken."""
    source = text.encode()
    if len(source) > MAX_PARSED_BYTES:
        note = f"not parsed: larger than {MAX_PARSED_BYTES} bytes"
        return whole_file_facts(path, kind, language, text, lines, note=note)
    if not lines:
        return FileFacts(path, kind, language)
    syntax = read_python(source)
    return FileFacts(
        path=path,
        kind=kind,
        language=language,
        scopes=_scopes(syntax.scopes),
        evidence=tuple(syntax.evidence),
        behaviors=tuple(behavior_facts(syntax)),
        note=None if syntax.error_line is None else f"syntax error in line {syntax.error_line}",
    )


def _scopes(scopes: list[PythonScope]) -> tuple[ScopeFacts, ...]:
    merged: dict[str, ScopeFacts] = {}
    for scope in scopes:
        known = merged.get(scope.symbol)
        span = (scope.first_line, scope.last_line)
        if known is None:
            merged[scope.symbol] = ScopeFacts(scope.symbol, scope.kind, (span,), (scope.first_line, scope.header_last))
        elif span not in known.spans:
            merged[scope.symbol] = known._replace(spans=(*known.spans, span))
    return tuple(merged.values())
