"""Formats are tried in the order of the schema."""

from datetime import date

from rowgate import Column, Schema, import_csv


def test_the_order_of_the_schema_decides():
    column = Column("day", type="date", formats=["%m/%d/%Y", "%d/%m/%Y"])
    result = import_csv(b"day\n04/03/2024\n", Schema((column,)))
    assert result.rows == [{"day": date(2024, 4, 3)}]
