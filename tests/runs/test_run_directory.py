"""The run directory: what is finished stays, what is torn is cut, other settings are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmonbench._files import JsonLines, dump_json
from agentmonbench.errors import DataError, UsageError
from agentmonbench.runs import Key, RunDirectory, settings_difference
from ebg._files import write_text


def _record(example: str, **more: object) -> dict[str, object]:
    return {
        "subset": "specgap",
        "example_id": example,
        "method": "ebg",
        "monitor": "m",
        "repeat": 0,
        "failure": None,
        **more,
    }


@given(
    records=st.lists(
        st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=20), max_size=3), max_size=5
    ),
    cut=st.integers(min_value=0, max_value=400),
)
@settings(max_examples=25, deadline=None)
def test_a_log_cut_anywhere_keeps_every_whole_line(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]], cut: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    log = JsonLines(path)
    for record in records:
        log.append(record)
    data = path.read_bytes() if path.exists() else b""
    kept = data[: min(cut, len(data))]
    path.write_bytes(kept)
    whole = records[: kept.count(b"\n")]
    assert list(log) == whole
    log.repair()
    log.append({"after": 1})
    assert list(log) == [*whole, {"after": 1}]


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"a": 1}\nnot json\n{"b": 2}\n')
    with pytest.raises(DataError, match="line 2: not JSON"):
        list(JsonLines(path))


def test_an_atomic_write_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "one")
    write_text(tmp_path / "a.txt", "two")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "two"


def test_equal_values_give_equal_bytes() -> None:
    assert dump_json({"b": 1, "a": "é"}) == dump_json({"a": "é", "b": 1}) == '{"a":"é","b":1}'


def test_other_settings_are_refused_and_every_key_is_named(tmp_path: Path) -> None:
    with RunDirectory(tmp_path / "run") as run:
        run.start({"seed": 0, "limits": {"rounds": 8}, "methods": ["ebg"]}, {})
    with RunDirectory(tmp_path / "run") as run, pytest.raises(UsageError) as refused:
        run.start({"seed": 1, "limits": {"rounds": 6}, "methods": ["ebg"]}, {})
    assert "limits.rounds: 8 there, 6 asked" in str(refused.value)
    assert "seed: 0 there, 1 asked" in str(refused.value)
    assert "methods" not in str(refused.value)


def test_a_setting_that_only_one_side_has_is_a_difference() -> None:
    assert [item.key for item in settings_difference({"a": 1}, {"a": 1, "b": {"c": 2}})] == ["b"]


def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    with (
        RunDirectory(tmp_path) as _,
        pytest.raises(UsageError, match="another process is writing"),
        RunDirectory(tmp_path),
    ):
        pass


def test_the_last_record_of_a_key_counts(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as run:
        run.start({}, {})
        run.predictions_log.append(_record("sg_001", failure={"code": "provider_error"}))
        run.predictions_log.append(_record("sg_001"))
        assert run.predictions() == {Key("specgap", "sg_001", "ebg", "m", 0): _record("sg_001")}


def test_finished_predictions_are_put_in_order(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as run:
        run.start({}, {})
        for example in ("sg_002", "sg_001"):
            run.predictions_log.append(_record(example))
        run.finish(run.predictions())
    lines = (tmp_path / "predictions.jsonl").read_text().splitlines()
    assert [json.loads(line)["example_id"] for line in lines] == ["sg_001", "sg_002"]


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".hidden", "x" * 200, "sp ace"])
def test_a_name_cannot_leave_the_runs_folder(name: str) -> None:
    with pytest.raises(UsageError, match="--name"):
        RunDirectory.check_name(name)


def test_a_folder_without_a_manifest_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no manifest\.json"):
        RunDirectory(tmp_path).manifest()
