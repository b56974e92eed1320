"""Everything that ends an import."""

from collections.abc import Sequence

from rowgate.problems import Problem


class RowgateError(Exception):
    """Base of all errors of this package."""


class SchemaError(RowgateError):
    """A schema makes no sense."""


class ImportFailure(RowgateError):
    """A file as a whole can not be imported."""


class HeaderError(ImportFailure):
    """The first line does not fit the schema."""


class TooManyProblems(ImportFailure):
    """An import was given up; `problems` holds what was found until then."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"given up after {len(self.problems)} problems, the last one in line {self.problems[-1].line}")
