"""The published table: its cells follow from its rows, and it equals the file that lies beside a checkout."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from pathlib import Path

import pytest

from agentmonbench.errors import UsageError
from experiments.published import (
    beside,
    main,
    not_comparable,
    published_cells,
    published_monitor,
    published_value,
)
from subsets import RELEASE


def test_all_192_cells_are_reproduced_from_their_per_judge_rows() -> None:
    cells = published_cells()
    assert len(cells) == 192
    assert [cell for cell in cells if cell.recomputed != cell.value] == []
    # Three cells by hand: (0.265 + 0.234)/2 = 0.2495; (0.385 + 0.275)/2 = 0.33; a rule metric is itself.
    assert published_value("GPT-5.6 Luna", "base", "SF1") == Decimal("0.250")
    assert published_value("GPT-5.6 Luna", "Base", "LC") == Decimal("0.330")
    assert published_value("GLM-5.3", "EBG", "EHR") == Decimal("0.570")


def test_the_table_equals_the_shared_file(shared_data: Path) -> None:
    with (shared_data / "published" / "main-results.csv").open(encoding="utf-8", newline="") as file:
        theirs = {
            (row["model"], row["method"], row["metric"]): (
                row["family"],
                row["source"],
                Decimal(row["table1_value"]),
                [Decimal(row[key]) for key in ("judge_glm_5_2", "judge_qwen3_7_max") if row[key]],
            )
            for row in csv.DictReader(file)
        }
    ours = {
        (cell.monitor, cell.method, cell.metric): (cell.family, cell.source, cell.value, list(cell.judges.values()))
        for cell in published_cells()
    }
    assert ours == theirs


def test_repograph_has_no_sessions() -> None:
    assert published_value("Kimi K3", "RepoGraph", "EHR") is None


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"no published monitor 'kimi'; there are GPT-5\.6 Luna"):
        published_value("kimi", "EBG", "EHR")
    with pytest.raises(UsageError, match="no published method 'graph'; there are Base, RepoGraph, EBG"):
        published_value("Kimi K3", "graph", "EHR")


def test_a_run_is_set_beside_the_table() -> None:
    rows = beside(
        [("moonshot/kimi-k3", "ebg", "LS", 0.5), ("lexical", "ebg", "LS", 0.1), ("kimi-k3", "ebg", "LF1-strict", 0.2)]
    )
    assert [(row.monitor, row.published) for row in rows] == [
        ("moonshot/kimi-k3", published_value("Kimi K3", "EBG", "LS")),
        ("lexical", None),
    ]


@pytest.mark.parametrize(
    ("name", "title"),
    [("openai/gpt-5.6-luna", "GPT-5.6 Luna"), ("glm-5.3", "GLM-5.3"), ("Kimi K3", "Kimi K3"), ("gpt-5.6", None)],
)
def test_models_are_recognised_by_their_whole_name(name: str, title: str | None) -> None:
    assert published_monitor(name) == title


def test_every_reason_is_named() -> None:
    prompts = "prompts: this project's own texts, not the paper's"
    whole = {"specgap": 100}
    assert not_comparable(sources={"specgap": RELEASE}, examples=whole, monitors=["kimi-k3"]) == (prompts,)
    assert not_comparable(
        sources={"specgap": "sample"}, examples={"specgap": 4}, monitors=["lexical"], judges=["glm-5.2", "gpt"]
    ) == (
        prompts,
        f"data: specgap from sample, not {RELEASE}",
        "data: 4 of 100 examples of specgap",
        "monitor: lexical is not in the table",
        "judge: gpt is not one of the paper's (GLM-5.2, Qwen3.7-Max)",
    )


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "192 of 192 cells equal the mean of their per-judge rows" in out
    assert main(["--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 193


def test_the_command_sets_a_run_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = {"schema_version": 1, "settings": {}, "sources": {"silentswap": "sample"}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert main([str(tmp_path)]) == 2
    assert "no finished run to compare" in capsys.readouterr().err
    (tmp_path / "summary.csv").write_text(
        "subset,monitor,method,metric,judge,official,examples,failed,mean,mean_completed\n"
        "silentswap,kimi-k3,ebg,LS,,true,4,0,0.1235,0.1235\n"
        "silentswap,kimi-k3,ebg,LC,gpt,true,4,0,0.25,0.25\n"
        "silentswap,kimi-k3,ebg,LC,mean,true,4,0,0.25,0.25\n"
        "silentswap,kimi-k3,ebg,swap-type,,false,4,0,0.5,0.5\n",
        encoding="utf-8",
    )
    assert main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["kimi-k3", "ebg", "LS", "0.124", str(published_value("Kimi K3", "EBG", "LS"))]
    assert lines[2].split() == ["kimi-k3", "ebg", "LC", "0.250", str(published_value("Kimi K3", "EBG", "LC"))]
    assert lines[4:6] == ["Not comparable:", "- prompts: this project's own texts, not the paper's"]
    assert lines[-1] == "- judge: gpt is not one of the paper's (GLM-5.2, Qwen3.7-Max)"
