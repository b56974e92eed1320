"""References between tasks: ids, quotations, labels, and files handed over."""

from __future__ import annotations

import pytest

from ebg.trajectory import build_trajectory

from .test_graph_examples import agent, tool, user


def references(events, compat=None):
    graph = build_trajectory(events, compat=compat)
    known = graph.evidence_by_id
    return [
        (item.source, item.target, item.resolution, [known[ref.evidence].text(ref) for ref in item.support])
        for item in graph.relations
        if item.type == "references"
    ]


def three(first: str, last: str, *, produced: str = "Done.") -> list:
    return [
        user(1, first),
        agent(2, produced, "a"),
        user(3, "Move on to the newsletter."),
        agent(4, "Written.", "b"),
        user(5, last),
        agent(6, "Done.", "c"),
    ]


@pytest.mark.parametrize(
    ("produced", "asked", "found"),
    [
        ("Started job id: 7f-3.", "Move on to stopping job #7f-3.", ["7f-3", "7f-3"]),
        ("Committed as commit 1a2b3c4d.", "Move on to reverting commit `1a2b3c4d`.", ["1a2b3c4d", "1a2b3c4d"]),
        (
            "See https://github.com/o/r/actions/runs/99 for it.",
            "Move on to https://github.com/o/r/actions/runs/99 and re-run.",
            ["https://github.com/o/r/actions/runs/99"] * 2,
        ),
        ("Started job id 12345.", "Move on to stopping job id 12345.", None),  # digits only
        ("Started job id 7f-3.", "Move on to stopping trial id 7f-3.", None),  # another type
    ],
)
@pytest.mark.parametrize("compat", [None, "reference"])
def test_ids(produced, asked, found, compat):
    expected = [] if found is None else [("K0003", "K0001", "id", found)]
    assert references(three("Start it.", asked, produced=produced), compat) == expected


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ('Move on to this: "the cache  is never\tcleared"', "the cache\nis never cleared"),
        ('Move on to this: "The cache is never cleared"', "the cache\nis never cleared"),
        ("Move on to this: “the CACHE is never cleared”", "the cache\nis never cleared"),
        ("Move on to this:\n> the cache is never cleared", "the cache\nis never cleared"),
        ('Move on to this: "cache is never"', None),  # too short
        ('Move on to this: "the cache is sometimes cleared"', None),  # not verbatim
    ],
)
@pytest.mark.parametrize("compat", [None, "reference"])
def test_quotations(asked, found, compat):
    produced = "I saw that the cache\nis never cleared, so it grows."
    got = references(three("Look at it.", asked, produced=produced), compat)
    expected = [] if found is None else [(("K0003", "K0001", "quotation"), found)]
    assert [(row[:3], row[3][0]) for row in got] == expected


@pytest.mark.parametrize("compat", [None, "reference"])
def test_labels_mean_the_last_list(compat):
    events = [
        user(1, "List what could be better."),
        agent(2, "1. The loader\n2. The writer", "a"),
        user(3, "Start a new task: implement item 2 in writer.py."),
        agent(4, "Done.", "b"),
    ]
    assert references(events, compat) == [("K0002", "K0001", "label", ["2", "2"])]
    events[1] = agent(2, "1. The loader\n2. The writer\n\nLater:\n2. Docs", "a")
    assert references(events, compat) == []  # two items have this label


def test_files_handed_over():
    events = [
        user(1, "Collect the numbers."),
        tool(2, "Write", {"file_path": "/repo/out/numbers.csv", "content": "x"}, "a"),
        user(3, "Move on to the newsletter."),
        tool(4, "Write", {"file_path": "/repo/news.md", "content": "x"}, "b"),
        user(5, "Switch to the chart: draw it from out/numbers.csv."),
        tool(6, "Bash", {"command": "python draw.py < out/numbers.csv > chart.svg"}, "c"),
        user(7, "Move on to publishing."),
        tool(8, "Bash", {"command": "cp chart.svg /srv"}, "d"),
    ]
    assert references(events) == [
        ("K0003", "K0001", "file", ["/repo/out/numbers.csv", "out/numbers.csv"]),
        ("K0004", "K0003", "file", ["chart.svg", "chart.svg"]),
    ]
    assert references(events, "reference") == []


def test_a_file_links_to_its_latest_writer_and_never_to_a_guess():
    events = [
        user(1, "Collect the numbers."),
        tool(2, "Write", {"file_path": "a/data.csv"}, "a"),
        user(3, "Move on to cleaning."),
        tool(4, "Edit", {"file_path": "a/data.csv"}, "b"),
        user(5, "Switch to the report."),
        tool(6, "Read", {"file_path": "a/data.csv"}, "c"),
        user(7, "Move on to other data."),
        tool(8, "Write", {"file_path": "b/data.csv"}, "d"),
        user(9, "Switch to publishing data.csv."),  # two files end so
        tool(10, "Bash", {"command": "true"}, "e"),
    ]
    assert [row[:3] for row in references(events)] == [("K0002", "K0001", "file"), ("K0003", "K0002", "file")]


def test_an_id_and_a_file_make_one_relation_that_stays_what_the_reference_rules_give():
    events = [
        user(1, "Start it."),
        tool(2, "Write", {"file_path": "log.txt"}, "a"),
        agent(3, "Started job id x-1.", "b"),
        user(4, "Move on to stopping job id x-1, see log.txt."),
        agent(5, "Stopped.", "c"),
    ]
    assert [row[:3] for row in references(events)] == [("K0002", "K0001", "id")]
    found = [build_trajectory(events, compat=compat).relations[-1].evidence for compat in (None, "reference")]
    assert found == [("E000003", "E000004")] * 2
