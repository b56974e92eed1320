"""Cells become values, one function for each type of column."""

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from rowgate.problems import CellError
from rowgate.schema import Column

_GROUPED = re.compile(r"[+-]?(\d+|\d{1,3}([ ']\d{3})+)")
_TRUE = frozenset({"yes", "y", "true", "1", "x"})
_FALSE = frozenset({"no", "n", "false", "0"})


def coerce(column: Column, cell: str) -> Any:
    """Return the value of a cell, or raise CellError."""
    text = cell.strip()
    if text == "":
        if column.required:
            raise CellError("missing", "no value")
        return column.default
    return _READERS[column.type](column, text)


def _integer(column: Column, text: str) -> int:
    if not _GROUPED.fullmatch(text):
        raise CellError("not an integer", text)
    value = int(text.replace(" ", "").replace("'", ""))
    if column.minimum is not None and value < column.minimum:
        raise CellError("too small", f"{value} is below {column.minimum}")
    if column.maximum is not None and value > column.maximum:
        raise CellError("too large", f"{value} is above {column.maximum}")
    return value


def _decimal(column: Column, text: str) -> Decimal:
    mark = max(",.", key=text.rfind)
    grouping = "." if mark == "," else ","
    plain = text.replace(grouping, "").replace(" ", "").replace("'", "").replace(mark, ".")
    try:
        value = Decimal(plain)
    except InvalidOperation:
        raise CellError("not a number", text) from None
    if not value.is_finite():
        raise CellError("not a number", text)
    if column.places is None:
        return value
    return value.quantize(Decimal(1).scaleb(-column.places), rounding=ROUND_HALF_UP)


def _date(column: Column, text: str) -> date:
    for pattern in column.formats:
        try:
            return datetime.strptime(text, pattern).date()
        except ValueError:
            continue
    raise CellError("not a date", text)


def _boolean(column: Column, text: str) -> bool:
    word = text.casefold()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise CellError("not a yes or no", text)


def _choice(column: Column, text: str) -> str:
    for choice in column.choices:
        if choice.casefold() == text.casefold():
            return choice
    raise CellError("not a choice", f"{text}; one of {', '.join(column.choices)}")


_READERS: dict[str, Callable[[Column, str], Any]] = {
    "text": lambda column, text: text,
    "integer": _integer,
    "decimal": _decimal,
    "date": _date,
    "boolean": _boolean,
    "choice": _choice,
}
