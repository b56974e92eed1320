"""The method `base` (specification ebg-method.md, parts 7.2 and 7.4)."""

from __future__ import annotations

import json

from agentmonbench import methods
from agentmonbench.examples import Document, Example
from ebg.tokens import estimate
from ebg.trajectory.events import TraceEvent
from ebg.view import Budgets


def test_the_index_lists_blocks_of_at_most_400_lines(example: Example) -> None:
    workspace = methods.get("base").open(example)
    # Ids by path; tests are no production files. With 6 blocks each of the 8 lanes holds at most one.
    assert workspace.index_text.split("\n") == [
        "Read ID | File | Lines",
        "B0001 | app/api.py | 1-13",
        "B0002 | app/long.py | 1-400",
        "B0003 | app/long.py | 401-800",
        "B0004 | app/long.py | 801-901",
        "B0005 | app/util.py | 1-6",
        "B0006 | settings.toml | 1-2",
    ]
    assert list(workspace.leading_files) == ["app/api.py", "app/long.py", "app/util.py", "settings.toml"]
    assert workspace.max_read_ids == 6


def test_a_read_shows_numbered_lines_once(example: Example) -> None:
    workspace = methods.get("base").open(example)
    reply = workspace.read(["B0005", "B0006"])
    assert reply.text == (
        "## app/util.py@1-6\n1 | def logged(function):\n2 |     return function\n3 | \n4 | \n"
        "5 | def helper(name):\n6 |     return name.strip()\n\n## settings.toml@1-2\n1 | [app]\n2 | mode = 'fast'"
    )
    assert workspace.shown.lines == {"app/util.py": {1, 2, 3, 4, 5, 6}, "settings.toml": {1, 2}}
    assert workspace.read(["B0006"]).text == "settings.toml: lines 1-2 were shown before"
    error = workspace.read(["B0001", "B0099"])
    assert error.error == "unknown_or_unexposed_id"
    assert "app/api.py" not in workspace.shown.lines


def test_search_goes_from_ids_and_paths_to_words(example: Example) -> None:
    workspace = methods.get("base").open(example)
    assert workspace.search("b0003").ids == ("B0003",)
    assert workspace.search("APP/LONG.PY").ids == ("B0002", "B0003", "B0004")
    assert workspace.search("app long").ids == ("B0002", "B0003", "B0004")  # words of the path before words of the text
    assert workspace.search("strip").ids == ("B0005",)
    assert workspace.search("helper empty").ids == ("B0001",)
    assert workspace.search("helper submarine").ids == ("B0001", "B0005")  # the best partial match
    assert workspace.search("submarine").text == "hits: 0"


def many(count: int) -> Example:
    files = {f"pkg/part{number % 2}/m{number:02}.py": b"shared = 1\n" for number in range(count)}
    return Example("sg_1", "specgap", document=Document("d.md", "text"), files=files)


def test_a_broad_search_lists_ids_under_fair_and_hints_under_paper() -> None:
    fair = methods.get("base").open(many(14)).search("shared")
    assert len(fair.ids) == 12
    assert fair.text.startswith("hits: 12 of 14\n")
    paper = methods.get("base", protocol="paper").open(many(14)).search("shared")
    assert paper.ids == ()
    assert paper.text == "hits: 14, too many to list; narrow the search\npkg/part0: 7\npkg/part1: 7"


def test_a_long_index_is_cut_at_its_budget_and_search_finds_the_rest() -> None:
    workspace = methods.get("base").open(many(999))
    assert len(workspace.index_text.encode()) / 3 <= 3_072 + 20
    rows = workspace.index_text.split("\n")
    assert rows[1:4] == ["B0001 | pkg/part0/m00.py | 1-1", rows[2], rows[3]]
    assert rows[2].startswith("B0126 |")  # 999 blocks in 8 stretches of 125
    assert rows[-1].endswith("more blocks are not listed)")
    listed = {row.split(" ")[0] for row in rows[1:-1]}
    hidden = next(f"B{number:04}" for number in range(1, 1000) if f"B{number:04}" not in listed)
    assert workspace.read([hidden]).error == "unknown_or_unexposed_id"
    assert workspace.search(hidden).ids == (hidden,)
    assert workspace.read([hidden]).error is None


def test_what_does_not_fit_a_read_is_deferred() -> None:
    line = b"x = '" + b"y" * 994 + b"'\n"  # about 334 tokens a line with its number
    files = {f"{name}.py": line * 90 for name in "abc"}  # about 30,000 tokens a file
    workspace = methods.get("base").open(Example("sg_1", "specgap", document=Document("d.md", "t"), files=files))
    reply = workspace.read(["B0001", "B0002", "B0003"])
    assert reply.deferred == ("B0003",)
    assert reply.text.endswith("deferred: B0003")
    assert "c.py" not in workspace.shown.lines
    assert workspace.read(["B0003"]).text.startswith("## c.py@1-90\n")


def test_huge_lines_are_cut_and_always_fit() -> None:
    files = {"data.py": b"".join(b"a" * 100_000 + b"\n" for _ in range(30))}
    workspace = methods.get("base").open(Example("sg_1", "specgap", document=Document("d.md", "t"), files=files))
    for row in workspace.index_text.split("\n")[1:]:
        reply = workspace.read([row.split(" ")[0]])
        assert reply.deferred == ()
        assert len(reply.text) <= 65_536 * 3
        assert "[+80000 characters]" in reply.text
    assert workspace.shown.lines["data.py"] == set(range(1, 31))


def test_a_session_is_shown_as_its_raw_events() -> None:
    events = (
        TraceEvent("user_prompt", 1, "Add it."),
        TraceEvent("assistant_response", 1, "Added.", evidence_id="e_1_assistant_response_0"),
    )
    workspace = methods.get("base").open(Example("ft_1", "feedbacktrace", events=events, cutoff_turn=2))
    assert workspace.max_read_ids == 0
    assert json.loads(workspace.index_text)["selectable_evidence_ids"] == ["e_1_assistant_response_0"]
    assert workspace.shown.events == {"e_1_assistant_response_0"}


def test_smaller_budgets_are_kept(example: Example) -> None:
    small = Budgets(index=40, read=200, unit=200, hits=2)
    for name in methods.METHODS:
        workspace = methods.get(name).open(example, budgets=small)
        assert estimate(workspace.index_text) <= 60  # a line that says how much is not listed may follow
        reply = workspace.search("app")
        assert len(reply.ids) <= 2
        assert estimate(workspace.read(list(reply.ids)).text) <= 220
