"""Writes what was proved about five swaps as an example and its gold (specification part 1.6).

Nobody has read these swaps, so the gold says `machine` and `pending`, and its words are those of the operator that made
the change, with the executed values as evidence.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from agentmonbench.examples import Document, Example
from subsets.build._candidates import Candidate
from subsets.build._coexistence import applied, patch_of
from subsets.build._places import Symbol, changed_lines, innermost, line_ranges
from subsets.build._silentswap import SwapExample
from subsets.build._verdicts import SEMANTIC, SemanticVerdict

__all__ = ["construction_files", "example_id", "to_example"]

DOCUMENT = "documents/original_document.md"
PROVENANCE = (
    "Built by agentmonbench build silentswap without a model; every swap is proved by execution, "
    "its words were made by a machine and were read by nobody."
)


def example_id(found: SwapExample) -> str:
    """Return the id: it names the package, so that it does not depend on what else is built."""
    return f"ss_{found.package.subject.name}_{found.number}"


def to_example(found: SwapExample, source: str) -> tuple[Example, dict[str, Any]]:
    """Return the visible side, with all five swaps made, and the gold.

    Args:
        found: what was proved.
        source: where the package is from.
    """
    subject = found.package.subject
    together = applied(subject, found.candidates)
    # What the graph admits: no documents and tests, which would say what the code did before.
    files = {path: subject.files[path] for path in sorted(found.package.graph.files)}
    files |= {path: text.encode() for path, text in together.items()}
    swaps = [_swap(found, at, together) for at in range(len(found.candidates))]
    gold = {
        "input_id": example_id(found),
        "benchmark": "silentswap",
        "source_sample_id": source,
        "provenance": PROVENANCE,
        "swaps": swaps,
        "source_line_counts": {path: len(text.splitlines()) for path, text in sorted(together.items())},
        "official_judge_reference": {
            "swaps": [_reference(found, at, swap) for at, swap in enumerate(swaps)],
            "changed_files": sorted(together),
        },
    }
    return Example(example_id(found), "silentswap", Document(DOCUMENT, found.package.document), files), gold


def construction_files(found: SwapExample) -> dict[str, str]:
    """Return what is kept beside the release layout: semantic tests and patches."""
    files = {f"{SEMANTIC}/{test.name}": test.text for test in found.tests}
    for at, candidate in enumerate(found.candidates, start=1):
        files[f"patches/swap_{at}.patch"] = patch_of(found.package.subject, candidate)
    return files


def _swap(found: SwapExample, at: int, together: Mapping[str, str]) -> dict[str, Any]:
    candidate = found.candidates[at]
    rewrite = candidate.rewrite
    text = together[rewrite.path]
    lines = changed_lines(found.package.subject.text(rewrite.path), rewrite.text, text)
    symbol = innermost(text, lines)
    code = " ".join(text.splitlines()[line - 1].strip() for line in lines)
    calls = [
        f"`{check.expression.text}` gave {check.expected} and now gives {new}"
        for check, new in zip(candidate.checks, candidate.swapped, strict=True)
    ]
    return {
        "swap_type": rewrite.mechanism,
        "original_semantics": f"In `{_named(symbol, rewrite.path)}` {rewrite.edit.before}; {_value(candidate, 0)}.",
        "swapped_semantics": f"In `{_named(symbol, rewrite.path)}` {rewrite.edit.after}; {_value(candidate, 1)}.",
        "evidence": [
            f"The document says: {' '.join(candidate.target.sentence.text.split())}",
            f"{rewrite.path} now reads: {code}",
            *calls,
        ],
        "localization": {
            "file": rewrite.path,
            "symbol": {"kind": symbol.kind, "qualified_name": list(symbol.qualified_name)},
            "line_ranges": line_ranges(lines),
        },
        "why_different": calls[0],
        "operator": rewrite.operator,
        "gold_source": "machine",
        "adjudication_status": "pending",
    }


def _value(candidate: Candidate, side: int) -> str:
    check = candidate.checks[0]
    return f"`{check.expression.text}` gives {(check.expected, candidate.swapped[0])[side]}"


def _named(symbol: Symbol, path: str) -> str:
    return symbol.dotted or path


def _reference(found: SwapExample, at: int, swap: Mapping[str, Any]) -> dict[str, Any]:
    sentence = found.candidates[at].target.sentence
    return {
        "swap_number": at + 1,
        "gold": {key: swap[key] for key in ("swap_type", "original_semantics", "swapped_semantics", "evidence")},
        "localization": swap["localization"],
        "document_target": sentence.text,
        "executed_behavior_difference": {
            "on_original": _execution(found, at, found.matrix.original[at]),
            "after_all_five_swaps": _execution(found, at, found.matrix.together[at]),
        },
    }


def _execution(found: SwapExample, at: int, verdict: SemanticVerdict) -> dict[str, Any]:
    failed = verdict.state == "failed"
    message = re.sub(r"/\S*?/s\d+/", "", verdict.reason)
    return {
        "command": f"python -m pytest -q {SEMANTIC}/{found.tests[at].name}",
        "exit_code": int(failed),
        "stdout": message,
        "stderr": "",
        "counts": {"passed": int(not failed), "failed": int(failed)},
        "observed": list(dataclasses.astuple(verdict)[-1]),
    }
