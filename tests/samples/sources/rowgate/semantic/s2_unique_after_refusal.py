"""If the first row with a value was refused for another reason, the next one takes its place."""

from rowgate import Column, Schema, import_csv


def test_a_refused_row_does_not_take_a_unique_value():
    schema = Schema((Column("number", unique=True), Column("day", type="date")))
    result = import_csv(b"number,day\nA1,soon\nA1,2024-03-04\n", schema)
    assert [row["number"] for row in result.rows] == ["A1"]
