"""An empty cell gets the default of its column, also if that default is 0 or false."""

from rowgate import Column, Schema, import_csv


def test_zero_is_a_default():
    schema = Schema((Column("name"), Column("discount", type="integer", default=0)))
    assert import_csv(b"name,discount\na,\n", schema).rows == [{"name": "a", "discount": 0}]
