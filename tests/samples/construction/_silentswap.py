"""SilentSwap: five coexisting swaps over one package (specification parts 1.6 and 5.2)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from construction._execution import SEMANTIC, run_pytest
from construction._layout import bundle, repository
from construction._sources import PROVENANCE, Source
from subsets.build._places import changed_lines, innermost, line_ranges

RECORDING = "semantic.json"


@dataclass(frozen=True, slots=True)
class SwapSource:
    """One swap as its author wrote it."""

    number: int
    swap_type: str
    semantic_test: str
    document_target: str
    file: str
    old: str
    new: str
    original_semantics: str
    swapped_semantics: str
    why_different: str

    def apply(self, text: str) -> str:
        """Replace the one place where `old` stands."""
        if text.count(self.old) != 1:
            raise ValueError(f"swap {self.number}: the old text occurs {text.count(self.old)} times in {self.file}")
        return text.replace(self.old, self.new)


def read_swaps(source: Source) -> tuple[SwapSource, ...]:
    """Return the five swaps of a package in the order of their numbers."""
    tables = source.table("silentswap.toml")["swaps"]
    return tuple(SwapSource(number=number, **table) for number, table in enumerate(tables, start=1))


def patched(source: Source, swaps: Iterable[SwapSource]) -> dict[str, str]:
    """Return the package with the given swaps applied."""
    files = dict(source.files)
    for swap in swaps:
        files[swap.file] = swap.apply(files[swap.file])
    return files


def semantic_tests(source: Source) -> dict[str, str]:
    """Return the semantic tests, one for each swap, as files of an executed copy."""
    folder = source.folder / SEMANTIC
    return {
        f"{SEMANTIC}/{swap.semantic_test}": (folder / swap.semantic_test).read_text("utf-8")
        for swap in read_swaps(source)
    }


def swapped_lines(source: Source, swap: SwapSource) -> list[int]:
    """Return the lines of the package with all swaps that this one put there."""
    before = source.files[swap.file]
    return changed_lines(before, swap.apply(before), patched(source, read_swaps(source))[swap.file])


def record(source: Source) -> list[dict[str, Any]]:
    """Execute each semantic test on the original and on the package with all five swaps."""
    tests = semantic_tests(source)
    states = {"on_original": source.files, "after_all_five_swaps": patched(source, read_swaps(source))}
    records = []
    for swap in read_swaps(source):
        entry: dict[str, Any] = {"semantic_test": swap.semantic_test}
        for state, files in states.items():
            run, outcomes = run_pytest({**files, **tests}, [f"{SEMANTIC}/{swap.semantic_test}"])
            failed = sum(outcome.failure is not None for outcome in outcomes)
            counts = {"passed": len(outcomes) - failed, "failed": failed}
            entry[state] = {**dataclasses.asdict(run), "counts": counts}
        records.append(entry)
    return records


def build(source: Source) -> dict[str, bytes]:
    """Return the files of the SilentSwap example of a package."""
    example_id = f"ss_{source.number:03}"
    swaps = read_swaps(source)
    files = patched(source, swaps)
    executions = {entry["semantic_test"]: entry for entry in source.recorded(RECORDING)}
    gold_swaps = [_gold(source, swap, files) for swap in swaps]
    changed = sorted({swap.file for swap in swaps})
    gold = {
        "input_id": example_id,
        "benchmark": "silentswap",
        "source_sample_id": str(source.number),
        "provenance": PROVENANCE,
        "swaps": gold_swaps,
        "source_line_counts": {path: len(files[path].splitlines()) for path in changed},
        "official_judge_reference": {
            "swaps": [
                _reference(swap, gold_swap, executions[swap.semantic_test])
                for swap, gold_swap in zip(swaps, gold_swaps, strict=True)
            ],
            "changed_files": changed,
        },
    }
    visible = {"documents/original_document.md": source.document.encode(), **repository(files)}
    return bundle("silentswap", example_id, visible, gold)


def _gold(source: Source, swap: SwapSource, files: Mapping[str, str]) -> dict[str, Any]:
    lines = swapped_lines(source, swap)
    symbol = innermost(files[swap.file], lines)
    code = "\n".join(files[swap.file].splitlines()[line - 1].strip() for line in lines)
    return {
        "swap_type": swap.swap_type,
        "original_semantics": swap.original_semantics,
        "swapped_semantics": swap.swapped_semantics,
        "evidence": [f"The document says: {swap.document_target}", f"{swap.file} now reads: {code}"],
        "localization": {
            "file": swap.file,
            "symbol": {"kind": symbol.kind, "qualified_name": list(symbol.qualified_name)},
            "line_ranges": line_ranges(lines),
        },
        "why_different": swap.why_different,
        "gold_source": "project_authors",
        "adjudication_status": "checked_by_execution",
    }


def _reference(swap: SwapSource, gold: Mapping[str, Any], execution: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "swap_number": swap.number,
        "gold": {key: gold[key] for key in ("swap_type", "original_semantics", "swapped_semantics", "evidence")},
        "localization": gold["localization"],
        "document_target": swap.document_target,
        "executed_behavior_difference": {key: execution[key] for key in ("on_original", "after_all_five_swaps")},
    }
