"""Facts of a Python file."""

from __future__ import annotations

from ebg.model import ArtifactKind
from ebg.repository._behaviors import behavior_facts
from ebg.repository._facts import Compat, FileFacts, ScopeFacts
from ebg.repository._names import name_facts
from ebg.repository._reference import reference_behavior_facts
from ebg.repository._syntax import PythonScope, read_python
from ebg.repository._whole import whole_file_facts

__all__ = ["MAX_PARSED_BYTES", "python_facts"]

MAX_PARSED_BYTES = 4 * 1024 * 1024
"""A syntax tree takes some thirty times the size of its text."""


def python_facts(
    path: str, kind: ArtifactKind, language: str, text: str, lines: tuple[str, ...], *, compat: Compat | None = None
) -> FileFacts:
    """Return scopes, evidence, behaviors and names of Python text, whole or broken.

    With `compat="reference"` broken text is one evidence and no behavior, and behaviors follow the reference rules.
    """
    source = text.encode()
    if len(source) > MAX_PARSED_BYTES:
        too_large = f"not parsed: larger than {MAX_PARSED_BYTES} bytes"
        return whole_file_facts(path, kind, language, text, lines, note=too_large)
    if not lines:
        return FileFacts(path, kind, language)
    syntax = read_python(source)
    note = None if syntax.error_line is None else f"syntax error in line {syntax.error_line}"
    if compat == "reference" and note is not None:
        return whole_file_facts(path, kind, language, text, lines, note=note)
    behaviors = behavior_facts(syntax) if compat is None else reference_behavior_facts(syntax, lines)
    return FileFacts(
        path=path,
        kind=kind,
        language=language,
        scopes=_scopes(syntax.scopes),
        evidence=tuple(syntax.evidence),
        behaviors=tuple(behaviors),
        names=name_facts(syntax),
        note=note,
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
