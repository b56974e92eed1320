"""Readers of agents' transcripts, one module a format.

Other packages add a format with an entry point of the group `ebg.readers` that names a `Reader`; `SessionBuilder` sees
to it that none of its records is lost.
"""

from ebg.trajectory.readers._builder import Draft, SessionBuilder
from ebg.trajectory.readers._registry import (
    Reader,
    Record,
    detect_format,
    elements,
    json_lines,
    read_transcript,
    read_transcripts,
    reader_names,
)
from ebg.trajectory.readers._source import Line, Shape, Source

__all__ = [
    "Draft",
    "Line",
    "Reader",
    "Record",
    "SessionBuilder",
    "Shape",
    "Source",
    "detect_format",
    "elements",
    "json_lines",
    "read_transcript",
    "read_transcripts",
    "reader_names",
]
