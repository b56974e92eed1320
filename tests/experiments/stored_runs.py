"""Small stored runs for the tests of the analyses: data written by hand, records written by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import subsets
from agentmonbench.examples import Document, Example, Gold
from agentmonbench.loop import Record, Span, Step, Totals
from agentmonbench.runs import Key, RunDirectory


def specgap_example(files: Mapping[str, str], example_id: str = "sg_001", text: str = "# Rules\n") -> Example:
    return Example(
        id=example_id,
        subset="specgap",
        document=Document("documents/3_document_after.md", text),
        files={path: text.encode() for path, text in files.items()},
    )


def record(example_id: str, subset: str, **values: Any) -> Record:
    defaults = {
        "method": "ebg",
        "monitor": "kimi",
        "protocol": "fair",
        "second_stage": "all",
        "repeat": 0,
        "seed": 0,
        "limits": {},
        "totals": Totals.of(values.get("steps", ())),
    }
    return Record(**{"example_id": example_id, "subset": subset, **defaults, **values})


def read(*spans: tuple[str, int, int], ids: Iterable[str] = ()) -> Step:
    """Return a step that reads `ids` and shows `spans`."""
    return Step(
        round=1,
        reply="",
        action=json.dumps({"action": "read", "ids": list(ids)}),
        shown_lines=tuple(Span(path=path, start=start, end=end) for path, start, end in spans),
    )


def write_source(folder: Path, pairs: Iterable[tuple[Example, Gold | Mapping[str, object]]]) -> Path:
    subsets.write(folder, pairs)
    return folder


def write_run(folder: Path, source: Path | str, records: Iterable[Record]) -> Path:
    """Write a run over everything that `source` holds of the records' subsets."""
    stored = {Key(each.subset, each.example_id, each.method, each.monitor, each.repeat): each for each in records}
    loaded = {name: subsets.load(name, source) for name in sorted({key.subset for key in stored})}
    settings = {
        "subsets": {name: {"ids": list(each.ids), "fingerprint": each.fingerprint} for name, each in loaded.items()}
    }
    with RunDirectory(folder) as run:
        run.start(settings, {"sources": {name: str(source) for name in loaded}})
        for each in stored.values():
            run.predictions_log.append(each.model_dump(mode="json"))
    return folder
