"""Separators between other groups than three digits are a problem."""

from rowgate import Column, Schema, import_csv


def test_two_numbers_in_one_cell_are_a_problem():
    result = import_csv(b"n\n3 12\n", Schema((Column("n", type="integer"),)))
    assert [problem.kind for problem in result.problems] == ["not an integer"]
