"""A group has the line of its first problem."""

from rowgate import Problem, summarize


def test_a_group_starts_where_its_first_problem_is():
    (group,) = summarize([Problem(3, "a", "missing", ""), Problem(900, "a", "missing", "")])
    assert (group.count, group.first_line) == (2, 3)
