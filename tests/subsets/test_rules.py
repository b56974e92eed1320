"""Each rule of a bundle and its gold (specification parts 1.3 to 1.8), broken one at a time and all at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import subsets

SG = "specgap/artifacts/visible_bundles/sg_001"
FT = "feedbacktrace/artifacts/visible_bundles/ft_001_long"
MANIFEST = "input_manifest.json"
TRACE = "trace/model_input.json"

Edit = Callable[[Any], object]


def visible_rules(layout: Any, subset: str, known: str) -> list[tuple[str, str]]:
    """Return file and rule of each problem, the file without the folder of the bundle."""
    loaded = subsets.load(subset, layout.root)
    assert known in loaded.ids
    with pytest.raises(subsets.BundleError) as caught:
        loaded.example(known)
    prefix = f"visible_bundles/{known}/"
    return [(problem.file.removeprefix(prefix), problem.rule) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda m: m.update(extra=1), [(MANIFEST, "unknown key 'extra'")]),
        (lambda m: m.update(cutoff_turn=3), [(MANIFEST, "unknown key 'cutoff_turn'")]),
        (lambda m: m.pop("benchmark"), [(MANIFEST, "key 'benchmark' is missing")]),
        (lambda m: m.update(benchmark="silentswap"), [(MANIFEST, "benchmark is 'silentswap'; it must be 'specgap'")]),
        (
            lambda m: m.update(input_id="sg_002"),
            [(MANIFEST, "input_id is 'sg_002'; it must equal the folder's name, 'sg_001'")],
        ),
        (
            lambda m: m["visible_files"].append("repository/conf/load.py"),
            [(MANIFEST, "visible_files names 'repository/conf/load.py' 2 times")],
        ),
        (
            lambda m: m["visible_files"].append("repository/gone.py"),
            [("repository/gone.py", "is named in visible_files and is missing")],
        ),
        (
            lambda m: m["visible_files"].remove("repository/conf/load.py"),
            [("repository/conf/load.py", "is not named in visible_files")],
        ),
        (
            lambda m: m["visible_files"].append("repository/../x"),
            [
                (
                    MANIFEST,
                    "visible_files names 'repository/../x', which is not canonical: it has a part that is empty, "
                    "'.' or '..'",
                )
            ],
        ),
        (lambda m: m["visible_files"].append(MANIFEST), [(MANIFEST, "visible_files names the manifest itself")]),
        (
            lambda m: m.update(visible_files=[]),
            [(MANIFEST, "visible_files has 0 items; it needs at least 1")],
        ),
        (lambda m: m["visible_files"].append(7), [(MANIFEST, "visible_files[3] is no string")]),
    ],
)
def test_manifest_rules(layout: Any, edit: Edit, expected: list[tuple[str, str]]) -> None:
    layout.change(f"{SG}/{MANIFEST}", edit)
    assert visible_rules(layout, "specgap", "sg_001") == expected


@pytest.mark.parametrize("value", [0, -1, True, "3", 3.5])
def test_the_cutoff_is_a_positive_integer(layout: Any, value: object) -> None:
    layout.change(f"{FT}/{MANIFEST}", lambda m: m.update(cutoff_turn=value))
    ((file, rule),) = visible_rules(layout, "feedbacktrace", "ft_001_long")
    assert file == MANIFEST
    assert rule in {"cutoff_turn is no integer", "cutoff_turn must be greater than 0"}


def test_a_session_needs_its_cutoff(layout: Any) -> None:
    layout.change(f"{FT}/{MANIFEST}", lambda m: m.pop("cutoff_turn"))
    assert visible_rules(layout, "feedbacktrace", "ft_001_long") == [(MANIFEST, "key 'cutoff_turn' is missing")]


@pytest.mark.parametrize(
    ("edit", "rule"),
    [
        (lambda t: t.update(more=1), "unknown key 'more'"),
        (lambda t: t.update(events=[]), "events has 0 items; it needs at least 1"),
        (lambda t: t.update(input_id="x"), "input_id is 'x'; it must equal the folder's name, 'ft_001_long'"),
        (lambda t: t["events"][0].update(role="u"), "unknown key 'role' in events[0]"),
        (lambda t: t["events"][0].pop("content"), "key 'content' is missing in events[0]"),
        (lambda t: t["events"][0].update(content=None), "events[0].content is no string"),
        (
            lambda t: t["events"][0].update(event_type="thought"),
            "events[0].event_type must be 'system', 'user_prompt', 'assistant_response' or 'tool_exchange'",
        ),
        (
            lambda t: t["events"][0].update(turn_number=-1),
            "events[0].turn_number must be at least 0",
        ),
        (lambda t: t["events"][1].update(turn_number=0), "events[1]: turn_number 0 follows 1; it may not decrease"),
        (lambda t: t["events"][2].update(turn_number=3), "events[2]: turn_number 3 is not before cutoff_turn, 3"),
        (
            lambda t: t["events"][2].update(evidence_id="e_1_assistant_response_0"),
            "events[2]: evidence_id 'e_1_assistant_response_0' is used before",
        ),
        (
            lambda t: t["events"][0].update(evidence_id="e_0"),
            "events[0]: user_prompt has an evidence_id; only what the agent said or did can be cited",
        ),
        (
            lambda t: t["events"][1].update(evidence_id=""),
            "events[1].evidence_id is empty",
        ),
        (lambda t: t["events"][2].pop("tool_name"), "events[2]: tool_exchange has no tool_name"),
        (lambda t: t["events"][1].update(tool_name="sh"), "events[1]: assistant_response has a tool_name"),
    ],
)
def test_trace_rules(layout: Any, edit: Edit, rule: str) -> None:
    layout.change(f"{FT}/{TRACE}", edit)
    assert visible_rules(layout, "feedbacktrace", "ft_001_long") == [(TRACE, rule)]


def test_a_session_without_citable_ids_on_some_steps_is_read(layout: Any) -> None:
    layout.change(f"{FT}/{TRACE}", lambda t: t["events"][1].pop("evidence_id"))
    assert subsets.load("feedbacktrace", layout.root)["ft_001_long"].events[1].evidence_id is None


def test_the_id_of_a_session_ends_in_long(layout: Any) -> None:
    folder = layout.root / "feedbacktrace/artifacts/visible_bundles"
    (folder / "ft_001_long").rename(folder / "ft_001")
    assert (
        MANIFEST,
        "the id 'ft_001' does not end in '_long', as FeedbackTrace ids do",
    ) in visible_rules(layout, "feedbacktrace", "ft_001")


def test_files_have_their_places(layout: Any) -> None:
    layout.put(f"{SG}/documents/other.md", "")
    layout.change(f"{SG}/{MANIFEST}", lambda m: m["visible_files"].append("documents/other.md"))
    assert visible_rules(layout, "specgap", "sg_001") == [
        (
            "documents/other.md",
            "has no place in a specgap bundle, which holds documents/3_document_after.md and files below repository/",
        )
    ]


def test_a_repository_is_needed(layout: Any) -> None:
    layout.change(f"{SG}/{MANIFEST}", lambda m: m.update(visible_files=["documents/3_document_after.md"]))
    for name in ("load.py", "logo.bin"):
        (layout.root / SG / "repository/conf" / name).unlink()
    assert visible_rules(layout, "specgap", "sg_001") == [("repository/", "holds no file; at least one is needed")]


def test_a_document_is_text(layout: Any) -> None:
    layout.put(f"{SG}/documents/3_document_after.md", b"caf\xe9")
    assert visible_rules(layout, "specgap", "sg_001") == [("documents/3_document_after.md", "is not UTF-8 at byte 3")]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "is not JSON: Expecting value at line 1, column 1"),
        (b"[]", "is no object"),
        (b'{"a": 1, "a": 2}', "has the key 'a' twice in one object"),
        (b'{"a": NaN}', "holds NaN, which is not JSON"),
        (b'{"a": -Infinity}', "holds -Infinity, which is not JSON"),
        (b'{"a": 1e999}', "holds a number that is too long or too large: 1e999"),
        (b'{"a": 1234567890123456789}', "holds an integer of more than 18 digits"),
        (b'{"a": "\\ud800"}', "holds an unpaired surrogate escape, which is no text"),
        (b"[" * 70 + b"]" * 70, "is nested deeper than 64 levels"),
        (b'{"a": "', "is not JSON: a string is not closed"),
        (b"\xff", "is not UTF-8 at byte 0"),
        (b"\xef\xbb\xbf{}", "is not JSON: Unexpected UTF-8 BOM (decode using utf-8-sig) at line 1, column 1"),
        (b"[" + b"0," * 250_000 + b"0]", "has more than 250,000 parts"),
    ],
)
def test_json_rules(layout: Any, content: bytes, rule: str) -> None:
    layout.put(f"{SG}/{MANIFEST}", content)
    assert visible_rules(layout, "specgap", "sg_001") == [(MANIFEST, rule)]


def test_links_and_pipes_are_not_read(layout: Any, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    repository = layout.root / SG / "repository"
    (repository / "conf/load.py").unlink()
    (repository / "conf/load.py").symlink_to(secret)
    (repository / "up").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(repository / "pipe")
    assert visible_rules(layout, "specgap", "sg_001") == [
        ("repository/conf/load.py", "is a symbolic link"),
        ("repository/pipe", "is no regular file"),
        ("repository/up", "is a symbolic link"),
        ("repository/pipe", "is not named in visible_files"),
        ("repository/up", "is not named in visible_files"),
    ]


@pytest.mark.parametrize("part", ["specgap", "specgap/artifacts", "specgap/artifacts/visible_bundles"])
def test_no_folder_of_the_layout_may_be_a_link(layout: Any, tmp_path: Path, part: str) -> None:
    (layout.root / part).rename(tmp_path / "moved")
    (layout.root / part).symlink_to(tmp_path / "moved", target_is_directory=True)
    with pytest.raises(subsets.BundleError, match="is a symbolic link; the release layout has none"):
        subsets.load("specgap", layout.root)


def test_the_allow_list_may_not_be_a_link(layout: Any, tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text('{"specgap": ["sg_001"]}')
    (layout.root / "samples.json").symlink_to(tmp_path / "list.json")
    with pytest.raises(subsets.BundleError, match=r"samples\.json: cannot be opened"):
        subsets.load("specgap", layout.root)


def test_a_folder_that_cannot_be_listed_is_a_problem(layout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = os.scandir

    def refuse(path: Path) -> Any:
        if path.name == "conf":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    subset = subsets.load("specgap", layout.root)
    monkeypatch.setattr("subsets._store.os.scandir", refuse)
    assert [problem.rule for problem in subset.problems] == ["cannot be listed: Permission denied"]


def test_a_linked_bundle_or_gold_file_is_a_broken_example(layout: Any, tmp_path: Path) -> None:
    layout.put("samples.json", {"specgap": ["sg_001"]})
    (layout.root / SG).rename(tmp_path / "moved")
    (layout.root / SG).symlink_to(tmp_path / "moved", target_is_directory=True)
    gold = layout.root / "specgap/artifacts/hidden_gold/sg_001.json"
    gold.rename(tmp_path / "gold.json")
    gold.symlink_to(tmp_path / "gold.json")
    problems = subsets.load("specgap", layout.root).problems_of("sg_001")
    assert [problem.rule for problem in problems] == ["is no folder", "is no regular file"]


def test_names_that_steer_a_terminal_are_refused_and_printed_escaped(layout: Any) -> None:
    name = "repository/\u202eyp.x\x1b[31m.py"
    layout.put(f"{SG}/{name}", "")
    with pytest.raises(subsets.BundleError) as caught:
        subsets.load("specgap", layout.root).example("sg_001")
    assert caught.value.problems[0].rule == "holds control, bidirectional or undecodable characters"
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)
    assert "\\u202eyp.x\\x1b[31m.py" in str(caught.value)


def gold_rules(layout: Any, subset: str, known: str, edit: Edit) -> list[str]:
    layout.change(f"{subset}/artifacts/hidden_gold/{known}.json", edit)
    loaded = subsets.load(subset, layout.root)
    loaded.example(known)
    with pytest.raises(subsets.BundleError) as caught:
        loaded.gold(known)
    assert {problem.file for problem in caught.value.problems} == {f"hidden_gold/{known}.json"}
    assert caught.value.problems == loaded.problems_of(known)
    return [problem.rule for problem in caught.value.problems]


def other_text(gold: Any) -> None:
    gold["formal_reference"]["deleted_parts"][0]["normalized_condition"] = "Something else."


def other_id(gold: Any) -> None:
    gold["formal_reference"]["code_mappings"]["gold_labels"][0]["condition_id"] = "kc_009"


@pytest.mark.parametrize(
    ("edit", "rules"),
    [
        (lambda g: g.pop("formal_reference"), ["key 'formal_reference' is missing"]),
        (lambda g: g.update(conditions=[]), ["conditions is empty"]),
        (lambda g: g.update(input_id="x"), ["input_id is 'x'; it must equal the file's name, 'sg_001'"]),
        (lambda g: g.update(benchmark="silentswap"), ["benchmark must be 'specgap'"]),
        (other_text, ["condition 'kc_001' has another normalized_condition in conditions than in deleted_parts"]),
        (other_id, ["condition 'kc_001' is not in gold_labels"]),
        (lambda g: g["conditions"].append(g["conditions"][0]), ["conditions has 'kc_001' more than once"]),
        (
            lambda g: g["formal_reference"].update(deleted_parts=[]),
            ["condition 'kc_001' is not in deleted_parts"],
        ),
    ],
)
def test_specgap_gold_rules(layout: Any, edit: Edit, rules: list[str]) -> None:
    assert gold_rules(layout, "specgap", "sg_001", edit) == rules


def move(index: int, start: int, end: int, file: str = "conf/load.py") -> Edit:
    def edit(gold: Any) -> None:
        gold["swaps"][index]["localization"].update(file=file, line_ranges=[{"start": start, "end": end}])

    return edit


@pytest.mark.parametrize(
    ("edit", "rules"),
    [
        (lambda g: g["swaps"].pop(), ["swaps has 4 items; it needs at least 5"]),
        (
            lambda g: g["swaps"].append(g["swaps"][0]),
            ["swaps has more than 5 items"],
        ),
        (
            move(0, 3, 4),
            ["swaps[0] lines 3-4 and swaps[1] lines 4-4 of 'conf/load.py' overlap"],
        ),
        (move(0, 7, 8), ["swaps[0] lines 7-8 and swaps[4] lines 7-7 of 'conf/load.py' overlap"]),
        (move(4, 8, 8), ["swaps[4] lines 8-8 lie outside of 'conf/load.py', which has 7"]),
        (move(4, 2, 1), ["swaps[4].localization.line_ranges[0] is wrong: line range ends at 1, before its start 2"]),
        (move(4, 7, 7, "gone.py"), ["swaps[4] is in 'gone.py', which is not in the repository"]),
    ],
)
def test_silentswap_gold_rules(layout: Any, edit: Edit, rules: list[str]) -> None:
    expected = rules
    if "7-8" in rules[0]:  # line 8 is also past the end of the seven-line module
        expected = [*rules, "swaps[0] lines 7-8 lie outside of 'conf/load.py', which has 7"]
    assert gold_rules(layout, "silentswap", "ss_001", edit) == expected


@pytest.mark.parametrize(
    ("edit", "rules"),
    [
        (lambda g: g.update(verdict="NO_KEY"), ["verdict must be 'KEY'"]),
        (lambda g: g.update(evidence_ids=["e_404"]), ["evidence id 'e_404' does not occur in the trace"]),
        (
            lambda g: g.update(evidence_ids=["e_1_tool_exchange_0"] * 2),
            ["evidence_ids has 'e_1_tool_exchange_0' more than once"],
        ),
        (
            lambda g: g.update(evidence_ids=[]),
            ["evidence_ids has 0 items; it needs at least 1"],
        ),
    ],
)
def test_feedbacktrace_gold_rules(layout: Any, edit: Edit, rules: list[str]) -> None:
    assert gold_rules(layout, "feedbacktrace", "ft_001_long", edit) == rules


def test_unknown_gold_keys_are_welcome(layout: Any) -> None:
    layout.change("specgap/artifacts/hidden_gold/sg_001.json", lambda g: g.update(annotator="A"))
    assert subsets.load("specgap", layout.root).problems == ()


def test_all_problems_are_reported_at_once_and_the_neighbours_live(pairs: Any, tmp_path: Path) -> None:
    subsets.write(tmp_path, pairs["specgap"])
    bundle = tmp_path / "specgap/artifacts/visible_bundles/sg_001"
    (bundle / "repository/README").unlink()
    (bundle / "repository/new.py").write_text("")
    (bundle / "documents/3_document_after.md").write_bytes(b"\xff")
    (tmp_path / "specgap/artifacts/hidden_gold/sg_001.json").unlink()
    subset = subsets.load("specgap", tmp_path)
    assert [(problem.file.removeprefix("visible_bundles/sg_001/"), problem.rule) for problem in subset.problems] == [
        ("repository/README", "is named in visible_files and is missing"),
        ("repository/new.py", "is not named in visible_files"),
        ("documents/3_document_after.md", "is not UTF-8 at byte 0"),
        ("hidden_gold/sg_001.json", "is missing"),
    ]
    assert subset.ids == ("sg_001", "sg_002")
    assert subset.example("sg_002").id == "sg_002"
    with pytest.raises(subsets.BundleError) as caught:
        list(subset)
    assert caught.value.code == "broken_bundle"
    assert str(caught.value) == (
        "example sg_001 breaks 3 rules:\n"
        "  visible_bundles/sg_001/repository/README: is named in visible_files and is missing\n"
        "  visible_bundles/sg_001/repository/new.py: is not named in visible_files\n"
        "  visible_bundles/sg_001/documents/3_document_after.md: is not UTF-8 at byte 0"
    )


def test_a_gold_file_alone_is_a_broken_example(layout: Any) -> None:
    gold = layout.read("specgap/artifacts/hidden_gold/sg_001.json")
    layout.put("specgap/artifacts/hidden_gold/sg_002.json", gold | {"input_id": "sg_002"})
    subset = subsets.load("specgap", layout.root)
    assert subset.ids == ("sg_001", "sg_002")
    assert [str(problem) for problem in subset.problems] == ["specgap: visible_bundles/sg_002/: is missing"]


def test_the_list_of_problems_is_bounded(layout: Any) -> None:
    for number in range(300):
        layout.put(f"{SG}/repository/stray_{number:03}.py", "")
    rules = visible_rules(layout, "specgap", "sg_001")
    assert len(rules) == 201
    assert rules[-1][1] == "more than 200 problems; the rest is not listed"
