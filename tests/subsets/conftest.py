"""Tiny examples, and a folder in the release layout that is written by hand from specification parts 1.2 to 1.7."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from agentmonbench.examples import Document, Example
from ebg.trajectory.events import TraceEvent

Pair = tuple[Example, dict[str, Any]]

MODULE = b"""LIMIT = 3


def load(text):
    if not text:
        return {}
    return dict(pair.split("=") for pair in text.split())
"""


def mapping(known: str) -> dict[str, Any]:
    location = {
        "file_path": "conf/load.py",
        "symbol": {"kind": "function", "qualified_name": "load"},
        "line_ranges": [{"start": 5, "end": 6}],
    }
    evidence = {
        "evidence_id": f"{known}_cbc_ev001",
        "evidence_type": "implementation",
        "relation": "implements",
        "strength": "direct",
        "locations": [location],
    }
    return {"condition_id": known, "mapping_status": "direct", "coverage": "full", "evidence": [evidence]}


def specgap_gold(example_id: str) -> dict[str, Any]:
    known, meaning, text = "kc_001", "Empty text gives an empty mapping.", "Empty text gives an empty mapping."
    return {
        "input_id": example_id,
        "benchmark": "specgap",
        "source_sample_id": "tiny",
        "conditions": [{"condition_id": known, "normalized_condition": meaning, "source_text": text}],
        "formal_reference": {
            "deleted_parts": [
                {
                    "condition_id": known,
                    "type": "boundary_behavior",
                    "importance": "must_ask",
                    "source_text": text,
                    "normalized_condition": meaning,
                    "deleted_spans": [{"span_id": "kc_001_ds001", "exact_text": text, "char_start": 8}],
                }
            ],
            "code_mappings": {
                "comparison_items": [
                    {
                        "condition_id": known,
                        "condition_by_condition": mapping(known),
                        "holistic_alignment": mapping(known),
                        "manual_comparison": {"agreement": None, "notes": ""},
                    }
                ],
                "gold_labels": [
                    {"condition_id": known, "mapping_explanation": "", "gold_source": "holistic_alignment"}
                ],
            },
        },
    }


def silentswap_gold(example_id: str) -> dict[str, Any]:
    def swap(line: int, kind: str, name: list[str]) -> dict[str, Any]:
        return {
            "swap_type": "default_null_fallback",
            "original_semantics": f"before {line}",
            "swapped_semantics": f"after {line}",
            "evidence": ["observed"],
            "localization": {
                "file": "conf/load.py",
                "symbol": {"kind": kind, "qualified_name": name},
                "line_ranges": [{"start": line, "end": line}],
            },
        }

    lines = [(1, "module", []), (4, "function", ["load"]), (5, "function", ["load"]), (6, "function", ["load"])]
    return {
        "input_id": example_id,
        "benchmark": "silentswap",
        "source_sample_id": "1",
        "swaps": [swap(*line) for line in [*lines, (7, "function", ["load"])]],
    }


def feedbacktrace_gold(example_id: str) -> dict[str, Any]:
    return {
        "input_id": example_id,
        "benchmark": "feedbacktrace",
        "verdict": "KEY",
        "verification_point": "The agent kept the old file. Both are read now. Should it go?",
        "evidence_ids": ["e_1_tool_exchange_0"],
    }


def repository_pair(subset: str, example_id: str) -> Pair:
    paths = {"specgap": "documents/3_document_after.md", "silentswap": "documents/original_document.md"}
    golds = {"specgap": specgap_gold, "silentswap": silentswap_gold}
    files = {"conf/load.py": MODULE, "conf/logo.bin": b"\x00\xff\xfe", "README": "Größe\r\n".encode()}
    example = Example(
        id=example_id,
        subset=subset,  # type: ignore[arg-type]
        document=Document(paths[subset], "# Load\n\nText of pairs gives a mapping.\n"),
        files=MappingProxyType(dict(sorted(files.items()))),
    )
    return example, golds[subset](example_id)


def feedbacktrace_pair(example_id: str) -> Pair:
    events = (
        TraceEvent("user_prompt", 1, "Rename the settings file."),
        TraceEvent("assistant_response", 1, "I copy it.", "e_1_assistant_response_0"),
        TraceEvent("tool_exchange", 1, "Tool invocation:\n{}\n\nTool result: sh\nok", "e_1_tool_exchange_0", "sh"),
        TraceEvent("user_prompt", 2, "And the docs \u202e?"),
    )
    example = Example(id=example_id, subset="feedbacktrace", events=events, cutoff_turn=3)
    return example, feedbacktrace_gold(example_id)


@pytest.fixture(scope="session")
def pairs() -> dict[str, list[Pair]]:
    """Two sound examples a subset, with gold; shared by all tests, so change copies only."""
    return {
        "specgap": [repository_pair("specgap", "sg_001"), repository_pair("specgap", "sg_002")],
        "silentswap": [repository_pair("silentswap", "ss_001"), repository_pair("silentswap", "ss_002")],
        "feedbacktrace": [feedbacktrace_pair("ft_001_long"), feedbacktrace_pair("ft_002_long")],
    }


class Layout:
    """A release written with nothing but `write_bytes`, for tests that must not rest on our writer."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, path: str, content: bytes | str | dict[str, Any] | list[Any]) -> Path:
        """Write one file below the root; objects become JSON."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict | list):
            content = json.dumps(content)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def read(self, path: str) -> Any:
        """Return a JSON file."""
        return json.loads((self.root / path).read_text("utf-8"))

    def change(self, path: str, edit: Callable[[Any], None]) -> None:
        """Edit a JSON file in place."""
        document = self.read(path)
        edit(document)
        self.put(path, document)

    def pack(self, subset: str, target: Path, tar_format: int = tarfile.GNU_FORMAT) -> Path:
        """Make the archive of one subset."""
        target.mkdir(exist_ok=True)
        with tarfile.open(target / f"{subset}.tar.gz", "w:gz", format=tar_format) as archive:
            archive.add(self.root / subset, subset)
        return target / f"{subset}.tar.gz"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """One sound example a subset: sg_001, ss_001, ft_001_long."""
    made = Layout(tmp_path / "release")
    documents = {"specgap": "documents/3_document_after.md", "silentswap": "documents/original_document.md"}
    for subset, known, gold in (
        ("specgap", "sg_001", specgap_gold("sg_001")),
        ("silentswap", "ss_001", silentswap_gold("ss_001")),
    ):
        bundle = f"{subset}/artifacts/visible_bundles/{known}"
        made.put(f"{bundle}/{documents[subset]}", "# Load\n\nText of pairs gives a mapping.\n")
        made.put(f"{bundle}/repository/conf/load.py", MODULE)
        made.put(f"{bundle}/repository/conf/logo.bin", b"\x00\xff\xfe")
        visible = ["repository/conf/logo.bin", documents[subset], "repository/conf/load.py"]
        manifest = {"input_id": known, "benchmark": subset, "visible_files": visible}
        made.put(f"{bundle}/input_manifest.json", manifest)
        made.put(f"{subset}/artifacts/hidden_gold/{known}.json", gold)
    bundle = "feedbacktrace/artifacts/visible_bundles/ft_001_long"
    events = [
        {"event_type": "user_prompt", "turn_number": 1, "content": "Rename it."},
        {
            "event_type": "assistant_response",
            "turn_number": 1,
            "content": "I copy it.",
            "evidence_id": "e_1_assistant_response_0",
        },
        {
            "event_type": "tool_exchange",
            "turn_number": 2,
            "content": "Tool invocation:\n{}\n\nTool result: sh\nok",
            "evidence_id": "e_1_tool_exchange_0",
            "tool_name": "sh",
        },
    ]
    made.put(f"{bundle}/trace/model_input.json", {"input_id": "ft_001_long", "events": events})
    made.put(
        f"{bundle}/input_manifest.json",
        {
            "input_id": "ft_001_long",
            "benchmark": "feedbacktrace",
            "visible_files": ["trace/model_input.json"],
            "cutoff_turn": 3,
        },
    )
    made.put("feedbacktrace/artifacts/hidden_gold/ft_001_long.json", feedbacktrace_gold("ft_001_long"))
    return made
