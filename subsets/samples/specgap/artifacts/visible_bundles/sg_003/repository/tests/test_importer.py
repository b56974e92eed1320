from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from rowgate import (
    Column,
    HeaderError,
    ImportFailure,
    Problem,
    Schema,
    TooManyProblems,
    import_csv,
    load_schema,
    render,
    summarize,
)

INVOICES = Path(__file__).parent.parent / "schemas" / "invoices.toml"


def values(cell, **options):
    result = import_csv(f"a;b\n{cell};1\n".encode(), Schema((Column("a", **options),)))
    return [row["a"] for row in result.rows] or [problem.kind for problem in result.problems]


def test_an_invoice_file():
    text = "\ufeffInvoice No.;Issued;Amount;Status;Clerk\nA1;31/01/2024;1.234,50;paid;Bo\n\nA2;2024-02-01;7;;\n"
    result = import_csv(text.encode(), load_schema(INVOICES))
    first = result.rows[0]
    assert (first["number"], first["issued"], first["amount"]) == ("A1", date(2024, 1, 31), Decimal("1234.50"))
    assert (first["positions"], first["status"], first["reverse_charge"]) == (1, "Paid", None)
    assert result.rows[1]["status"] == "Open"
    assert result.problems == []
    assert result.ignored_columns == ("Clerk",)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("12", 12), ("-5", -5), ("12 500", 12500), ("1'000", 1000), ("12.5", "not an integer"), ("x", "not an integer")],
)
def test_integers(cell, expected):
    assert values(cell, type="integer") == [expected]


@pytest.mark.parametrize(("cell", "expected"), [("1", 1), ("5", 5), ("0", "too small"), ("6", "too large")])
def test_limits_are_allowed(cell, expected):
    assert values(cell, type="integer", minimum=1, maximum=5) == [expected]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("1.234,5", "1234.50"), ("1,234.5", "1234.50"), ("0,125", "0.13"), ("-0.125", "-0.13"), ("7", "7.00")],
)
def test_decimals(cell, expected):
    assert values(cell, type="decimal", places=2) == [Decimal(expected)]


@pytest.mark.parametrize("cell", ["abc", "1,2.3.4", "NaN"])
def test_not_decimals(cell):
    assert values(cell, type="decimal") == ["not a number"]


def test_dates_may_have_several_formats():
    formats = ["%Y-%m-%d", "%d.%m.%Y"]
    assert values("2024-02-03", type="date", formats=formats) == [date(2024, 2, 3)]
    assert values("03.02.2024", type="date", formats=formats) == [date(2024, 2, 3)]
    assert values("2024-02-30", type="date", formats=formats) == ["not a date"]


def test_words():
    assert [values(cell, type="boolean") for cell in ("Yes", "0", "maybe")] == [[True], [False], ["not a yes or no"]]
    assert [values(cell, type="choice", choices=["Red"]) for cell in ("RED", "blue")] == [["Red"], ["not a choice"]]


def test_empty_cells():
    assert values("  ", default="d") == ["d"]
    assert values("") == [None]
    assert values("", required=True) == ["missing"]


def test_headers_are_checked():
    schema = Schema((Column("a", required=True), Column("b", required=True), Column("c")))
    with pytest.raises(HeaderError, match="missing columns: a, b"):
        import_csv(b"c\n1\n", schema)
    with pytest.raises(HeaderError, match="two columns for 'a'"):
        import_csv(b"a,A\n1,2\n", schema)


def test_files_as_a_whole():
    schema = Schema((Column("a"),))
    with pytest.raises(ImportFailure, match="empty"):
        import_csv(b"\n \n", schema)
    with pytest.raises(ImportFailure, match="line 2 is not UTF-8"):
        import_csv(b"a\nM\xfcller\n", schema)


def test_short_and_long_records_and_their_lines():
    schema = Schema((Column("a"), Column("b")))
    result = import_csv(b'a,b\n\n"x\ny"\n1,2,3\n', schema)
    assert result.rows == [{"a": "x\ny", "b": None}]
    assert result.problems == [Problem(5, "", "too many cells", "3 instead of 2")]


def test_all_problems_of_a_row_are_told():
    schema = Schema((Column("a", type="integer"), Column("b", type="date")))
    result = import_csv(b"a,b\nx,y\n1,2024-01-01\n", schema)
    assert [problem.column for problem in result.problems] == ["a", "b"]
    assert len(result.rows) == 1


def test_repeated_values_are_problems():
    result = import_csv(b"a,b\n1,x\n1,y\n,x\n,y\n", Schema((Column("a", unique=True), Column("b"))))
    assert [row["b"] for row in result.rows] == ["x", "x", "y"]
    assert result.problems == [Problem(3, "a", "not unique", "1 was in line 2")]


def test_hopeless_files_are_given_up():
    schema = Schema((Column("a", type="integer"),))
    assert len(import_csv(b"a\nx\ny\n", schema, max_problems=2).problems) == 2
    with pytest.raises(TooManyProblems) as caught:
        import_csv(b"a\nx\ny\nz\nw\n", schema, max_problems=2)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]


def test_reports():
    problems = [Problem(4, "b", "missing", "no value"), Problem(2, "a", "missing", "no value")]
    problems += [Problem(7, "b", "not a date", "x"), Problem(9, "", "too many cells", "3 instead of 2")]
    assert [(group.column, group.count) for group in summarize(problems + problems[3:])] == [
        ("", 2),
        ("a", 1),
        ("b", 1),
        ("b", 1),
    ]
    text = render(problems, limit=1)
    assert text.splitlines()[-2:] == ["line 4, b: missing: no value", "... and 3 more"]
    assert "1 x (row): too many cells, first in line 9" in text
