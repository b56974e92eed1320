"""Files whose language has no module here: one evidence, the whole file, so that they can be read and searched."""

from __future__ import annotations

from ebg.model import ArtifactKind
from ebg.repository._facts import FileFacts, ScopeFacts
from ebg.repository._syntax import MODULE

__all__ = ["whole_file_facts"]


def whole_file_facts(
    path: str, kind: ArtifactKind, language: str, text: str, lines: tuple[str, ...], *, note: str | None = None
) -> FileFacts:
    """Return facts with the single scope `<module>` that owns all lines."""
    del text  # readers of other languages need it
    if not lines:
        return FileFacts(path, kind, language, note=note)
    span = (1, len(lines))
    scope = ScopeFacts(MODULE, "file", (span,), (1, 1))
    blank = all(not line.strip() for line in lines)
    return FileFacts(path, kind, language, (scope,), () if blank else ((MODULE, *span),), note=note)
