"""What can be wrong with a cell or a row."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One complaint; `column` is empty if it concerns the whole row."""

    line: int
    column: str
    kind: str
    detail: str


class CellError(ValueError):
    """A cell can not be read as its column wants it."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
